#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Call sites, sets of them, filters, patterns and names in user space: the cases
# that KUnit runs, and the failure of every single allocation, under the address,
# leak and undefined behaviour sanitisers; then the same with faults in it.
#
# usage: run.sh		see ../../shared/suite.sh for its environment

units="kernel/trace/ftrace/sites/cond.c
	kernel/trace/ftrace/sites/filter.c kernel/trace/ftrace/sites/match.c
	kernel/trace/ftrace/sites/names.c kernel/trace/ftrace/sites/site.c
	kernel/trace/ftrace/sites/siteset.c kernel/trace/ftrace/sites/targets.c
	kernel/trace/ftrace/sites/fault.c
	kernel/trace/ftrace/sites/discovered.c"
# What later patches bring
if [ -e "$(dirname "$0")/symbols.c" ]; then
	units="$units kernel/trace/ftrace/hooks/symbols.c"
fi
if [ -e "$(dirname "$0")/files.c" ]; then
	units="$units kernel/trace/ftrace/sites/files.c"
fi
. "$(dirname "$0")/../../shared/suite.sh"
source=kernel/trace/ftrace
real=linux/ftrace/arch.h
glob=$(kernel_file lib/glob.c)
stand_ins "$top/$source"/*.[ch] "$top/$source"/*/*.[ch] ${glob:+"$glob"}

# make_of NAME FILE...: with headers of the tree
make_of()
{
	name=$1
	shift
	program "$name" $checked ${variant:+$bits32} $shim -iquote "$tree/$source/sites" \
		-iquote "$tree/$source/tests" "$shared/shim/kernel.c" "$shared/shim/kunit.c" "$@"
}

values()
{
	s=$tree/$source/sites tests=$tree/$source/tests
	make_of values "$s/siteset.c" "$s/cond.c" "$s/filter.c" "$s/site.c" "$s/targets.c" \
		"$s/page_index.c" "$tests/siteset_kunit.c" "$tests/cond_kunit.c" "$tests/filter_kunit.c" \
		"$tests/site_kunit.c" "$here/enomem.c"
}

faults()
{
	make_of faults -I"$tree/$source" "$here/faults.c"
}

files()
{
	s=$tree/$source/sites
	make_of files -I"$tree/$source" "$s/siteset.c" "$s/site.c" "$s/targets.c" \
		"$s/page_index.c" "$glob" "$here/files.c"
}

symbols()
{
	make_of symbols -I"$tree/$source" "$here/symbols.c"
}

patterns()
{
	make_of patterns "$tree/$source/sites/match.c" "$glob" "$tree/$source/tests/match_kunit.c"
}

names()
{
	s=$tree/$source/sites
	make_of names "$s/siteset.c" "$s/cond.c" "$s/match.c" "$s/site.c" "$s/targets.c" "$s/names.c" \
		"$s/page_index.c" "$s/discovered.c" "$tree/$source/tests/discovered_kunit.c" \
		"$glob" "$here/names.c"
}

variant="32 bit"
if can $bits32 -fsanitize=address,undefined; then
	prove 47 values
else
	skip "values, 32 bit" "no libraries for it"
fi
variant=
prove 47 values
fault values sites/cond.c 's/last = c->op\[1\] ? value : value - one;/last = value;/' "less is not at most"
fault values sites/cond.c 's/^		first = value + one;/		first = value;/' "all but one value"
fault values sites/cond.c 's/.scale = one, /.scale = 1, /' "what is above an argument in its register"
fault values sites/cond.c 's/c->is_signed ? 1UL << (BITS_PER_LONG - 1) : 0;/0;/' "a signed argument"
fault values sites/cond.c 's/ || (!strcmp(c->op, ">") \&\& value == most)//' "what no value passes"
fault values sites/cond.c 's/^		terms\[n - 1\].more = true;/		;/' "the second comparison"
fault values sites/cond.c 's/^	if (new->nr > FTRACE_CONDS)/	if (0)/' "too many conditions"
fault values sites/cond.c 's/^			left = ftrace_siteset_minus(.*);/			left = ftrace_siteset_get(set->on[i].sites);/' \
	"two conditions of a site"
