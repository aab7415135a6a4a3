/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_RCUPDATE_H
#define _SHIM_RCUPDATE_H

struct rcu_head {
	void *next[2];
};

#endif
