// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of an entry or exit of a function with LLVM's XRay in its flight
 * recorder mode.
 *
 * usage: beside-xray NR	with XRAY_OPTIONS=patch_premain=false
 */
#include "beside.h"

/* Of <xray/xray_log_interface.h>, which is C++. */
int __xray_log_select_mode(const char *mode);
int __xray_log_init_mode(const char *mode, const char *config);
#define XRAY_LOG_INITIALIZED	2
int __xray_patch(void);

__attribute__((noinline, xray_always_instrument))
static void watched(unsigned long i)
{
	asm volatile("" : : "r" (i));
}

__attribute__((xray_never_instrument))
static void run(unsigned long nr)
{
	/* A call is two events. */
	for (unsigned long i = 0; i < nr / 2; i++)
		watched(i);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	/* It would drop short functions else. */
	if (__xray_log_select_mode("xray-fdr") ||
	    __xray_log_init_mode("xray-fdr", "func_duration_threshold_us=0") !=
	    XRAY_LOG_INITIALIZED || __xray_patch() != 1)
		return 1;
	beside(run, strtoul(argv[1], NULL, 0));
	return 0;
}