fault values sites/cond.c 's/^		if (cond && same(set->on\[i\].cond, cond))/		if (0)/' "one condition twice"
fault values sites/filter.c 's/^		only = ftrace_siteset_minus(f->only, conds);/		only = ftrace_siteset_get(f->only);/' \
	"sites of two hooks"
fault values sites/siteset.c 's/if (last >= s->end - 1)/if (last > s->end)/' "the end of a range"
fault values sites/siteset.c 's/return set->nr\[high\]/return set->nr[low]/' "next of a list"
fault values sites/siteset.c \
	's/end = min(end, a->last + 1)/end = a->last/' \
	"the end of what is cut out"
fault values sites/siteset.c 's/set->count = shape->count;//' "doubles are counted"
fault values sites/siteset.c 's/op == MERGE_AND \&\& x != y/0/' "what one of two lists has"
fault values sites/siteset.c 's/op == MERGE_MINUS \&\& y == at/0/' "what both lists have"
fault values sites/siteset.h \
	's/if (set->nr\[mid\] <= nr)/if (set->nr[mid] < nr)/' \
	"search in a list"
fault values sites/filter.c \
	's/call_rcu(&f->rcu, free_filter)/free_filter(\&f->rcu)/' \
	"a reader's filter"
fault values sites/filter.c \
	's/only == f->only \&\& except == f->except/only == f->only/' \
	"exceptions stay"
fault values sites/filter.c 's/ftrace_siteset_put(new);/;/' "a set that is left behind"
fault values sites/site.c 's/>= MCOUNT_INSN_SIZE)/> MCOUNT_INSN_SIZE)/' "the byte after a site"
fault values sites/site.c 's/b->first - first >= nr/b->first - first > nr/' "a gap that just fits"
fault values sites/site.c \
	's/call_rcu(&b->rcu, free_block_rcu)/free_block(b, b->room)/' \
	"a reader's block"
fault values sites/site.c 's/^	ftrace_targets_free(b);//' "targets that are left behind"
fault values sites/targets.c \
	's/return page ? &page\[i % TARGETS_PER_PAGE\]/return page ? \&page[0]/' "one target a page"
fault values sites/targets.c 's/kfree(b->targets\[k\]);/;/' "pages of targets"
fault values sites/targets.c 's/^	t->other = t->now;/	;/' "the target before"
fault values sites/targets.c 's/^		t->other = t->now;/		;/' "never settled"
fault values sites/site.c 's/max(start, 1UL)/max(0UL, 1UL)/' "text before the start"
fault values sites/site.c 's/t = kvzalloc(/t = kzalloc(/' "a table too large to be promised"

prove 3 faults
fault faults sites/fault.c 's/^	arch_ftrace_sites_ready();/	;/' "a page that stays mapped"
fault faults sites/fault.c 's/^		int kind = .*/		arch_ftrace_sites_ready();\n&/' "a mapping for each site"
fault faults sites/fault.c 's/b->sites\[i\].state | FTRACE_SITE_ENTRY/b->sites[i].state/' "entry sites like others"
fault faults sites/fault.c 's/^	if (b->sites\[i\].state & FTRACE_SITE_FAULT)/	if (0)/' "a fault told twice"
fault faults sites/fault.c 's/^	ftrace_held_sites--;/	;/' "held for ever"

if [ -e "$here/symbols.c" ]; then
	prove 2 symbols
	fault symbols hooks/symbols.c 's/^	sort(gone->names.*/	;/' "names in any order"
fi

if [ -z "$glob" ]; then
	skip "patterns, names" "no kernel source: set KSRC"
