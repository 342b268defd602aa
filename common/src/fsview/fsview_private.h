/* SPDX-License-Identifier: BSD-2-Clause */
/* Between fsview_mount.c and fsview_open.c. */
#ifndef VTB_FSVIEW_PRIVATE_H
#define VTB_FSVIEW_PRIVATE_H

#include "vtb/fsview.h"

#define FSVIEW_PATH 4096

/* `text`, or the digits of `number`, at `to`; returns the place of the NUL behind it. */
static inline char *vtb_fsview_put_text(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to = 0;
	return to;
}

static inline char *vtb_fsview_put_number(char *to, uint64_t number)
{
	char digits[24];
	unsigned n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while ((number /= 10));
	while (n)
		*to++ = digits[--n];
	*to = 0;
	return to;
}

/* What SYS_getdents64 gives. */
struct fsview_entry {
	uint64_t ino, off;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* Mount it there and go to it: v->scratch_fd. On a disk it is emptied first. False: errno. */
bool vtb_fsview_mount_scratch(struct vtb_fsview *v, const char *at);
/* Trees and scratch off again. What was opened there stays. */
void vtb_fsview_unmount(struct vtb_fsview *v);

#endif /* VTB_FSVIEW_PRIVATE_H */
