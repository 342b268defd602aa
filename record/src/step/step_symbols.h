/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file step_symbols.h
 * Addresses of the functions of vtb/pt_functions.def in a mapped file.
 */
#ifndef VTB_STEP_SYMBOLS_H
#define VTB_STEP_SYMBOLS_H

#include "step_files.h"

/** The file `path` has its bytes from `offset` on mapped at `addr`: add a hook for each function that it defines. */
void step_symbols(struct step_files *f, const char *path, uint64_t addr, uint64_t offset);

#endif /* VTB_STEP_SYMBOLS_H */