else
	prove 8 patterns
	fault patterns sites/match.c 's/&& !name\[m->len\]//' "a name that goes on"
	fault patterns sites/match.c "s/ || c == '\\[' / /" "brackets"
	if [ -e "$here/files.c" ]; then
		prove 3 files
		fault files sites/files.c 's/ + MCOUNT_INSN_SIZE) {/ + 1) {/' "a site found twice"
		fault files sites/files.c 's/f->end - 1, &i/f->end, \&i/' "the site behind a section"
		fault files sites/files.c 's/^		f->path = s;/		f->path = f->module = s;/; s/^		f->module = s;/		;/' \
			"the name of a module"
		fault files sites/files.c "s/(f->path\[len\] == '.' || .*/true;/" "a folder with a longer name"
		fault files sites/files.c 's/for (i = from;/for (i = n = 0;/' "what was found before"
		fault files sites/files.c 's/(b && (f.end <= b->base || f.start >= b->end)) || //' \
			"init text that is gone"
		fault files sites/files.c 's/ && m->where != FTRACE_IN_MODULE//' "a module that is not built in"
		fault files sites/files.c 's/^	if (b->mod)$/	if (0)/' "a module's file"
		fault files sites/files.c 's/^	while (ip < last.start || /	while (/' "where the last one was"
	fi
	prove 24 names
	fault names sites/names.c \
		's/\[i\]) < value)/[i]) <= value)/; s/&k->symtab\[symbol\[i\]\]) < /\&k->symtab[symbol[i]]) > /' \
		"the nearest symbol"
	fault names sites/names.c 's/k != b->names->from || //' "a table that moved"
	fault names sites/names.c 's/if (strcmp(name, buf))/if (0)/' "names of one hash"
	fault names sites/names.c 's/> MAX_OFFSET)/> 1000)/' "weak functions that lost"
	fault names sites/names.c 's/index -= lines;//' "lines of modules"
	fault names sites/names.c 's/ || b->nr != b->names->sorted//' "names of sites that are discovered later"
	fault names sites/names.c 's/return ftrace_match(m, name) ? ft/return 1 ? ft/' "the place of another function"
	fault names sites/names.c 's/!asks(m, owner, b) || b/b/' "the place of another owner"
	fault names sites/names.c 's/(ftrace_siteset_has(set.*/(1 \&\&/' "one of several that share a name"
	fault names sites/names.c 's/ftrace_condset_of(conds, found.*== cond/1/' "conditions of one name"
	fault names sites/names.c 's/ || kernel_is_discovered()//' "many that are found later"
	fault names sites/names.c 's/(&m, owner, &found)/(\&m, NULL, \&found)/' "a name in its module"
	fault names sites/names.c 's/all = !\(ftrace_names_find.*\);/all = true, \1;/' "a name nobody could look up"
	fault names sites/names.c 's/^	if (ftrace_discovered_text(b))$/	if (0)/' "discovered sites in address order"
	fault names sites/discovered.c 's/^		text->last = next;/		;/' "the last block"
	fault names sites/discovered.c 's/offsets + in_last, in_next/offsets, in_next/' "sites of the next block"
	fault names sites/discovered.c 's/ || next_block(text->last)//' "a block too many"
	fault names sites/site.c 's/return ftrace_discovered_text(b) ? b->room : b->nr/return b->nr/; s/first = b->first + ftrace_site_block_numbers(b);/first = b->first + b->nr;/' \
		"numbers that are given twice"
	fault names sites/site.c 's/^	wake_up_all(&ftrace_site_changes);/	;/' "who waits for functions"
	fault names sites/site.c 's/new->blocks\[i + (leads \&\& i >= at)\]/new->blocks[i + (i >= at)]/' \
		"a block that does not lead"
	fault names sites/site.c 's/leads ? &ftrace_site_blocks : b->text->last->list.next/\&ftrace_site_blocks/' \
		"blocks of a text apart"
	fault names sites/site.c 's/^		ftrace_index_free(b->text->index);//' "an index that is left behind"
fi

finish
