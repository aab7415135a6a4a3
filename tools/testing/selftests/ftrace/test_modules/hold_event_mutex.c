// SPDX-License-Identifier: GPL-2.0
/*
 * event_mutex, held while the parameter "hold_event_mutex" is 1.
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include "defects.h"

static DECLARE_COMPLETION(mutex_held);
static DECLARE_COMPLETION(mutex_go);
static struct task_struct *mutex_task;

static int hold_mutex(void *unused)
{
	struct mutex *mutex = (struct mutex *)lookup("event_mutex");

	mutex_lock(mutex);
	complete(&mutex_held);
	wait_for_completion(&mutex_go);
	mutex_unlock(mutex);
	return 0;
}

static int hold_set(const char *text, const struct kernel_param *kp)
{
	bool hold;

	if (kstrtobool(text, &hold))
		return -EINVAL;
	if (hold && !mutex_task) {
		struct task_struct *task = start_task(hold_mutex, "defect_mutex", &mutex_held);

		if (IS_ERR(task))
			return PTR_ERR(task);
		mutex_task = task;
	} else if (!hold && mutex_task) {
		complete(&mutex_go);
		kthread_stop_put(mutex_task);
		mutex_task = NULL;
	}
	return 0;
}

static const struct kernel_param_ops hold_ops = { .set = hold_set };
module_param_cb(hold_event_mutex, &hold_ops, NULL, 0200);
