// SPDX-License-Identifier: GPL-2.0
/*
 * Queued changes of text that is about to be freed: they must be live before.
 *
 * Jump labels and static calls queue changes of a module's text while a task
 * has a transaction open, and the module may leave before that is committed. So
 * what is queued is committed when a module goes, and when a module's init
 * function has returned and its init text is next.
 */
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/limits.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/static_call.h>

#include "text_patch.h"

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
static void nothing(void)
{
}

DEFINE_STATIC_CALL(text_patch_nothing, nothing);

/* Takes static_call_mutex, finds that nothing is to be done, and drops it. */
static void wait_for_static_calls(void)
{
	static_call_update(text_patch_nothing, nothing);
}
#else
static void wait_for_static_calls(void)
{
}
#endif

/*
 * A key or call is updated under one lock from beginning to end, and whether a
 * module's init text takes part is decided once, by the module's state. Who has
 * seen the module coming has to be waited for, or the rest of the update would
 * be queued after the commit. Who comes later sees that the module is live.
 */
static void wait_for_updates(void)
{
	jump_label_lock();
	jump_label_unlock();
	wait_for_static_calls();
}

static int module_event(struct notifier_block *nb, unsigned long what,
			void *data)
{
	switch (what) {
	case MODULE_STATE_LIVE:
		wait_for_updates();
		text_patch_flush();
		break;
	case MODULE_STATE_GOING:
		text_patch_flush();
		break;
	}
	return NOTIFY_OK;
}

/*
 * After jump labels and static calls, which forget a module when it goes: what
 * is not in the queue by then will not be.
 */
static struct notifier_block module_watch = {
	.notifier_call = module_event,
	.priority = INT_MIN + 1,
};

static int __init watch_modules(void)
{
	return register_module_notifier(&module_watch);
}
early_initcall(watch_modules);
