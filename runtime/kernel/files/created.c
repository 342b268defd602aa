/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that runs make, with what stood there then: device and inode. Only if the same is still there after the run,
 * and was made by it or has another name, the name is removed: what a run has moved or linked there from elsewhere is
 * somebody's.
 */
#include "created_private.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/syscall.h>

#include "created.h"
#include "base.h"
#include "view.h"

#define DESCRIPTORS 1024

struct vtb_created *vtb_created;
static struct vtb_created *children; /* what child processes have made; written by the server alone; NULL: not seen */
static bool for_children;            /* this process notes for them */

/* ---- the log */

void vtb_created_stays(void)
{
	vtb_rt_uncontrolled(VTB_UNC_FILES);
}

static struct vtb_created *log_of_this(void)
{
	return for_children ? children : vtb_created;
}

uint32_t vtb_created_text(const char *text)
{
	struct vtb_created *log = log_of_this();
	const size_t n = strlen(text) + 1;
	const uint32_t at = log->text_used;

	if (n > CREATED_TEXT_MAX - at) {
		vtb_created_stays();
		return 0; /* the empty name: nothing has it */
	}
	memcpy(log->text + at, text, n);
	log->text_used += (uint32_t)n;
	return at;
}

void vtb_created_note(const struct vtb_created_note *n)
{
	struct vtb_created *log = log_of_this();

	if (log->n == CREATED_MAX) {
		vtb_created_stays();
		return;
	}
	log->notes[log->n] = *n;
	__atomic_store_n(&log->n, log->n + 1, __ATOMIC_RELEASE); /* last: the run may be killed between the two */
}

bool vtb_created_for_children(void)
{
	children = vtb_shared_pages(sizeof(*children));
	if (children)
		children->text_used = 1;
	return children;
}

void vtb_created_as_children(bool yes)
{
	for_children = yes;
}

/* ---- names */

bool vtb_created_look(const char *path, struct stat *st, int flags)
{
	return sys6(SYS_newfstatat, AT_FDCWD, (long)path, (long)st, flags, 0, 0) == 0;
}

static bool is_in(const struct vtb_created *log, const struct stat *st)
{
	for (uint32_t i = __atomic_load_n(&log->n, __ATOMIC_ACQUIRE); i-- > 0;)
		if (log->notes[i].what == CREATED_MADE && log->notes[i].dev == st->st_dev &&
		    log->notes[i].ino == st->st_ino)
			return true;
	return false;
}

bool vtb_created_here(const struct stat *st)
{
	return is_in(vtb_created, st) || (children && is_in(children, st));
}

static bool is_at_or_below(const struct vtb_created *log, const struct vtb_created_note *note, const char *path,
                           size_t n)
{
	const char *its = log->text + note->path;

	return (note->what == CREATED_MADE || note->what == CREATED_NAMED) && !strncmp(its, path, n) &&
	       (!its[n] || its[n] == '/');
}

void vtb_created_rename(const char *from, const char *to)
{
	static char whole[CREATED_PATH]; /* a thread's stack may be small */
	const size_t n = strlen(from), m = strlen(to);

	for (uint32_t i = 0; i < vtb_created->n; i++) {
		const char *path = vtb_created->text + vtb_created->notes[i].path;
		size_t rest;

		if (!is_at_or_below(vtb_created, &vtb_created->notes[i], from, n))
			continue;
		rest = strlen(path + n);
		if (m + rest >= CREATED_PATH)
			continue;
		memcpy(whole, to, m);
		memcpy(whole + m, path + n, rest + 1);
		vtb_created->notes[i].path = vtb_created_text(whole);
	}
	for (uint32_t i = 0; children && i < children->n; i++)
		if (is_at_or_below(children, &children->notes[i], from, n))
			vtb_created_stays(); /* the other process's log is not ours to change */
}

/* ---- removing them */

static void remove_name(const struct vtb_created *log, const struct vtb_created_note *n)
{
	const char *path = log->text + n->path;
	struct stat st;

	if (!vtb_created_look(path, &st, AT_SYMLINK_NOFOLLOW) || st.st_dev != n->dev || st.st_ino != n->ino)
		return;
	if (S_ISDIR(st.st_mode))
		sys3(SYS_rmdir, (long)path, 0, 0);
	else if (vtb_created_here(&st) || st.st_nlink > 1)
		sys3(SYS_unlink, (long)path, 0, 0);
}

static void remove_ipc(const struct vtb_created_note *n)
{
	const long control = n->dev == SYS_semget ? SYS_semctl : n->dev == SYS_msgget ? SYS_msgctl : SYS_shmctl;

	if (control == SYS_semctl)
		sys6(control, (long)n->ino, 0, IPC_RMID, 0, 0, 0);
	else
		sys3(control, (long)n->ino, IPC_RMID, 0);
}

static void remove_all(const struct vtb_created *log)
{
	for (uint32_t i = log->n; i-- > 0;)
		if (log->notes[i].what == CREATED_IPC)
			remove_ipc(&log->notes[i]);
		else if (log->notes[i].what == CREATED_QUEUE)
			sys3(SYS_mq_unlink, (long)(log->text + log->notes[i].path), 0, 0);
		else
			remove_name(log, &log->notes[i]);
}

static void forget(struct vtb_created *log)
{
	log->n = 0;
	log->text_used = 1;
}

/* Notes stay until all are done: they say which inodes are the run's. */
void vtb_created_remove(void)
{
	const bool theirs = children && children->n;

	if (!vtb_created || (!vtb_created->n && !theirs))
		return;
	remove_all(vtb_created);
	if (theirs) {
		remove_all(children);
		remove_all(vtb_created); /* what a directory of the run's held up to now */
		forget(children);
	}
	forget(vtb_created);
}

void vtb_created_end(void)
{
	if (vtb_rt.block->engine == VTB_ENGINE_EXEC)
		vtb_created_remove();
}

/* A file of somebody else's that the program was given to write to, which it may do without a call that names it. */
static bool was_given(int fd)
{
	static char name[CREATED_PATH];
	const long flags = sys3(SYS_fcntl, fd, F_GETFL, 0);
	struct stat st;

	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && !(flags & O_PATH) &&
	       sys3(SYS_fstat, fd, (long)&st, 0) == 0 && S_ISREG(st.st_mode) && vtb_view_descriptor(fd, name) &&
	       strncmp(name, "/memfd:", 7);
}

void vtb_created_begin(void)
{
	if (vtb_rt.options & VTB_OPT_KEEP_FILES)
		return;
	vtb_created = vtb_shared_pages(sizeof(*vtb_created));
	if (vtb_created)
		vtb_created->text_used = 1; /* 0 is the empty name */
	for (int fd = 0; vtb_created && fd < DESCRIPTORS && !vtb_view_is_private(); fd++)
		if (was_given(fd))
			vtb_created_stays();
}
