#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the x86 text engine that need no kernel to boot: its pure parts under
# the address and undefined behaviour sanitisers, the model of its protocol, the
# engine on this machine's processor, and, where a linked kernel is at hand, the
# calls of the commit path.
#
# usage: run.sh [VMLINUX...]	see ../shared/suite.sh for its environment
#
# Without arguments the kernel is $VMLINUX, or else the one of this tree. The
# engine runs for $REAL_SECONDS, by default 3, or 1 with QUICK.

units="arch/x86/kernel/text_patch/insn.h arch/x86/kernel/text_patch/queue.c
	arch/x86/kernel/text_patch/batch.c arch/x86/kernel/text_patch/commit.c
	arch/x86/kernel/text_patch/trap.c"
. "$(dirname "$0")/../shared/suite.sh"
arch=$top/arch/x86
engine=$arch/kernel/text_patch
nops=$(kernel_file arch/x86/include/asm/nops.h)
real="asm/text-patching.h asm/text-transaction.h"
stand_ins "$engine/insn.h" "$engine"/queue.[ch] "$engine"/text_patch.h \
	"$engine"/batch.c "$engine"/commit.c "$engine"/trap.c "$arch/include/asm/text-patching.h" \
	"$arch/include/asm/text-transaction.h" ${nops:+"$nops"}
rm -f "$out/shim/asm/nops.h"

pure()
{
	program pure $checked $define $shim -I"$engine" -idirafter "${nops%/asm/nops.h}" \
		"$here/pure.c"
}

model()
{
	program model $checked -O2 "$here/model.c" "$here/protocols.c"
}

# As the kernel is compiled: sanitizers would wait for what the processor does not.
plain="-std=gnu11 -O2 -g -pthread -Wall -Wextra -Werror -Wno-sign-compare
	-Wno-unused-parameter -Wno-missing-field-initializers"

real()
{
	local here_engine=$tree/arch/x86/kernel/text_patch
	# shellcheck disable=SC2086 # lists
	program real $plain -D_GNU_SOURCE -DCONFIG_64BIT -include "$here/real.h" -I"$out/shim" -I"$shared/shim" \
		-I"$here_engine" -idirafter "${nops%/asm/nops.h}" "$here/real.c" "$here/real_text.c" "$shared/shim/kernel.c" \
		"$here_engine/batch.c" "$here_engine/commit.c" "$here_engine/queue.c" "$here_engine/trap.c"
}

for variant in "64 bit nops" "32 bit nops"; do
	define="-DCONFIG_64BIT -DIS_ENABLED(option)=1"	# CONFIG_X86_64
	[ "$variant" = "64 bit nops" ] || define=-UCONFIG_64BIT
	if [ -n "$nops" ]; then
		prove 27 pure
	else
		skip "pure, $variant" "no kernel source: set KSRC"
	fi
done

variant=
prove 69 model

