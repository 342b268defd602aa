/* SPDX-License-Identifier: BSD-2-Clause */
/* The exception that ends a program. */
#ifndef VTB_RT_EXCEPTION_H
#define VTB_RT_EXCEPTION_H

#include "base.h"

/** The thread aborts at its pc: end the run. The message is the C++ library's, "terminate called after throwing an
 * instance of 'TYPE'\n  what():  WORDS", with the type's name as the ABI writes it; without an exception "abort() was
 * called". */
_Noreturn void vtb_exception_abort(struct vtb_rt_thread *t);

/** The exception of which the thread is an owner no more when the handler that it is in ends. NULL: another handler of
 * it is open, it was thrown again, or it has a header of its own, which is freed first. */
char *vtb_exception_ends(void);

#endif /* VTB_RT_EXCEPTION_H */
