/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_STATIC_KEY_H
#define _SHIM_STATIC_KEY_H

#include <linux/types.h>

struct static_key {
	int enabled;
};

#endif