# real_fault must|may FILE SED NAME: the engine with this fault fails on the real
# processor, or may not: if the processor orders its fetches better than it has to.
real_fault()
{
	planted "real: $4" "$engine/$2" "$3" || return 0
	if grep -q '^ok [0-9]* - real: .* # SKIP' "$out/results"; then
		skip "fault: real: $4 is found" "the engine does not run here"
		return
	fi
	tree=$out/faulty changed=$source/$2
	rm -rf "$tree"
	mkdir -p "$tree/$source"
	cp -r "$engine"/*.[ch] "$tree/$source"
	cp "$out/planted" "$tree/$changed"
	if ! real; then
		say "not ok - fault: real: $4 is found"
		head -n 3 "$out/said" | sed 's/^/# /'
	elif timeout 100 "$out/real" "$fault_seconds" >"$out/said" 2>&1; then
		if [ "$1" = must ]; then
			say "not ok - fault: real: $4 is found"
			sed -n 's/^# real: /# /p' "$out/said"
		else
			skip "fault: real: $4 is found" "not shown by this processor in $fault_seconds s"
		fi
	else
		say "ok - fault: real: $4 is found"
		sed -n '/^# after/p' "$out/said"
	fi
	tree=$top changed=
}

# The steps of commit_places() and what the trap handler makes of them. Which of
# the syncs can be done without is a matter of the processor's fetches.
real_faults()
{
	local fault_seconds=30	# at most: it ends with the first wrong verdict
	source=arch/x86/kernel/text_patch
	real_fault must commit.c '/^	write_all(walk, STEP_TRAP);/d
		s/return !missed/return true/' "no breakpoints"
	real_fault must commit.c '/^	write_all(walk, STEP_TAIL);/s/TAIL/HEAD/
		/^	write_all(walk, STEP_HEAD);/s/HEAD/TAIL/; s/return !missed/return true/' \
		"first bytes before the rest"
	real_fault must commit.c '/^	write_all(walk, STEP_TAIL);/d' "the rest is not written"
	real_fault must commit.c '/^	text_live_flip();/d
		s/^	write_all(walk, STEP_TRAP);/	text_live_flip();\n&/' "flip before the breakpoints"
	real_fault must commit.c '/^	text_live_flip();/d
		s/^	text_live_withdraw();/	text_live_flip();\n&/' "flip after the first bytes"
	real_fault must commit.c '/^	text_live_flip();/d' "no flip"
	real_fault must commit.c '/^	text_live_publish(/d
		s/^	write_all(walk, STEP_TRAP);/&\n	text_live_publish(walk->vec, walk->nr, walk->base);/' \
		"breakpoints before they are published"
	real_fault must commit.c '/^	text_live_withdraw();/d
		s/^	write_all(walk, STEP_HEAD);/	text_live_withdraw();\n&/' "withdrawn before the first bytes"
	real_fault must trap.c 's/(seq & 1) && live_effect(ip, &now)/false/' "the handler ignores the walk"
	real_fault must trap.c 's/this_cpu_inc(text_trap_cpu.late);/return false;/' \
		"the handler ignores the text"
	real_fault must trap.c 's/p->whole && !READ_ONCE(live.flipped) ? p->old : p->act/p->act/' \
		"the handler acts as new before the flip"
	real_fault must trap.c 's/p->whole && !READ_ONCE(live.flipped) ? p->old : p->act/p->old/' \
		"the handler acts as old after the flip"
	real_fault must insn.h 's/int3_emulate_push(regs, next)/int3_emulate_push(regs, next + 1)/' \
		"an emulated call returns to the wrong place"
	real_fault must commit.c '/^	text_trap_quiesce();/d' "no wait for handlers"
	fault_seconds=1	# what these do is judged step by step
	real_fault must commit.c 's/return !missed/return true/' "bytes that go elsewhere"
	real_fault must commit.c 's/^			taken = addr + 5;/			;/' "two places that overlap"
	real_fault must batch.c 's/^		last = rel;/		;/' "calls that are queued in another order"
	real_fault must commit.c '/^static noinline void stopped_writer/,/^}/{/text_live_flip/d}' \
		"no flip while the machine is stopped"
	real_fault must commit.c '/^static noinline void stopped_other/,/^}/{/sync_core/d}' \
		"stopped processors keep what they fetched"
	real_fault must commit.c '/^static void settle/,/^}/{/write_all/d}' \
		"first bytes not written again"
	real_fault must commit.c '/^	tell_perf(walk);/d' "perf is not told"
	real_fault must commit.c 's/page_is_there(check, addr + len - 1));/true);/' "the end of a place is not looked for"
	fault_seconds=${REAL_SECONDS:-5}
	real_fault may trap.c 's/if (likely(seq_now() == seq))/if (true)/' \
		"the handler does not look for the next walk"
	real_fault may commit.c '/^	write_all(walk, STEP_TRAP);/{n;d}' "no sync after the breakpoints"
	real_fault may commit.c '/^	tell_perf(walk);/{n;d}' "no sync after the rest"
	real_fault may commit.c '/^	write_all(walk, STEP_TRAP);/{n;d}; /^	tell_perf(walk);/{n;d}' "no sync"
	real_fault may commit.c 's/^			write_tail(p, to);/{ & WRITE_ONCE(*to, p->new[0]); }/
		s/return !missed/return true/' "rest and first byte in one step"
}

if [ -z "$nops" ]; then
	skip real "no kernel source: set KSRC"
elif [ "$(uname -m)" != x86_64 ]; then
	skip real "no x86-64 processor"
else
	prove 8 real "${REAL_SECONDS:-$([ -n "$QUICK" ] && echo 1 || echo 3)}"
	real_faults
fi

if [ $# -eq 0 ]; then
	for v in "${VMLINUX:-}" "$top/vmlinux"; do
		[ -f "$v" ] && set -- "$v" && break
	done
fi
[ $# -eq 0 ] && skip "the commit path calls nothing that can be patched" "no vmlinux"
for v; do
	results 1 "commit path of $v" "$here/check-calls.py" "$v"
done

finish
