// SPDX-License-Identifier: GPL-2.0
/*
 * The sysctl kernel.ftrace_enabled.
 *
 * It does not switch hooks off: a livepatch, a BPF program or a probe would not be
 * called any more without its owner's knowledge.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/printk.h>
#include <linux/sysctl.h>

#include "hook.h"

#ifdef CONFIG_SYSCTL

static int enabled_sysctl(const struct ctl_table *table, int write, void *buffer,
			  size_t *lenp, loff_t *ppos)
{
	int value = READ_ONCE(ftrace_enabled);
	const struct ctl_table copy = {
		.procname = table->procname, .data = &value, .maxlen = sizeof(value),
	};
	int err;

	err = ftrace_dead() ?: proc_dointvec(&copy, write, buffer, lenp, ppos);
	if (err || !write || value)
		return err;
	pr_warn_once("kernel.ftrace_enabled = 0 is refused: it would take functions from their users\n");
	return -EOPNOTSUPP;
}

static const struct ctl_table sysctls[] = {
	{
		.procname	= "ftrace_enabled",
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
