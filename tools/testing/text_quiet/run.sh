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

quiet()
{
	program quiet $checked $shim -DCONFIG_64BIT -DCONFIG_MODULES -DCONFIG_ARCH_HAS_SYNC_CORE_CATCH_UP \
		-I"$top/$source" -idirafter "${nops%/asm/nops.h}" "$here/quiet.c" "$tree/$source/quiet.c" \
		"$tree/$source/queue.c"
}

if [ -n "$nops" ]; then
	prove 9 quiet
	fault quiet quiet.c '/atomic_long_inc_return/d' "no number is raised"
	fault quiet quiet.c '/atomic_long_inc_return/d
		s/^	on_each_cpu_cond.*/&\n	atomic_long_inc_return(\&text_sync_nr);/' \
		"the number is raised after the look"
	fault quiet quiet.c 's/ & CT_RCU_WATCHING//' "what is above the bit counts"
	fault quiet quiet.c 's/if (everywhere || !quiet)/if (!quiet)/' "nothing is for all"
	fault quiet quiet.c 's/if (everywhere || !quiet)/if (everywhere)/' "it cannot be switched off"
	fault quiet quiet.c '/^	raw_cpu_write/d; s/^	sync_core();/	raw_cpu_write(text_sync_seen, nr);\n&/' \
		"the number is stored before the CPU serialises"
	fault quiet quiet.c 's/raw_cpu_write(text_sync_seen, nr)/raw_cpu_write(text_sync_seen, text_sync_nr.n)/' \
		"the number is read again"
	fault quiet quiet.c '/^	sync_core();/d' "the CPU does not serialise"
	fault quiet quiet.c '/__noinstr_text_start,/s/noinstr/entry/' "noinstr text begins elsewhere"
	fault quiet quiet.c '/__entry_text_end/s/end/start/' "entry text is empty"
	fault quiet quiet.c 's/if (addr - start < text->size)/if (true)/' "init text hides modules"
	fault quiet quiet.c 's/if (addr - start < text->size)/if (false)/' "each place is looked up"
	fault quiet quiet.c '/any_in_modules(vec, above/s/above/nr/' "modules are not looked at"
	fault quiet queue.c 's/text_patch_addr(vec + mid, base) < addr/text_patch_addr(vec + mid, base) <= addr/' \
		"the first place of a range is left out"
	fault quiet queue.c 's/text_patch_addr(vec + i, base) < end/text_patch_addr(vec + i, base) <= end/' \
		"a range has one byte more"
else
	skip quiet "no kernel source: set KSRC"
fi

finish
