// SPDX-License-Identifier: GPL-2.0
/*
 * A module with a function for hooks to come to.
 */
#include <linux/module.h>

void states_victim(void);
noinline void states_victim(void)
{
	/* Not to be optimised away. */
	barrier();
}

static int __init victim_init(void)
{
	states_victim();
	return 0;
}
module_init(victim_init);

static void __exit victim_exit(void)
{
}
module_exit(victim_exit);

MODULE_DESCRIPTION("A function for hooks to come to");
MODULE_LICENSE("GPL");
