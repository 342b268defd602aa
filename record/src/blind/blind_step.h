/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file blind_step.h  What one instruction makes of what is known. */
#ifndef VTB_BLIND_STEP_H
#define VTB_BLIND_STEP_H

#include "function.h"

/** What f->now holds behind the instruction. 0 or -ENOMEM. */
int blind_step(struct blind_function *f, const struct blind_insn *in);
/** Where an access of the instruction goes; false: to the thread's own storage, or to no place that is an operand. */
bool blind_address(struct blind_function *f, const struct vtb_ops *ops, const struct vtb_ops_access *access,
                   struct blind_value *ret);

#endif /* VTB_BLIND_STEP_H */
