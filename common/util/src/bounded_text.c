/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/bounded_text.h"

#include <stdarg.h>
#include <stdio.h>

void vtb_bounded_text_add(struct vtb_bounded_text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->used >= t->size)
		return;
	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->used, t->size - t->used, fmt, ap);
	va_end(ap);
	t->used = n < 0 || (size_t)n >= t->size - t->used ? t->size : t->used + (size_t)n;
}
