/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file machine_deadlock.h
 * Why nobody can go on: a circle of lock owners, a lost wake-up, or waiting for what will not come.
 */
#ifndef VTB_DEADLOCK_H
#define VTB_DEADLOCK_H

#include "machine.h"

/** Fill m->outcome for a machine of which no live thread is enabled. 0 or -ENOMEM. */
int vtb_deadlock_classify(struct vtb_machine *m);

#endif /* VTB_DEADLOCK_H */
