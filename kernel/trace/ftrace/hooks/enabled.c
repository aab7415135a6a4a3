// SPDX-License-Identifier: GPL-2.0
/*
 * The sysctl kernel.ftrace_enabled.
 */
#include <linux/sysctl.h>

#include "commit.h"
#include "hook.h"
#include "plan.h"

#ifdef CONFIG_SYSCTL

static bool is_permanent(void)
{
	struct ftrace_hook *hook;

	list_for_each_entry(hook, &ftrace_hooks, list)
		if (hook->ops->flags & FTRACE_OPS_FL_PERMANENT)
			return true;
	return false;
}

/* Hooks stay registered; only the text of their sites changes. */
static int switch_all(bool on)
{
	struct ftrace_plan plan;
	int err;

	if (!on && is_permanent())
		return -EBUSY;

	err = ftrace_plan_rebuild(&plan, NULL, on);
	if (err)
		return err;
	WRITE_ONCE(ftrace_text_on, on);
	ftrace_plan_commit(&plan);
	return 0;
}

static int enabled_sysctl(const struct ctl_table *table, int write, void *buffer,
			  size_t *lenp, loff_t *ppos)
{
	int before, err;

	mutex_lock(&ftrace_lock);
	before = ftrace_enabled;
	err = ftrace_dead() ?: proc_dointvec(table, write, buffer, lenp, ppos);
	if (!err && write && ftrace_text_on != !!ftrace_enabled) {
		err = switch_all(ftrace_enabled);
		if (err)
			ftrace_enabled = before;
	}
	mutex_unlock(&ftrace_lock);
	return err;
}

static const struct ctl_table sysctls[] = {
	{
		.procname	= "ftrace_enabled",
		.data		= &ftrace_enabled,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= enabled_sysctl,
	},
};

static int __init register_sysctls(void)
{
	register_sysctl_init("kernel", sysctls);
	return 0;
}
late_initcall(register_sysctls);

#endif /* CONFIG_SYSCTL */
