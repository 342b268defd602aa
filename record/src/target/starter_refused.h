/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a starter in a private view could not change because no tree of the view has it. */
#ifndef VTB_STARTER_REFUSED_H
#define VTB_STARTER_REFUSED_H

#include <stdint.h>
#include <sys/types.h>

/* For who traces `pid`, which is stopped at a system call: bytes of the path that the call could not change, which is
 * put there with its zero and absolute. 0: it has not failed so, or would have without the view, too. */
uint32_t starter_refused_path(pid_t pid, char *to, uint32_t size);

#endif /* VTB_STARTER_REFUSED_H */
