/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_recorder.h
 * The events of Intel PT on all processors, their buffers, and the thread that empties them into a file while the
 * program runs.
 *
 * Two modes: everything, as long as the buffers are emptied in time (the kernel says where it was not: those stretches
 * become losses), or a snapshot: each processor's buffer is a ring, and what is in it when the recording ends, and
 * whenever asked for, is kept. Ownership: a recorder owns its descriptors, mappings and file. Threads:   one, and one
 * of its own between pt_recorder_start() and _finish().
 */
#ifndef VTB_PT_RECORDER_H
#define VTB_PT_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "pt_event.h"

/** What the kernel does; tests put something else here. */
struct pt_sys {
	int (*open_event)(struct perf_event_attr *attr, pid_t pid, int cpu, int group); /* descriptor or -1 and errno */
	void *(*map)(size_t size, int prot, int fd, off_t offset);                      /* MAP_FAILED and errno */
	int (*unmap)(void *at, size_t size);
	int (*control)(int fd, unsigned long request, void *arg); /* ioctl */
	int (*close)(int fd);
	long (*cpus)(void);
};
extern const struct pt_sys pt_sys_kernel;

struct pt_recorder;

/** Open everything; the events start with the next exec of this thread or its children. */
int pt_recorder_new(const struct pt_sys *sys, const struct pt_driver *driver, bool snapshot, struct pt_recorder **ret,
                    struct vtb_error *err);
void pt_recorder_free(struct pt_recorder *rec);
/** Begin the file. */
int pt_recorder_file(struct pt_recorder *rec, const char *path, struct vtb_error *err);
/** From now on a thread empties the buffers. */
int pt_recorder_start(struct pt_recorder *rec, struct vtb_error *err);
/** Snapshot mode, after _start(): write what the rings hold now to DIR/dump-N.data, a perf.data file of its own, N
 * from 1. The events are off meanwhile. Returns N, -EINVAL in the other mode, or what went wrong with the file; the
 * recording goes on in any case. */
int pt_recorder_dump(struct pt_recorder *rec, const char *dir);
/** Stop the events, take what is left, close the file. Returns the bytes of trace, or an error. */
int64_t pt_recorder_finish(struct pt_recorder *rec);

/** Can PT events be opened and buffers be had? */
int pt_recorder_try(const struct pt_sys *sys, const struct pt_driver *driver, struct vtb_error *err);

#endif /* VTB_PT_RECORDER_H */
