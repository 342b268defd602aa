/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which programs launched here are alive: ending one must not end another. */
#ifndef VTB_CHILDREN_H
#define VTB_CHILDREN_H

#include <sys/types.h>

void vtb_children_add(pid_t pid);

#endif /* VTB_CHILDREN_H */
