/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory on a disk for what runs write (--scratch=DIR), with a room for each server of runs:
 *
 *     DIR/vtb-scratch-PID-XXXXXX/0, 1, ...
 *
 * A guard, a process that does nothing else, removes it when this process ends, whatever ends it and its group. If the
 * guard is killed, too, the next scratch in DIR removes what they left: the directory is locked as long as its maker
 * lives.
 */
#ifndef VTB_SCRATCH_H
#define VTB_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"

#define VTB_SCRATCH_NUMBER_MAX 16u /* rooms' names differ by this at most in length */

struct vtb_scratch;

/* -EINVAL, -EPERM, errno and a sentence if `dir` cannot be used: it is not there, not ours to write in, or others could
 * put something else in its place. */
int vtb_scratch_new(const char *dir, struct vtb_scratch **ret, struct vtb_error *err);
/* Remove it with all that is in it. NULL is accepted. */
void vtb_scratch_free(struct vtb_scratch *s);

/* A new room, of which the path is put in `path`. Errno. */
int vtb_scratch_add_room(struct vtb_scratch *s, char *path, size_t size);
/* Remove what is in it. */
void vtb_scratch_empty_room(const char *path);

/* Does what lies in the room take more than so many bytes, or is next to nothing left of the disk? */
bool vtb_scratch_is_full(const char *room, uint64_t limit);

#endif /* VTB_SCRATCH_H */
