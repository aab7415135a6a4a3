/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters in force. A filter slot (struct ftrace_filter_slot) holds the filter
 * of one ops, or of several that share it.
 */
#ifndef _FTRACE_SLOT_H
#define _FTRACE_SLOT_H

#include "hook.h"

struct module;

struct ftrace_filter *ftrace_slot_filter(struct ftrace_filter_slot *slot);
struct ftrace_filter *ftrace_slot_filter_get(struct ftrace_filter_slot *slot);

int ftrace_slot_set_locked(struct ftrace_filter_slot *slot, struct ftrace_filter *filter);
int ftrace_slot_set_always(struct ftrace_filter_slot *slot, struct ftrace_filter *filter);
void ftrace_slot_replace(struct ftrace_filter_slot *slot, struct ftrace_filter *filter);

void ftrace_slot_foresee(struct ftrace_filter_slot *slot, struct ftrace_filter *filter);
void ftrace_slots_purge(u32 first, u32 end);
void ftrace_slots_forget(struct module *mod);

int ftrace_ops_move_locked(struct ftrace_ops *ops, struct ftrace_filter_slot *slot);

#endif /* _FTRACE_SLOT_H */
