/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the recorder of each CPU uses: the slots that it writes to, and its
 * counts.
 */
#ifndef _FTRACE_RECORDER_H
#define _FTRACE_RECORDER_H

#include <linux/list.h>
#include <linux/percpu.h>

/* The architecture's assembly knows this layout. */
struct ftrace_recorder {
	unsigned long	*slots;		/* of a table that ftrace_recorder_mask fits */
	unsigned long	stored;		/* slots that were filled */
	unsigned long	skipped;	/* calls for which no slot was free */
};

DECLARE_PER_CPU_ALIGNED(struct ftrace_recorder, ftrace_recorder);
/* Selects the bucket: no table that a CPU may still use is smaller. */
extern u32 ftrace_recorder_mask;

/* All tables that may have addresses. Under ftrace_lock. */
extern struct list_head ftrace_recorder_tables;

int ftrace_recorder_start(bool boot);
int ftrace_recorder_settle(void);
void ftrace_recorder_drop_boot(void);
unsigned long ftrace_recorder_stored(void);
unsigned long ftrace_recorder_skipped(void);

#endif /* _FTRACE_RECORDER_H */
