/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file recover_access.h
 * What an instruction accesses, for the sink. Of a variable on a thread's stack that another thread reaches (captured
 * by reference, handed to a child): whose stack it is, in which call it lies; the owner's own accesses to it count,
 * too.
 *
 * Which words others reach is learnt in the passes before the last, as the owner's accesses may come first.
 */
#ifndef DECODE_RECOVER_ACCESS_H
#define DECODE_RECOVER_ACCESS_H

#include "recover_thread.h"

/** The thread is about to execute `insn`. 0, -ENOMEM, or the sink's. */
int recover_accesses(struct recover_thread *t, const struct vtb_ops *ops, const struct vtb_pt_insn *insn);

#endif /* DECODE_RECOVER_ACCESS_H */
