#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Record slots and discovered sites in user space: the cases that KUnit runs, and the
# failure of every single allocation, under the address and undefined behaviour
# sanitisers; the recorder's assembly, one
# instruction at a time, with NMIs and the taker between any two of them; and a
# model of recorders, NMIs, the taker and text that is freed. Then all this with
# faults in it. And the places of a built kernel where a recorder could not run.
#
# usage: run.sh		see ../../shared/suite.sh for its environment

units="kernel/trace/ftrace/discover/records.c kernel/trace/ftrace/discover/recorder.c
	kernel/trace/ftrace/discover/verify.c kernel/trace/ftrace/discover/round.c
	kernel/trace/ftrace/sites/page_index.c kernel/trace/ftrace/hooks/cover.c
	arch/x86/kernel/ftrace/record_macros.S"
. "$(dirname "$0")/../../shared/suite.sh"
generic=kernel/trace/ftrace x86=arch/x86/kernel/ftrace
real=linux/ftrace/arch.h
stand_ins "$top/$generic"/discover/*.[ch] "$top/$generic"/sites/*.[ch] \
	"$top/$generic"/hooks/*.[ch] "$top/$generic"/tests/records_kunit.c \
	"$top/$generic"/tests/page_index_kunit.c

records()
{
	program records $checked $shim -I"$tree/$generic/discover" -I"$tree/$generic/sites" \
		"$tree/$generic/discover/records.c" "$tree/$generic/tests/records_kunit.c" \
		"$tree/$generic/sites/page_index.c" "$tree/$generic/tests/page_index_kunit.c" \
		"$tree/$generic/discover/recorder.c" "$tree/$generic/discover/verify.c" "$here/tables.c" "$here/verify_test.c" "$here/enomem.c" "$shared/shim/kernel.c" "$shared/shim/kunit.c"
}

round()
{
	s=$tree/$generic/sites d=$tree/$generic/discover
	program round $checked -Wno-unused-function $shim -I"$d" -I"$s" -I"$tree/$generic/hooks" \
		"$d/round.c" "$d/records.c" "$d/verify.c" "$s/site.c" "$s/targets.c" "$s/page_index.c" \
		"$s/discovered.c" "$tree/$generic/hooks/cover.c" "$here/round.c" "$shared/shim/kernel.c" "$shared/shim/kunit.c"
}

recorder()
{
	program recorder -std=gnu11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Wno-sign-compare -Werror \
		-Wno-unused-parameter -no-pie -fcf-protection=none $shim \
		-I"$tree/$generic/discover" -I"$tree/$x86" "$here/recorder.c" "$here/harness.S" \
		"$tree/$generic/discover/records.c" "$shared/shim/kernel.c"
}

model()
{
	program model -std=gnu11 -O2 -Wall -Wextra -Werror "$here/model.c"
}

source=$generic
prove 23 records
fault records discover/records.c 's/(buckets - 1) \*/buckets */; s/i < table->nr \&\&/i + 1 < table->nr \&\&/' \
	"the last slot"
fault records discover/records.h 's/return (buckets - 1)/return buckets/' "a bucket too many"
fault records discover/records.c 's/addr <= end)/addr < end)/' "the last call of a text"
fault records discover/records.c 's/addr > start/addr >= start/' "the end of the text before"
fault records discover/records.c '/^	sort(take/d' "out of order"
fault records discover/records.c 's/WRITE_ONCE(\*take->records\[from\].slot, 0);/;/' "never free again"
fault records discover/records.c 's/	if (!take->records)/	if (0)/' "no memory"
fault records discover/records.c 's/^	kvfree(take->records);//' "memory of a round"
fault records sites/page_index.c 's/offset - (MCOUNT_INSN_SIZE - 1)/offset/' "inside of a site"
fault records sites/page_index.c 's/which = first \/ PAGE_SIZE; which <=/which = offset \/ PAGE_SIZE; which <=/' \
	"a site across pages"
fault records sites/page_index.c 's/\&\& site->offset <= offset)/)/' "a site further on"
fault records sites/page_index.c 's/kfree_rcu(old, rcu)/kfree(old)/; s/rcu_assign_pointer/(void)/' \
	"never published"
fault records sites/page_index.c 's/^		if (old)$/		if (0)/' "an old page is left behind"
fault records sites/page_index.c 's/page->sites\[mid\].offset < offset/page->sites[mid].offset <= offset/' \
	"search in a page"
fault records sites/page_index.c 's/old->sites\[i\].offset < sites\[j\].offset/1/' "order in a page"
fault records sites/page_index.c 's/kfree(change->pages\[--change->nr\])/change->nr--/' "pages of a dropped change"
fault records discover/recorder.c \
	'/WRITE_ONCE(ftrace_recorder_mask/,/wait_for_recorders();/ s/wait_for_recorders();/;/' \
	"no wait after the mask"
