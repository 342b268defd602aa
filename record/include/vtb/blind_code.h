/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file blind_code.h
 * Functions of a program with hooks (tier tsan) that touch its variables where no hook tells it: inline assembler, the
 * read that is part of writing a bit-field, a copy that the compiler has written out, code compiled without the hooks.
 *
 * Judged are accesses to named places in writable sections, by the address in the instruction; what goes through a
 * pointer is not. An address that the function passes to any call counts as told, with 4096 bytes behind it. So a
 * function that is named does have such an access; one that is not named may have one through a pointer. Ownership: the
 * list and its strings are the caller's.
 */
#ifndef VTB_BLIND_CODE_H
#define VTB_BLIND_CODE_H

#include <stdbool.h>

#include "vtb/error.h"
#include "vtb/stop.h"

/** Names of these functions, sorted, NULL-terminated; empty without symbols or hooks. `only_writes`: this compiler
 * leaves out reads that a write of the same place follows (clang). O(instructions). 0, -ENOMEM, -VTB_E_TOOL, -ETIME
 * when `stop` (may be NULL) was due before all were looked at, or the error of reading it. */
int vtb_blind_code_find(const char *path, bool only_writes, struct vtb_stop *stop, char ***ret, struct vtb_error *err);

#endif /* VTB_BLIND_CODE_H */
