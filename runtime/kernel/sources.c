/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of what wakes threads besides operations. Who has the other process go on comes before who waits by the
 * clock. */
#include "follow.h"
#include "signals.h"
#include "scheduler.h"
#include "syscalls.h"

static const struct vtb_source followed = {
	.name = "followed child",
	.before_time = vtb_follow_other,
	.at_last = vtb_follow_dead_end,
	.ends = vtb_follow_ends,
};
static const struct vtb_source descriptors = {
	.name = "descriptors",
	.before_time = vtb_syscall_patience,
	.at_last = vtb_syscall_outside,
	.outside = vtb_io_from_outside,
	.ends = vtb_closed_ends,
};
static const struct vtb_source shared_memory = { .name = "shared memory", .at_last = vtb_shared_memory_waits };
static const struct vtb_source timers = { .name = "timers", .next = vtb_timers_next, .fire = vtb_timers_fire };
static const struct vtb_source signals = {
	.name = "signals",
	.tell = vtb_signals_tell,
	.born = vtb_signals_inherit,
	.gone = vtb_signals_changed,
	.early = vtb_signals_early,
	.handle = vtb_signals_handle,
};
static const struct vtb_source processors = { .name = "processors", .born = vtb_affinity_inherit };
static const struct vtb_source names = { .name = "thread names", .born = vtb_thread_names_inherit };
const struct vtb_source *const vtb_kernel_sources[] = { &followed, &descriptors, &shared_memory, &timers,
	                                                &signals,  &processors,  &names,         NULL };
