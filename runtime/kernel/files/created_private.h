/* SPDX-License-Identifier: BSD-2-Clause */
/* Between created.c, which has the log, and created_calls.c, which says what each call means for it. */
#ifndef VTB_RT_CREATED_PRIVATE_H
#define VTB_RT_CREATED_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define CREATED_MAX 8192u
#define CREATED_TEXT_MAX (1u << 20)
#define CREATED_PATH 4096

enum vtb_created_what {
	CREATED_NOTHING,
	CREATED_MADE,  /* path: a file, directory, symbolic link, pipe or socket; empty: a file without a name yet */
	CREATED_NAMED, /* path: another name of a file that was there, or may have been */
	CREATED_QUEUE, /* path: a POSIX message queue */
	CREATED_IPC,   /* made by the call numbered `dev`, with this id in `ino` */
	/* of a call under way only */
	CREATED_NAMELESS, /* it makes something whose name is not known */
	CREATED_OPENED,   /* it opens a file with the flags in `ino`, and makes it if `path` is not 0 */
	CREATED_MOVED,    /* what is the run's and was called `dev` (in text) becomes path */
	CREATED_SWAPPED,  /* likewise, and the other way round */
};

struct vtb_created_note {
	uint32_t what, path; /* in text */
	uint64_t dev, ino;
};

struct vtb_created {
	uint32_t n, text_used;
	struct vtb_created_note notes[CREATED_MAX];
	char text[CREATED_TEXT_MAX];
};
extern struct vtb_created *vtb_created; /* NULL: nothing is noted */

/* Files that were there before may have been changed, or something made stays. */
void vtb_created_stays(void);
/* Offset of a copy; 0, the empty name, which nothing has, if there is no room. */
uint32_t vtb_created_text(const char *text);
void vtb_created_note(const struct vtb_created_note *n);
/* A directory of the run's takes names with it. Notes stay in their order: what is in a directory is removed before it.
 */
void vtb_created_rename(const char *from, const char *to);
bool vtb_created_look(const char *path, struct stat *st, int flags);
bool vtb_created_here(const struct stat *st);
/* A second log, for what child processes make; the server writes to it while the run writes to its own. */
bool vtb_created_for_children(void);
void vtb_created_as_children(bool yes);

#endif /* VTB_RT_CREATED_PRIVATE_H */
