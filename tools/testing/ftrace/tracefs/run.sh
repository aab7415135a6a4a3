#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Words of filters that wait for functions, in user space: with the kernel's table
# of sites, names and edits, and the failure of every single allocation, under the
# address, leak and undefined behaviour sanitisers; words that wait for modules; and how
# words are taken and cut; and what is said of wrong ones. Then the same with faults in it.
#
# usage: run.sh		see ../../shared/suite.sh for its environment

units="kernel/trace/ftrace/tracefs/waiting.c kernel/trace/ftrace/tracefs/filter_mods.c
	kernel/trace/ftrace/tracefs/words.c kernel/trace/ftrace/tracefs/error_log.c
	kernel/trace/ftrace/sites/edit.c
	kernel/trace/ftrace/sites/names.c"
. "$(dirname "$0")/../../shared/suite.sh"
source=kernel/trace/ftrace
glob=$(kernel_file lib/glob.c)
stand_ins "$top/$source"/*.[ch] "$top/$source"/*/*.[ch] ${glob:+"$glob"}

waiting()
{
	s=$tree/$source/sites
	program waiting $checked $shim -iquote "$s" -iquote "$tree/$source/tracefs" \
		"$shared/shim/kernel.c" "$shared/shim/kunit.c" "$s/siteset.c" "$s/cond.c" "$s/filter.c" \
		"$s/match.c" "$s/site.c" "$s/targets.c" "$s/names.c" "$s/page_index.c" "$s/discovered.c" \
		"$s/edit.c" "$tree/$source/tracefs/waiting.c" "$glob" "$here/waiting.c"
}

# The kernel's trace.h, which is not ours, lies two folders above filter_mods.c.
mkdir -p "$out/shim/a/b"
echo '#include "shim.h"' >"$out/shim/trace.h"

mods()
{
	s=$tree/$source
	program mods $checked -DMODS $shim -I"$out/shim/a/b" -iquote "$here" -iquote "$s/tracefs" \
		"$shared/shim/kernel.c" "$shared/shim/kunit.c" "$s/tracefs/filter_mods.c" \
		"$here/mods.c"
}

words()
{
	s=$tree/$source
	program words $checked -DWORDS $shim -iquote "$s/tracefs" "$shared/shim/kernel.c" \
		"$shared/shim/kunit.c" "$s/tracefs/words.c" "$s/sites/match.c" "$glob" "$here/words.c"
}

reasons()
{
	s=$tree/$source
	program reasons $checked -DREASONS $shim -I"$out/shim/a/b" -iquote "$here" -iquote "$s/tracefs" \
		-iquote "$s/sites" "$shared/shim/kernel.c" "$shared/shim/kunit.c" \
		"$s/tracefs/error_log.c" "$s/sites/match.c" "$glob" "$here/reasons.c"
}

prove 4 words
fault words tracefs/words.c 's/colon && str_has_prefix(colon, FTRACE_AT)/0/' "places are no commands"
fault words tracefs/words.c 's/^	memmove(blank, rest, len);/	;/' "a place behind a module"
fault words tracefs/words.c 's/strscpy(module, blank + 2) < 0/(strscpy(module, blank + 2), 0)/' \
	"a name that is too long for a module"
fault words tracefs/words.c 's/ || end\[1\] == .:.//' "a command behind a module"

prove 6 mods
fault mods tracefs/filter_mods.c 's/ && !mod_goes(e, &w->ml))/)/' "removed twice in a session"
fault mods tracefs/filter_mods.c 's/mods_find(&e->del, "\*", module))/mods_find_any(\&e->del, module))/' \
	"removed twice, the second time as a whole"
fault mods tracefs/filter_mods.c 's/ret = resolve(&w->ml, edit, true);/ret = 0;/' "a module that comes before close"
fault mods tracefs/filter_mods.c 's/!is_staged(edit, [^)]*)/1/' "what is named afterwards"
fault mods tracefs/filter_mods.c 's/(edit->del && test_bit(nr, edit->del))/0/' "what is removed afterwards"
fault mods tracefs/filter_mods.c 's/^	ret = mod_add(remove ?.*/	mods_remove(\&e->del, func, module);\n&/' \
	"a removal before there is memory"