fault records discover/recorder.c \
	'/scoped_guard/,/return 0/ s/wait_for_recorders();/;/' "no wait after the tables"
fault records discover/recorder.c 's/		table = list_next_entry(table, list);//' "one table for all"
fault records discover/recorder.c 's/list_splice_tail(tables, /INIT_LIST_HEAD(tables); (void)(/' \
	"tables that nobody looks at"
fault records discover/recorder.c 's/^	list_del(&boot_table->list);//' "the table of the boot stays listed"
fault records discover/verify.c 's/find_range(call, call + MCOUNT_INSN_SIZE - 1, /find_range(call, call, /' "half of a site"
fault records sites/discovered.h 's/end <= text->end/start < text->end/' "beyond the text"
fault records discover/verify.c 's/text->ready \&\& //' "symbols not in place"
fault records discover/verify.c 's/!arch_ftrace_site_check(\(.*NULL\))/arch_ftrace_site_check(\1) % EBUSY == 0/' "under a breakpoint"
fault records discover/verify.c 's/return text && text->ready/return (!text || text->ready)/' \
	"text that nobody knows"
fault records discover/verify.c 's/offset <= MAX_OFFSET/offset < MAX_OFFSET/' "behind an ENDBR"

prove 10 round
fault round discover/round.c 's/call->end - call->from/1/; s/r->take, call->from, call->end/r->take, call->from, call->from + 1/' \
	"the slot of one processor"
fault round discover/round.c 's/!(site->state & FTRACE_SITE_ARMED)/true/' "released too early"
fault round discover/round.c 's/!kernel_text_address(call->ip)/true/' "slots of what is no site"
fault round discover/round.c 's/!kernel_text_address(call->ip)/false/' "slots of freed text"
fault round discover/round.c 's/r->numbers, nr, FTRACE_SITE_ARMED/r->numbers, nr, 0/' "never made a nop"
fault round discover/round.c 's/^		if (r->calls\[i\].is_new)$/		if (1)/' "all that is recorded"
fault round discover/round.c 's/disarm(&r) ?: err/disarm(\&r)/' "no memory for sites"
fault round discover/round.c 's/^	kvfree(r->numbers);//' "numbers of a round"
fault round discover/round.c 's/^		ftrace_cover_discovered();$/		;/' "never covered again"
fault round discover/round.c 's/^	bool due;$/	bool due = ftrace_cover_due;/; /^		due = ftrace_cover_due;/d' \
	"switched off by who hears of new sites"
fault round discover/round.c '/set_bit(i, ftrace_site_ran/d' "what has run is not told"
fault round sites/site.h 's/ + which \* BITS_TO_LONGS(b->room);/;/' "one bitmap for both"
fault round sites/site.c 's/2 \* BITS_TO_LONGS(nr) \* sizeof(long)/0/' "no room for the bitmaps"
fault round hooks/cover.c 's/^	if (b->sites\[i\].state & BUSY || /	if (/' "covered while it is on"
fault round hooks/cover.c 's/^	if (on ? patch->err : !patch->err)$/	if (!on \&\& !patch->err)/' \
	"a cover that is not there"
fault round hooks/cover.c 's/^	if (batch->nr == batch->room)$/	if (0)/' "more than there is room for"

prove 5 recorder
source=$x86
fault recorder record_macros.S 's/^	popq	%rcx$/	popq	%rdx/' "a register is lost"
fault recorder record_macros.S 's/^	lock cmpxchgq %rcx, (%r11)/	movq	%rcx, (%r11)/' \
	"no compare in the first slot"
fault recorder record_macros.S 's/^	lock cmpxchgq %rcx, 8(%r11)/	movq	%rcx, 8(%r11)\n	cmpq	%rax, %rax/' \
	"no compare in the second slot"
fault recorder record_macros.S \
	's/^	lock cmpxchgq %rcx, (%r11)/	movq (%r11), %rax; testq %rax, %rax; jne 9f; movq %rcx, (%r11); cmpq %rax, %rax; 9:/' \
	"read and written in two steps"
fault recorder record_macros.S 's/^	cmpq	%rax, 8(%r11)/	cmpq	%rax, 16(%r11)/' \
	"second slot not looked at"
fault recorder record_macros.S '/RECORDER_SKIPPED)/d' "skipped, not counted"
fault recorder record_macros.S '/RECORDER_STORED)/d' "stored, not counted"
fault recorder record_macros.S \
	's/^	movq	%rax, %rcx$/&\n	incq	%gs:(ftrace_recorder + RECORDER_STORED)(%rip)/; /^	incq	PER_CPU_VAR(ftrace_recorder + RECORDER_STORED)/d' \
	"counted first"

prove 12 model

name="nothing is recorded while %gs is not the kernel's"
if [ -f "${VMLINUX:-}" ]; then
	results 1 "$name" "$here/check-gs.py" "$VMLINUX"
else
	skip "$name" "no kernel: set VMLINUX"
fi

finish
