/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_files.h
 * The files that the code of a perf.data lies in. Packets say only which way branches went, so another build than the
 * recorded one would decode to nonsense.
 */
#ifndef DECODE_PT_FILES_H
#define DECODE_PT_FILES_H

#include "perf_data.h"
#include "vtb/pt_session.h"

#define PT_PATH_SIZE 4096u

/** Look for what was mapped as `path`: below symfs (or NULL) by its whole path, then by its name, then where it was.
 * The first that is a program of this machine and the recorded build (NULL: not known). NULL: there is none. `buf` has
 * PT_PATH_SIZE bytes. */
const char *pt_files_find(const char *path, const struct vtb_perf_build *build, const char *symfs, char *buf);
/** Remember that the file of this mapping is not at hand. 0 or -ENOMEM. */
int pt_files_miss(struct vtb_pt_session *session, const struct vtb_perf_mmap *map, const struct vtb_perf_build *build);
void pt_files_fini(struct vtb_pt_session *session);

#endif /* DECODE_PT_FILES_H */