fault mods tracefs/filter_mods.c 's/^		mods_remove(mods, w->ml.func, w->ml.module);$/		;/' "words twice"
fault mods tracefs/filter_mods.c 's/ ^ full_name_hash(mods, func, strlen(func))//' "a long list of one module"

if [ -z "$glob" ]; then
	skip "waiting, reasons" "no kernel source: set KSRC"
else
	prove 2 reasons
	fault reasons tracefs/error_log.c 's/ && addr < (unsigned long)end//' "the end of noinstr text"
	fault reasons tracefs/error_log.c 's/ && system_state >= SYSTEM_FREEING_INITMEM//' "before init text is freed"
	fault reasons tracefs/error_log.c 's/ && !(b->sites\[i\].state & FTRACE_SITE_DEAD)//' "a weak function's call in another"
	fault reasons tracefs/error_log.c 's/mod && !mod->num_ftrace_callsites/0/' "a module without records"
	fault reasons tracefs/error_log.c 's/^	if (m.at)$/	if (0)/' "a place where there is nothing"

	prove 17 waiting
	fault waiting tracefs/waiting.c 's/list_for_each_entry_reverse(w, words/list_for_each_entry(w, words/' \
		"the last word decides"
	fault waiting tracefs/waiting.c 's/ && !ftrace_names_undiscovered(&w->m))/)/' \
		"functions that share a name"
	fault waiting tracefs/waiting.c 's/^			word_free(w);$/			;/' "a name that never goes"
	fault waiting tracefs/waiting.c 's/w->hit && is_exact(w)/w->hit/' "a pattern that goes"
	fault waiting tracefs/waiting.c 's/m->not && (replaces_any(w, log)/0 \&\& (replaces_any(w, log)/' \
		"a word that cannot be removed"
	fault waiting tracefs/waiting.c 's/(!m->not || has_pattern(log) || has_pattern(force))/!m->not/' \
		"left out of a pattern"
	fault waiting tracefs/waiting.c 's/^		if (replaces(w, old))$/		if (0)/' "words that are written again"
	fault waiting tracefs/waiting.c 's/return ftrace_match(&late->m, name_of(w));/return !strcmp(name_of(late), name_of(w));/' \
		"names that a pattern removes"
	fault waiting tracefs/waiting.c 's/w->m.not ? &matches->out : &matches->in/\&matches->in/' "left out of a draft"
	fault waiting tracefs/waiting.c 's/^		edit->failed = true;/		;/' "no memory for a draft"
	fault waiting tracefs/waiting.c 's/^			err = add_matches(waiting, waiting->missed, waiting->missed_end);/			;/' \
		"no memory, and never again"
	fault waiting tracefs/waiting.c 's/ || !all_armed(sites))/)/' "missed, and hooked by nobody"
	fault waiting tracefs/waiting.c 's/ || !all_armed(sites))/ || waiting->missed_end)/' \
		"planned for another list"
	fault waiting tracefs/waiting.c 's/ || (waiting \&\& waiting->missed_end)//' "removed before it was added"
	fault waiting tracefs/waiting.c 's/^	list_splice_init(words, &waiting->words);/&\n	waiting->missed_end = 0;/' \
		"a word forgets what was missed"
	fault waiting tracefs/waiting.c 's/ && s->except == except)/)/' "two files of a tracer"
	fault waiting tracefs/waiting.c 's/^		list_del(&waiting->list);/		;/' "a slot that is freed"
	fault waiting tracefs/waiting.c 's/(slot), NULL, false, true, NULL)/(slot), NULL, false, false, NULL)/' \
		"nothing is all"
	fault waiting sites/names.c 's/return !strcmp(data, buf);/return 1;/' "another name of a function"
	fault waiting sites/names.c 's/^	return ip && !ftrace_site_find_exact(ip, &i);/	return ip;/' "discovered already"
	fault waiting sites/names.c 's/if (text->mod && text->ready && undiscovered_in_module(text->mod, m))/if (0)/' \
		"functions of modules"
	fault waiting sites/discovered.c 's/^		ftrace_sites_added(next->first, ftrace_site_nr(next, next->nr));/		;/' \
		"sites of the next block"
	fault waiting sites/edit.c 's/if (e->failed)/if (0)/' "a draft that is not whole"
fi

finish
