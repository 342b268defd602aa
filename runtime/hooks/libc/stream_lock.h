/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file stream_lock.h
 * Streams that a thread has for itself, by flockfile(): operations of others on them wait.
 */
#ifndef VTB_RT_STREAM_LOCK_H
#define VTB_RT_STREAM_LOCK_H

#include <stdio.h>

#include "base.h"

/** An operation on a stream, of a thread under control; it waits as long as another thread has the stream. `object`
 * stands for the stream in records. */
void vtb_stream_op(struct vtb_rt_thread *t, unsigned kind, FILE *stream, const void *object);

#endif /* VTB_RT_STREAM_LOCK_H */
