/* SPDX-License-Identifier: BSD-2-Clause */
/** @file named.h Which file a system call is about, by the last column of syscalls.def. */
#ifndef VTB_RT_NAMED_H
#define VTB_RT_NAMED_H

#include "syscalls.h"

/** A directory and a name in it. */
struct vtb_named {
	int dir;          /* AT_FDCWD: of a path that says it all, or from where the process is */
	const char *name; /* the program's, which may lead nowhere; NULL: what `dir` stands for */
};
/** What it makes, opens or changes; of two, the new name. */
struct vtb_named vtb_named(const struct vtb_syscall *row, const greg_t *g);
/** Of PLACE_TWO and PLACE_TWO_AT, what was there before. */
struct vtb_named vtb_named_source(const struct vtb_syscall *row, const greg_t *g);
/** Is it what a symbolic link of this name leads to? */
bool vtb_named_follows(const struct vtb_syscall *row);
#endif /* VTB_RT_NAMED_H */
