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
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/notifier.h>

#include "text_patch.h"

static int module_event(struct notifier_block *nb, unsigned long what,
			void *data)
{
	switch (what) {
	case MODULE_STATE_LIVE:
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
