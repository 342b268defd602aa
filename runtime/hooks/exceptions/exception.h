/* SPDX-License-Identifier: BSD-2-Clause */
/* The exception that ends a program. */
#ifndef VTB_RT_EXCEPTION_H
#define VTB_RT_EXCEPTION_H

#include "base.h"

/** The exception of which the thread is an owner no more when the handler that it is in ends. NULL: another handler of
 * it is open, it was thrown again, or it has a header of its own, which is freed first. */
char *vtb_exception_ends(void);

#endif /* VTB_RT_EXCEPTION_H */
