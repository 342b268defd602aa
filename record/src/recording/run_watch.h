/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watching a program run: its end, its time limit, signals for it, progress. */
#ifndef VTB_WATCH_H
#define VTB_WATCH_H

#include "backend.h"

/** Block the signals that concern us, adopt orphans. */
void vtb_watch_begin(void);
/** Restore the signal mask; a signal that came too late for any program is dropped. */
void vtb_watch_end(void);
/** Wait until the program of `run` ends: fills status, exit_code, signal and seconds of *res. */
void vtb_watch(struct vtb_run *run, const struct vtb_backend *backend, struct vtb_record_result *res);

#endif /* VTB_WATCH_H */
