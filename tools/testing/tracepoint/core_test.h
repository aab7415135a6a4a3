/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of core_test share: a kernel made of stand-ins, and the tests. */
#ifndef _CORE_TEST_H
#define _CORE_TEST_H

#include "shim.h"

#include "internal.h"

#define NR_TP 6
#define MOST 5
#define IN_MODULE 3	/* the first one of a module */
#define HANDMADE 5	/* has no static call, and is in no list */

/* core_world.c */
extern int failures;

extern struct tracepoint points[NR_TP];
extern struct static_call_key calls[NR_TP];

/* Of the first one: how often its regfunc is in effect, and whether it refuses. */
extern int nr_reg[NR_TP];
extern bool reg_refuses;

/* Functions, of which the last two are a module's; a function of init text. */
extern int funcs[4];
extern int init_func;

/* Arrays that a reader may still have. */
extern unsigned int nr_held;

/* How often text became live, and how often by the commit of another task. */
extern unsigned int nr_transactions, nr_foreign;
/* Let another task commit now and then. */
extern bool others_commit;
/* Let a grace period end now and then that another task waits for. */
extern bool others_wait;

void make_world(void);
/* Run the work that makes calls direct. */
void wait_until_direct(void);
void caller_begins(struct text_patch_tx *tx);
void caller_commits(void);

/*
 * From now on note each moment of the changes of @tp, with what a hit calls then.
 * NULL: note none.
 */
void note_moments_of(const struct tracepoint *tp);
/* Compare the moments since the last call with "P:a T:ab" and the like. */
void expect(const char *what, const char *expected);

/* core_random.c */
void random_changes(void);
void random_changes_without_memory(void);

/* core_text.c */
void stuck_text(void);
void init_text(void);

/* core_batches.c */
void batches_of_two_tasks(void);
void evicted_from_a_batch(void);
void orphans_are_told_apart(void);

/* core_moments.c */
void moments_of_single_changes(void);
void moments_of_direct_calls(void);
void direct_calls_take(void);
void moments_of_batches(void);
void moments_of_orphans_in_batches(void);
void batches_take(void);

#endif
