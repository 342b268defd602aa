/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory of a recording: it appears under its name in one step, and so does a new recording in place of an old
 * one.
 *
 *     open:     NAME.new-PID is made                     NAME: as before
 *     publish:  NAME.new-PID <-> NAME exchanged          NAME: the new one, NAME.new-PID: the old one, if any
 *     settle:   the old one is removed        or         withdraw: exchanged back, the new one removed
 *
 * Who dies between leaves NAME.new-PID behind; the next open of NAME removes it.
 */
#ifndef VTB_RECORDING_DIR_H
#define VTB_RECORDING_DIR_H

#include <limits.h>
#include <stdbool.h>

#include "vtb/error.h"

struct recording_dir {
	char path[PATH_MAX]; /* final, absolute; "" nothing open */
	char temp[PATH_MAX];
	bool published;
	int lock;      /* on what was made as `temp`; -1: none */
	bool replaced; /* `temp` holds what was at `path` before */
};

/**
 * -EEXIST if something other than a recording or an empty directory is there. Removes NAME.new-PID of processes that
 * have ended, if it is this user's and a recording or empty.
 */
int vtb_recording_dir_open(struct recording_dir *d, const char *name, struct vtb_error *err);
int vtb_recording_dir_publish(struct recording_dir *d, struct vtb_error *err);
/** The old recording goes; the new one stays. */
void vtb_recording_dir_settle(struct recording_dir *d);
/** As if nothing had been opened. After settle: does nothing. */
void vtb_recording_dir_withdraw(struct recording_dir *d);

#endif /* VTB_RECORDING_DIR_H */
