// SPDX-License-Identifier: GPL-2.0
/*
 * Commit queued changes before text of a module is freed.
 *
 * Jump labels and static calls queue changes of a module's text while a task
 * has a transaction open, and the text may be freed before that is committed.
 * So the queue is committed when a module's init function has returned, before the
 * init text is freed; and by module_arch_cleanup() before all of the module's text is
 * freed, also if it has failed to load. Jump labels and static calls have dropped
 * their entries of the module by then.
 */
#include <linux/init.h>
#include <linux/jump_label.h>
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

/* Takes and drops static_call_mutex; the update changes nothing. */
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
 * Wait for updates of static keys and static calls that are in progress. An
 * update holds one lock from beginning to end and decides by the module's state
 * whether to change the module's init text. One that has seen the module as
 * coming must be waited for, or it would queue more changes after the commit.
 * One that begins later sees the module as live.
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
	if (what == MODULE_STATE_LIVE) {
		wait_for_updates();
		text_patch_flush();
	}
	return NOTIFY_OK;
}

static struct notifier_block module_watch = {
	.notifier_call = module_event,
};

static int __init watch_modules(void)
{
	return register_module_notifier(&module_watch);
}
early_initcall(watch_modules);
