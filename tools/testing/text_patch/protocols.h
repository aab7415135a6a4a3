/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A patching protocol: the writer's steps in their order.
 */
#ifndef TEXT_PATCH_PROTOCOLS_H
#define TEXT_PATCH_PROTOCOLS_H

#include <stdbool.h>

/*
 * The writer's steps. Those that write places take one step for each place (and
 * byte). Five are not the engine's: a debugger sets a breakpoint at the last
 * place and removes it (DEBUG_ON, DEBUG_OFF), the tail under it is changed
 * (RETARGET), and the last place is freed and reused (LEAVE, REUSE).
 *
 * A sync that spares a reader outside of RCU's view is RAISE, LOOK, SEND: raise the
 * number of syncs, look where the reader is, interrupt it. SEND_ALL spares no reader.
 */
enum op {
	PUBLISH, TRAPS, SYNC, FLIP, TAILS, HEADS, WITHDRAW, QUIESCE, SETTLE,
	FREE, PARK, PARKED_SYNC, UNPARK, BOTH, HEADS_THEN_TAILS, SEQ_FIRST,
	RAISE, LOOK, SEND, SEND_ALL,
	ONLY_FIRST, ONLY_LAST, DEBUG_ON, DEBUG_OFF, RETARGET, LEAVE, REUSE,
	END,
};

struct protocol {
	const char *name;
	const char *must_break;		/* NULL: must hold */
	bool late;
	bool offline;
	/* Safeguards of the handler, the writer or the owner of text that are left out. */
	bool no_recheck;
	bool no_text;
	bool no_verify;
	bool tables;
	bool hasty_owner;
	/* The reader goes in and out of RCU's view, comes online; what it runs outside. */
	bool quiet;
	bool coming;
	unsigned char noinstr;		/* bits: places */
	/* What is wrong on purpose with how it catches up. */
	bool early_number;
	bool no_catch_up;
	bool nmi_trusts;
	bool store_first;
	bool read_again;
	enum op op[32];
};

extern const struct protocol protocols[];
extern const unsigned int nr_protocols;

#endif /* TEXT_PATCH_PROTOCOLS_H */
