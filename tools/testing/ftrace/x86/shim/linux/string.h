/* SPDX-License-Identifier: GPL-2.0 */
#if __STDC_HOSTED__
#include <string.h>
#else
/* A freestanding test has no C library's headers and defines these itself. */
void *memcpy(void *to, const void *from, __SIZE_TYPE__ n);
void *memset(void *to, int c, __SIZE_TYPE__ n);
#endif
