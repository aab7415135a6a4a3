/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes of the places that KUnit suites patch.
 */
#ifndef _X86_TEXT_PATCH_PLACE_CHANGES_H
#define _X86_TEXT_PATCH_PLACE_CHANGES_H

#include <kunit/test.h>

#include "../text_patch.h"
#include "places.h"

/* Change all places at once, in an order that no sorted table has. */
static int set_all(bool call)
{
	struct text_patch_tx tx = {};
	unsigned int i;

	text_patch_begin(&tx);
	for (i = 0; i < PLACES; i++)
		queue_place(i * 7 % PLACES, call);
	return text_patch_commit(&tx);
}

static void put_back(void *unused)
{
	struct text_patch_tx tx = {};
	unsigned int i;

	text_patch_test_alloc_left = -1;
	text_patch_begin(&tx);
	for (i = 0; i < PLACES; i++)
		text_patch_add(place_insn(i), NULL, place_nop, 5);
	text_patch_commit(&tx);
}

/* Init of a suite: each case ends with nops in all places. */
static int engine_init(struct kunit *test)
{
	return kunit_add_action_or_reset(test, put_back, NULL);
}

#endif /* _X86_TEXT_PATCH_PLACE_CHANGES_H */
