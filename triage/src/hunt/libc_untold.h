/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file libc_untold.h
 * Functions of the C library that a program calls and of which nobody tells what they do: neither does the runtime
 * stand in for them, nor is it known that they touch nothing which threads share but through system calls, which are
 * seen. Likewise, by the names of their classes, what of libstdc++.so divides memory without a lock.
 *
 * Ownership: the list owns its names; `= {0}` is valid. Errors: -ENOMEM; files that cannot be read say nothing.
 */
#ifndef VTB_LIBC_UNTOLD_H
#define VTB_LIBC_UNTOLD_H

#include <stddef.h>

#include "vtb/symtab.h"

struct libc_untold {
	char **names; /* sorted, each once */
	size_t n_names, cap_names;
};

/** Add those of the file `path`. `tab` says where the C library and the runtime lie. */
int libc_untold_add(struct libc_untold *l, const struct vtb_symtab *tab, const char *path);
void libc_untold_fini(struct libc_untold *l);

#endif /* VTB_LIBC_UNTOLD_H */
