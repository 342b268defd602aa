/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fs_guard.h
 * The base of thread-local storage (fs), where the processor lets programs set it and the kernel does not know that.
 *
 *     AT_HWCAP2 names FSGSBASE    wrfsbase: the kernel keeps what it sets
 *     it does not, but the        wrfsbase, guarded: whenever the kernel thread gets a processor again, the kernel
 *     instruction works           puts back the base that it knows. A perf event counts that, and its signal comes
 *                                 before the thread goes on: the handler sets the base once more
 *     neither                     arch_prctl: a system call for each switch
 *
 * So it is in virtual machines of the kind PVM, whose processor has the instruction and whose kernel is told that it
 * has not: 3.7 us for arch_prctl.
 *
 * The guard is of one kernel thread and one process: it is not handed down by fork, and ends with exec. The kernel
 * hands down the base that it knows, so it has to be told before a process is made.
 */
#ifndef VTB_RT_FS_GUARD_H
#define VTB_RT_FS_GUARD_H

#include <stdbool.h>
#include <stdint.h>

/** Guard the calling kernel thread from now on. The first time it is tried out whether that works here, which takes
 * 0.3 ms. False: it does not (an older kernel, perf events that are not allowed, a debugger that would stop at each
 * signal, breakpoints of the tool's own, which have the same signal). */
bool vtb_fs_guard_begin(void);
/** No more: nothing is guarded, the event is gone, the kernel knows what the base is. */
void vtb_fs_guard_end(void);
/** The same for good: it cannot begin in this process any more. */
void vtb_fs_guard_forbid(void);
/** Has it been tried, and worked? */
bool vtb_fs_guard_works(void);
bool vtb_fs_guard_is_on(void);
/** What it is from the next wrfsbase on. Call it right before. */
void vtb_fs_guard_expect(uint64_t base);
/** Has the kernel thread the base that was last expected? If not, the guard has failed. */
bool vtb_fs_guard_holds(void);
/** Make the kernel know what the base is. Nothing is done if none is guarded. */
void vtb_fs_guard_tell_kernel(void);

#endif /* VTB_RT_FS_GUARD_H */
