/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file time_up.h
 * The last resort of a command that has promised to end in time: whatever it is about then, it says so and is gone.
 * What can end early by itself looks at the clock and has VTB_TIME_UP_GRACE more for it; see vtb/stop.h.
 *
 * Output:  temporary files are removed (vtb/output.h), so a file is there whole or not at all.
 * Exit:    VTB_EXIT_NOTHING, after one line on stderr.
 * Signals: SIGALRM and ITIMER_REAL are taken.
 * Threads: one thread calls.
 */
#ifndef VTB_TIME_UP_H
#define VTB_TIME_UP_H

#define VTB_TIME_UP_GRACE 1.5 /* seconds */

/** End this process `seconds` and the grace from now. `what` is lost then: "nothing was written". Both static. */
void vtb_time_up_begin(double seconds, const char *command, const char *what);
/** What is being done from now on: "the trace was being read". Static. */
void vtb_time_up_doing(const char *what);
/** All is done: no more of it. */
void vtb_time_up_end(void);

#endif /* VTB_TIME_UP_H */
