/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_record_hw.h
 * Does this machine let us record Intel PT, and if not, what exactly is missing?
 */
#ifndef VTB_PT_RECORD_HW_H
#define VTB_PT_RECORD_HW_H

#include "vtb/error.h"

/** 0, or -VTB_E_UNSUPPORTED with one sentence: the processor or the virtual machine, the kernel's driver, permission,
 * another user of PT, or the locked-memory limit; with what to do about it. Opens and closes a perf event on this
 * process. */
int vtb_pt_available(struct vtb_error *err);

#endif /* VTB_PT_RECORD_HW_H */
