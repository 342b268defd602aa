/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that make, change and move files and the kernel's objects: what is noted before each, and after it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stddef.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "created.h"
#include "created_private.h"
#include "named.h"
#include "base.h"
#include "view.h"

static struct vtb_created_note pending; /* of the call under way; one of the log if it succeeds */
static uint32_t text_before;
static char first[CREATED_PATH], second[CREATED_PATH]; /* names in the call under way: a thread's stack may be small */

/* A change of something that is there. */
static void changes(const char *path, int flags)
{
	struct stat st;

	if (vtb_created_look(path, &st, flags) && !vtb_created_here(&st))
		vtb_created_stays();
}

/* A name in the file system, as descriptors have it: nothing on the way to it is a link, or a dot. */
static bool name_it(struct vtb_named file, char *to)
{
	static char real[CREATED_PATH];
	size_t n, used;
	char *last;

	if (!vtb_view_resolve(file.dir, file.name, to))
		return false;
	for (n = strlen(to); n > 1 && to[n - 1] == '/';)
		to[--n] = 0;
	last = strrchr(to, '/') + 1;
	n = strlen(last);
	if (!strcmp(last, ".") || !strcmp(last, "..") || !vtb_view_name(AT_FDCWD, to, real))
		return true;
	used = strlen(real) - 1; /* there it says "x" */
	if (used + n >= CREATED_PATH)
		return true;
	memmove(to + used, last, n + 1);
	memcpy(to, real, used);
	return true;
}

static void about_to_make(struct vtb_named file, enum vtb_created_what what)
{
	struct stat st;

	if (!name_it(file, first)) {
		pending.what = CREATED_NAMELESS;
		return;
	}
	if (vtb_created_look(first, &st, AT_SYMLINK_NOFOLLOW))
		return;
	pending.what = what;
	pending.path = vtb_created_text(first);
}

/* A number that stands for a file of the run's that is gone may stand for the new one: it is noted in any case. */
static void has_made(int fd, const struct stat *st)
{
	const bool named = !(pending.ino & O_TMPFILE & ~(uint64_t)O_DIRECTORY);
	const uint32_t path = named && vtb_view_descriptor(fd, first) ? vtb_created_text(first) : 0;

	if (named && !path)
		vtb_created_stays();
	vtb_created_note(
	    &(struct vtb_created_note){ .what = CREATED_MADE, .path = path, .dev = st->st_dev, .ino = st->st_ino });
}

/* What it has opened is looked at afterwards: names like /dev/fd/3 say nothing. `path` is 1 if the call makes it. */
static void about_to_open(struct vtb_named file, long flags)
{
	if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC)))
		return;
	pending.what = CREATED_OPENED;
	pending.path = (flags & O_TMPFILE) == O_TMPFILE ||
	               ((flags & O_CREAT) && sys6(SYS_faccessat, file.dir, (long)file.name, 0, 0, 0, 0) == -ENOENT);
	pending.ino = (uint64_t)flags;
}

static void has_opened(int fd)
{
	const bool makes = pending.path;
	struct stat st;

	if (sys3(SYS_fstat, fd, (long)&st, 0) < 0 || !S_ISREG(st.st_mode))
		return;
	if (makes)
		has_made(fd, &st);
	else if ((!(pending.ino & O_CREAT) || !(pending.ino & O_EXCL)) && !vtb_created_here(&st))
		vtb_created_stays();
}

static void about_to_change_open(int fd)
{
	struct stat st;

	if (sys3(SYS_fstat, fd, (long)&st, 0) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) &&
	    !vtb_created_here(&st))
		vtb_created_stays();
}

static void about_to_change(struct vtb_named file, bool follows)
{
	if (!file.name)
		about_to_change_open(file.dir);
	else if (vtb_view_resolve(file.dir, file.name, first))
		changes(first, follows ? 0 : AT_SYMLINK_NOFOLLOW);
}

/* What the run made keeps being its own under the new name, also where something of its own was before. */
static void about_to_move(struct vtb_named from, struct vtb_named to, bool swaps)
{
	struct stat st, old;
	bool own;

	if (!name_it(from, second) || !vtb_created_look(second, &st, AT_SYMLINK_NOFOLLOW))
		return;
	own = vtb_created_here(&st);
	if (!own)
		vtb_created_stays();
	if (!name_it(to, first))
		return;
	if (vtb_created_look(first, &old, AT_SYMLINK_NOFOLLOW)) {
		if (!vtb_created_here(&old))
			vtb_created_stays();
		own &= vtb_created_here(&old) && (old.st_dev != st.st_dev || old.st_ino != st.st_ino);
	}
	if (!own) /* or nothing is moved: it is one file */
		return;
	pending.what = swaps ? CREATED_SWAPPED : CREATED_MOVED;
	pending.path = vtb_created_text(first);
	pending.dev = vtb_created_text(second);
}

