#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of syncs that spare CPUs that RCU does not watch, under the address and
# undefined behaviour sanitisers: which CPUs get the interrupt, and how the others
# catch up. The model of both is in ../text_patch.
#
# usage: run.sh		see ../shared/suite.sh for its environment

units="arch/x86/kernel/text_patch/quiet.c arch/x86/include/asm/text-quiet.h"
. "$(dirname "$0")/../shared/suite.sh"
source=arch/x86/kernel/text_patch
nops=$(kernel_file arch/x86/include/asm/nops.h)
real="asm/text-patching.h asm/text-transaction.h asm/text-quiet.h"
stand_ins "$top/$source"/quiet.c "$top/$source"/queue.[ch] "$top/$source"/text_patch.h "$top/$source"/insn.h \
	"$top"/arch/x86/include/asm/text-*.h ${nops:+"$nops"}
rm -f "$out/shim/asm/nops.h"

spare()
{
	program spare $checked $shim -DCONFIG_64BIT -DCONFIG_MODULES -DCONFIG_ARCH_HAS_SYNC_CORE_CATCH_UP \
		-I"$top/$source" -idirafter "${nops%/asm/nops.h}" "$here/spare.c" "$tree/$source/quiet.c" \
		"$tree/$source/queue.c"
}

if [ -n "$nops" ]; then
	prove 11 spare
	fault spare quiet.c 's/atomic_long_inc_return(&text_sync_nr)/text_sync_nr.n/' "no number is raised"
	fault spare quiet.c 's/atomic_long_inc_return(&text_sync_nr)/text_sync_nr.n + 1/
		s/^		on_each_cpu_cond.*/&\n	atomic_long_inc_return(\&text_sync_nr);/' \
		"the number is raised after the look"
	fault spare quiet.c 's/atomic_long_inc_return(&text_sync_nr)/everywhere ? text_sync_nr.n : &/' \
		"a sync for all raises no number"
	fault spare quiet.c 's/ & CT_RCU_WATCHING//' "what is above the bit counts"
	fault spare quiet.c '/spared++/d' "those that are spared are not counted"
	fault spare quiet.c 's/if (everywhere || !quiet)/if (!quiet)/' "nothing is for all"
	fault spare quiet.c 's/if (everywhere || !quiet)/if (everywhere)/' "it cannot be switched off"
	fault spare quiet.c '/^	raw_cpu_write/d; s/^	sync_core();/	raw_cpu_write(text_sync_seen, nr);\n&/' \
		"the number is stored before the CPU serialises"
	fault spare quiet.c 's/raw_cpu_write(text_sync_seen, nr)/raw_cpu_write(text_sync_seen, text_sync_nr.n)/' \
		"the number is read again"
	fault spare quiet.c '/^	sync_core();/d' "the CPU does not serialise"
	fault spare quiet.c '/__noinstr_text_start,/s/noinstr/entry/' "noinstr text begins elsewhere"
	fault spare quiet.c '/__entry_text_end/s/end/start/' "entry text is empty"
	fault spare quiet.c 's/if (addr - start < text->size)/if (true)/' "init text hides modules"
	fault spare quiet.c 's/if (addr - start < text->size)/if (false)/' "each place is looked up"
	fault spare quiet.c '/any_in_modules(vec, above/s/above/nr/' "modules are not looked at"
	fault spare quiet.c '/smp_store_release(&text_synced_nr/d' "the end of a sync is not noted"
	fault spare quiet.c '/^	nr = atomic_long_inc/s/$/ text_synced_nr = nr;/' "a sync that goes on is over"
	fault spare quiet.c '/!rcu_is_watching_curr_cpu/d' "what is outside should have caught up"
	fault spare quiet.c '/arch_cpu_is_offline/d' "what is not online should have caught up"
	fault spare queue.c 's/text_patch_addr(vec + mid, base) < addr/text_patch_addr(vec + mid, base) <= addr/' \
		"the first place of a range is left out"
	fault spare queue.c 's/text_patch_addr(vec + i, base) < end/text_patch_addr(vec + i, base) <= end/' \
		"a range has one byte more"
else
	skip spare "no kernel source: set KSRC"
fi

finish
