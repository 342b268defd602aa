/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The libraries that a program would load, as ld.so would find them, and what they say about hooks and threads. */
#ifndef VTB_TARGET_LIBS_H
#define VTB_TARGET_LIBS_H

#include "vtb/target.h"

#include "target_elf.h"

/** Follow DT_NEEDED from `facts` of the file `path`: fills t->stubs, t->libstdcxx, t->libgomp, t->threads,
 * t->library_starts. Libraries that are not found are skipped. 0 or -ENOMEM. */
int vtb_target_follow_libraries(struct vtb_target *t, const char *path, const struct elf_facts *facts);

#endif /* VTB_TARGET_LIBS_H */