static void about_to_bind(const struct sockaddr_un *address, long size)
{
	char name[sizeof(address->sun_path) + 1];
	const long n = size - (long)offsetof(struct sockaddr_un, sun_path);

	if (n <= 0 || n > (long)sizeof(address->sun_path) || address->sun_family != AF_UNIX || !address->sun_path[0])
		return;
	memcpy(name, address->sun_path, (size_t)n);
	name[n] = 0;
	about_to_make((struct vtb_named){ AT_FDCWD, name }, CREATED_MADE);
}

static void about_to_open_queue(const char *name, long flags)
{
	long fd;

	if (!(flags & O_CREAT))
		return;
	fd = sys6(SYS_mq_open, (long)name, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
	if (fd >= 0)
		sys3(SYS_close, fd, 0, 0);
	if (fd != -ENOENT)
		return;
	pending.what = CREATED_QUEUE;
	pending.path = vtb_created_text(name);
}

/* semget, msgget, shmget: new if nothing has this key. */
static void about_to_get(const greg_t *g)
{
	const long nr = g[REG_RAX];

	if (g[REG_RDI] != IPC_PRIVATE && sys3(nr, g[REG_RDI], 0, 0) != -ENOENT)
		return;
	pending.what = CREATED_IPC;
	pending.dev = (uint64_t)nr;
}

/* ---- calls */

static void before_object(const struct vtb_syscall *row, const greg_t *g)
{
	if (row->deed == DEED_QUEUE)
		about_to_open_queue((const char *)g[REG_RDI], g[REG_RSI]);
	else if (row->deed == DEED_IPC)
		about_to_get(g);
}

static void before_new_name(const struct vtb_syscall *row, const greg_t *g)
{
	if (row->place == PLACE_ADDRESS)
		about_to_bind((const struct sockaddr_un *)g[REG_RSI], g[REG_RDX]);
	else
		about_to_make(vtb_named(row, g), row->deed == DEED_LINK ? CREATED_NAMED : CREATED_MADE);
}

static void before_file(const struct vtb_syscall *row, const greg_t *g)
{
	switch (row->deed) {
	case DEED_OPEN:
	case DEED_OPEN_HOW:
	case DEED_CREATE:
		about_to_open(vtb_named(row, g), vtb_named_flags(row, g));
		break;
	case DEED_CHANGE:
	case DEED_RESIZE:
		about_to_change(vtb_named(row, g), vtb_named_follows(row));
		break;
	case DEED_MOVE:
	case DEED_MOVE_FLAGS:
		about_to_move(vtb_named_source(row, g), vtb_named(row, g),
		              row->deed == DEED_MOVE_FLAGS && g[REG_R8] & RENAME_EXCHANGE);
		break;
	case DEED_MAKE:
	case DEED_LINK:
		before_new_name(row, g);
		break;
	default:
		before_object(row, g);
		break;
	}
}

void vtb_created_unseen(void)
{
	if (vtb_created && !vtb_view_is_private())
		vtb_created_stays();
}

void vtb_created_before(const greg_t *g)
{
	const struct vtb_syscall *row = vtb_syscall_row(g[REG_RAX]);

	pending.what = CREATED_NOTHING;
	if (VTB_LIKELY(!vtb_created))
		return;
	text_before = vtb_created->text_used;
	if (vtb_view_is_private())
		before_object(row, g);
	else if (g[REG_RAX] == SYS_chroot) /* no name is what it was */
		vtb_created_stays();
	else
		before_file(row, g);
}

static void swapped(const char *a, const char *b)
{
	static const char aside[] = "aside"; /* other names begin with a slash */

	vtb_created_rename(a, aside);
	vtb_created_rename(b, a);
	vtb_created_rename(aside, b);
}

void vtb_created_after(long result)
{
	struct stat st;

	if (VTB_LIKELY(pending.what == CREATED_NOTHING))
		return;
	if (result < 0 && result > -4096) {
		vtb_created->text_used = text_before;
	} else if (pending.what == CREATED_NAMELESS) {
		vtb_created_stays();
	} else if (pending.what == CREATED_OPENED) {
		has_opened((int)result);
	} else if (pending.what == CREATED_IPC) {
		pending.ino = (uint64_t)result;
		vtb_created_note(&pending);
	} else if (pending.what == CREATED_QUEUE) {
		vtb_created_note(&pending);
	} else if (pending.what == CREATED_MOVED) {
		vtb_created_rename(vtb_created->text + pending.dev, vtb_created->text + pending.path);
	} else if (pending.what == CREATED_SWAPPED) {
		swapped(vtb_created->text + pending.dev, vtb_created->text + pending.path);
	} else if (vtb_created_look(vtb_created->text + pending.path, &st, AT_SYMLINK_NOFOLLOW)) {
		pending.dev = st.st_dev;
		pending.ino = st.st_ino;
		vtb_created_note(&pending);
	}
	pending = (struct vtb_created_note){ 0 };
}
