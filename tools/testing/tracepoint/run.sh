#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of kernel/tracepoint that need no kernel: the arrays of probes, and the
# changes of them, under the address and undefined behaviour sanitisers, and the
# walk through all interleavings of a hit with a change. Both have to find what
# goes wrong without each safeguard.
#
# usage: run.sh		see ../shared/suite.sh for its environment

units="kernel/tracepoint/apply.c kernel/tracepoint/core.c
	kernel/tracepoint/direct.c kernel/tracepoint/funcs.c kernel/tracepoint/internal.h
	kernel/tracepoint/orphan.c kernel/tracepoint/text.h
	include/linux/tracepoint.h include/linux/tracepoint-probes.h
	include/linux/tracepoint-defs.h"
. "$(dirname "$0")/../shared/suite.sh"
source=kernel/tracepoint
real=linux/tracepoint-defs.h
stand_ins "$top/$source"/*.[ch] "$top/include/$real"

funcs_test()
{
	program funcs_test $checked $shim -I"$tree/$source" "$shared/shim/kernel.c" \
		"$here/funcs_test.c" "$tree/$source/funcs.c"
}

core_test()
{
	program core_test $checked $shim -I"$tree/$source" "$shared/shim/kernel.c" \
		"$here/core_test.c" "$here/core_world.c" "$here/core_random.c" \
		"$here/core_text.c" "$here/core_moments.c" "$here/core_batches.c" \
		"$tree/$source/core.c" "$tree/$source/apply.c" \
		"$tree/$source/direct.c" "$tree/$source/orphan.c" \
		"$tree/$source/funcs.c"
}

places_test()
{
	program places_test $checked -Wno-empty-body -include "$here/places.h" \
		-I"$out/places" -I"$tree/include" "$here/places_test.c"
}

model()
{
	program model $checked "$here/model.c"
}

prove 3 funcs_test
prove 14 core_test

# The headers of tracepoints are the tree's own; all that these include is empty.
mkdir -p "$out/places/linux"
for h in $(sed -n 's/^#include <linux\/\([a-z_0-9-]*\.h\)>.*/\1/p' "$top"/include/linux/tracepoint*.h); do
	case $h in tracepoint*) ;; *) : >"$out/places/linux/$h" ;; esac
done
prove 8 places_test
source=include/linux
fault places_test tracepoint.h \
	's/PARAMS(args), true, might_fault())/PARAMS(args), true, )/' \
	"tracepoint.h without the look whether a place may fault"
fault places_test tracepoint.h \
	's/^	always;/	;/;s/^	guard(rcu_tasks_trace)();/	might_fault();&/' \
	"tracepoint.h with that look behind the key"
source=kernel/tracepoint

fault core_test apply.c \
	'/^	tp_detour(changes);/d' \
	"apply.c without the detour"
fault core_test apply.c \
	's/^	       tp_gp_passed(tp, tp->stale);/	       true;/' \
	"apply.c without the look at the grace period"
fault core_test apply.c \
	's/^		queue_work(.*/		;/' \
	"apply.c without a second flip"
fault core_test direct.c \
	'/^	synchronize_srcu(&tracepoint_srcu);/d' \
	"direct.c without the grace period"
fault core_test direct.c \
	'/^	synchronize_rcu_tasks_trace();/d' \
	"direct.c without the grace period of probes that fault"
fault core_test direct.c \
	'/^	mutex_.*lock(&tracepoint_module_list_mutex);/d' \
	"direct.c without the mutex of modules"
fault core_test direct.c \
	's/^	list_add_tail(&c->node, changes);/&tp_apply_list(changes);/' \
	"direct.c with a transaction for each tracepoint"
fault core_test direct.c \
	's/tp->pending || //' \
	"direct.c without the look at what is pending"
fault core_test apply.c \
	'/^	text_patch_flush();/d;/^	text_patch_commit(tx);/d' \
	"apply.c without making the text live"
fault core_test apply.c \
	'/^	text_patch_flush();/d' \
	"apply.c without the flush"
fault core_test apply.c \
	'/^static void tp_flip/,/^}/s/tp_text_finish(&tx, changes);/text_patch_commit(\&tx);\
			cpus_read_unlock();\
			if (tx.nr_faults)\
				tp_text_mend(changes);/' \
	"apply.c without the flush of the last step"
fault core_test apply.c \
	'/^	text_patch_commit(tx);/d' \
	"apply.c without the commit"
fault core_test apply.c \
	'/cpus_read_\(un\)\?lock();/d' \
	"apply.c without the hotplug lock"
fault core_test apply.c \
	'/^	tp_text_mend(changes);/d' \
	"apply.c without the second look at text that is left as it is"
fault core_test apply.c \
	's/^			tp_refuse(c);/			;/' \
	"apply.c without refusing what such text forbids"
fault core_test apply.c \
	's/tp_funcs_same_first(old, c->funcs)/(c->funcs \&\& old->func == c->funcs->func)/' \
	"apply.c without the difference that data makes"
fault core_test funcs.c \
	's/tp_func_is(a, b->func, b->data)/tp_func_is(a, b->func, a->data)/' \
	"funcs.c without the difference between data"
fault core_test apply.c \
	's/ && !is_kernel_inittext(addr)//' \
	"apply.c without the look at init text"
fault core_test core.c \
	'/^	synchronize_srcu(&tracepoint_srcu);/d' \
	"core.c without tracepoint_synchronize_unregister() waiting"
fault core_test core.c \
	'/^	synchronize_rcu_tasks_trace();/d' \
	"core.c without tracepoint_synchronize_unregister() waiting for probes that fault"
fault core_test internal.h \
	's/return tracepoint_is_faultable(tp) ? .*/return \&tracepoint_srcu;/' \
	"internal.h without the difference between readers"
fault core_test core.c \
	'/^void tracepoint_synchronize_unregister/,/^}/{/^	tracepoint_flush();/d}' \
	"core.c without tracepoint_synchronize_unregister() flushing"
fault core_test core.c \
	'/^void tracepoint_batch_commit/,/^}/{/^	if (!tp_batched())/d}' \
	"core.c without an inner batch waiting for the outer one"
fault core_test core.c \
	'/^void tracepoint_orphan/,/^}/{/^	tp_apply();/d}' \
	"core.c without applying what is pending where a module goes"
fault core_test core.c \
	'/^void tracepoint_orphan/,/^}/{/^		tp_apply();/d}' \
	"core.c without applying that its tracepoint goes"
fault core_test core.c \
	'/tp_gp_wait(tp, tp_funcs_block(old)->idle);/d' \
	"core.c without the wait for the spare half"
fault core_test apply.c \
	's/return core_kernel_text.*;/return true;/' \
	"apply.c without the look at where a function lies"
fault core_test core.c \
	's/return !tp->static_call_key;/return false;/' \
	"core.c without the turn of those made at run time"

if ! model; then
	say "not ok - model builds"
	finish
fi
check "no interleaving calls a probe wrongly or forgets one" "$out/model"
for rule in no-detour no-wait func-only second-direct no-settle settle-once; do
	check "without its rule ($rule) the model finds a fault" sh -c '! "$@"' - "$out/model" $rule
done

finish
