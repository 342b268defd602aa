/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file files.h
 * What a run changes in the file system is put back after it, so that the next one meets the same files (decision 78). files.c
 * notes each change before or after the call that makes it; files_undo.c goes through the notes from the last to the first.
 *
 * Ownership: one log, in memory shared by the process that forks runs and the runs; a run may die at any point.
 * Limits:    FILE_NOTES_MAX changes, FILE_TEXT_MAX bytes of names, FILE_DATA_MAX bytes of files as they were. What does not fit, or cannot be
 *            put back, sets VTB_UNC_FILES.
 */
#ifndef VTB_RT_FILES_H
#define VTB_RT_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <ucontext.h>

#define FILE_NOTES_MAX 8192u
#define FILE_TEXT_MAX (1u << 20)
#define FILE_DATA_MAX (256ull << 20)

enum vtb_file_change {
	FILE_CREATED,   /* path: was not there */
	FILE_DIRECTORY, /* path: likewise, by mkdir */
	FILE_CHANGED,   /* path: a regular file; data[at, at + size) is what it held */
	FILE_GROWN,     /* path: a regular file of `size` bytes, opened to append: what was there stays */
	FILE_UNLINKED,  /* path: a symbolic link to `other`, a pipe or a socket (mode) */
	FILE_EMPTIED,   /* path: a directory of this mode was removed */
	FILE_MOVED,     /* path became other */
	FILE_SWAPPED,   /* path and other have changed places */
	FILE_MODE,      /* path had this mode */
	FILE_QUEUE,     /* path: a POSIX message queue of this name was made */
	FILE_IPC,       /* made by the call numbered `mode`, with this id in `at` */
};

struct vtb_file_note {
	uint32_t what, mode, owner, group;
	uint32_t path, other; /* in text */
	uint64_t at, size;
	struct timespec times[2]; /* of FILE_CHANGED: last access, last change */
	struct timespec changed;  /* its status, as the kernel says when the note is made */
};

struct vtb_files {
	uint32_t n, text_used;
	uint64_t data_used;
	int data; /* a memory file */
	struct vtb_file_note notes[FILE_NOTES_MAX];
	char text[FILE_TEXT_MAX];
};
extern struct vtb_files *vtb_files;

static inline const char *vtb_files_text(uint32_t at)
{
	return vtb_files->text + at;
}

/** Before the first run: changes are noted from now on. */
void vtb_files_begin(void);
/** The program is about to make this call, and has made it: `result`. Nothing else of the program happens in between. */
void vtb_files_before(const greg_t *g);
void vtb_files_after(long result);
/** The process of the run is about to end: in engine exec nobody outlives it. */
void vtb_files_end(void);
/** Put back all that was noted, newest first. In any process that has the log. False: some file could not be written as it was. */
bool vtb_files_undo(void);

#endif /* VTB_RT_FILES_H */
