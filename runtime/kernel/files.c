/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes to the file system, noted where the program makes them: names by their absolute path, files with their content of before. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stddef.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "rt.h"
#include "sys.h"
#include "plain_text.h"

#define PATH_BYTES 4096

struct vtb_files *vtb_files;
static struct vtb_file_note pending; /* of the call under way; made one of the log if it succeeds */
static bool is_pending;
static char first[PATH_BYTES], second[PATH_BYTES], third[PATH_BYTES]; /* names in the call under way: a thread's stack may be small */

static void lost(void)
{
	vtb_rt_uncontrolled(VTB_UNC_FILES);
}

/* ---- the log */

static uint32_t keep_text(const char *text)
{
	const size_t n = strlen(text) + 1;
	const uint32_t at = vtb_files->text_used;

	if (n > FILE_TEXT_MAX - at) {
		lost();
		return 0; /* the empty name: undoing it does nothing */
	}
	memcpy(vtb_files->text + at, text, n);
	vtb_files->text_used += (uint32_t)n;
	return at;
}

static void note(const struct vtb_file_note *n)
{
	if (vtb_files->n == FILE_NOTES_MAX) {
		lost();
		return;
	}
	vtb_files->notes[vtb_files->n] = *n;
	vtb_files->n++; /* last: the run may be killed between the two */
}

static void note_later(const struct vtb_file_note *n)
{
	pending = *n;
	is_pending = true;
}

/* ---- names */

static long link_target(const char *path, char *to)
{
	const long n = sys6(SYS_readlinkat, AT_FDCWD, (long)path, (long)to, PATH_BYTES - 1, 0, 0);

	if (n >= 0)
		to[n] = 0;
	return n;
}

static void descriptor_name(int fd, char *to)
{
	static const char start[] = "/proc/self/fd/";
	char *digit = to + sizeof(start) + 10;

	memcpy(to, start, sizeof(start));
	*--digit = 0;
	do
		*--digit = (char)('0' + fd % 10);
	while ((fd /= 10));
	memmove(to + sizeof(start) - 1, digit, strlen(digit) + 1);
}

/* Where relative names begin. */
static bool directory(int fd, char *to)
{
	char link[64];

	if (fd == AT_FDCWD)
		return sys3(SYS_getcwd, (long)to, PATH_BYTES, 0) > 0;
	if (fd < 0)
		return false;
	descriptor_name(fd, link);
	return link_target(link, to) > 0 && to[0] == '/';
}

/* The kernel's own files are not changed like others, and devices not at all. */
static bool is_ordinary(const char *path)
{
	return strncmp(path, "/proc/", 6) && strncmp(path, "/sys/", 5) && (strncmp(path, "/dev/", 5) || !strncmp(path, "/dev/shm/", 9));
}

/* Absolute. The program's pointer may lead nowhere: the kernel is asked to read it first. */
static bool resolve(int fd, const char *path, char *to)
{
	const long r = sys6(SYS_faccessat, fd, (long)path, 0, 0, 0, 0);
	size_t used, n;

	if (r == -EFAULT || r == -EBADF || r == -ENAMETOOLONG || !path[0])
		return false;
	if (path[0] == '/') {
		used = 0;
	} else {
		if (!directory(fd, to))
			return false;
		used = strlen(to);
		to[used++] = '/';
	}
	n = strlen(path) + 1;
	if (used + n > PATH_BYTES)
		return false;
	memcpy(to + used, path, n);
	return is_ordinary(to);
}

static bool look(const char *path, struct stat *st, int flags)
{
	return sys6(SYS_newfstatat, AT_FDCWD, (long)path, (long)st, flags, 0, 0) == 0;
}

/* ---- files as they were */

/* Was the file of this name made or kept by this run already, under this name? Or, if that will do, noted as one that grows? */
static bool is_covered(const char *path, bool growth)
{
	for (uint32_t i = vtb_files->n; i-- > 0;) {
		const struct vtb_file_note *n = &vtb_files->notes[i];

		if ((n->what == FILE_MOVED || n->what == FILE_SWAPPED) && (!strcmp(vtb_files_text(n->other), path) || !strcmp(vtb_files_text(n->path), path)))
			return false;
		if ((n->what == FILE_CREATED || n->what == FILE_CHANGED || (growth && n->what == FILE_GROWN)) && !strcmp(vtb_files_text(n->path), path))
			return true;
	}
	return false;
}

static bool copy_data(const char *path, uint64_t size)
{
	const long fd = sys6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0, 0, 0);
	uint64_t done = 0;
	long n = 1;

	if (fd < 0)
		return false;
	sys3(SYS_lseek, vtb_files->data, (long)vtb_files->data_used, SEEK_SET);
	while (done < size && n > 0) {
		n = sys6(SYS_sendfile, vtb_files->data, fd, 0, (long)(size - done), 0, 0);
		done += n > 0 ? (uint64_t)n : 0;
	}
	sys3(SYS_close, fd, 0, 0);
	return done == size;
}

static void keep_file(const char *path, const struct stat *st)
{
	struct vtb_file_note n = {.what = FILE_CHANGED, .mode = st->st_mode, .owner = st->st_uid, .group = st->st_gid, .at = vtb_files->data_used, .size = (uint64_t)st->st_size, .times = {st->st_atim, st->st_mtim}, .changed = st->st_ctim};

	if (is_covered(path, false))
		return;
	if (n.size > FILE_DATA_MAX - n.at || !copy_data(path, n.size)) {
		lost();
		return;
	}
	vtb_files->data_used += n.size;
	n.path = keep_text(path);
	note(&n);
}

static void keep_size(const char *path, const struct stat *st)
{
	if (!is_covered(path, true))
		note(&(struct vtb_file_note){.what = FILE_GROWN, .size = (uint64_t)st->st_size, .path = keep_text(path)});
}

/* The name is about to stand for something else, or for nothing. */
static void keep_what_is_there(const char *path, const struct stat *st)
{
	struct vtb_file_note n = {.mode = st->st_mode};

	if (S_ISREG(st->st_mode)) {
		keep_file(path, st);
		return;
	}
	if (is_covered(path, false))
		return;
	n.what = S_ISDIR(st->st_mode) ? FILE_EMPTIED : FILE_UNLINKED;
	n.path = keep_text(path);
	if (S_ISLNK(st->st_mode))
		n.other = link_target(path, third) < 0 ? 0 : keep_text(third);
	note(&n);
}

/* ---- calls */

static void about_to_open(int fd, const char *name, long flags)
{
	const char *path = first;
	struct stat st;

	if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC)))
		return;
	if ((flags & O_TMPFILE) == O_TMPFILE || !resolve(fd, name, first))
		return;
	if (look(path, &st, 0)) {
		if (!S_ISREG(st.st_mode) || ((flags & O_CREAT) && (flags & O_EXCL)))
			return;
		if (flags & O_APPEND && !(flags & O_TRUNC))
			keep_size(path, &st);
		else
			keep_file(path, &st);
	} else if (look(path, &st, AT_SYMLINK_NOFOLLOW)) {
		lost(); /* a symbolic link to a file that will be made */
	} else if (flags & O_CREAT) {
		note_later(&(struct vtb_file_note){.what = FILE_CREATED, .path = keep_text(path)});
	}
}

static void about_to_make(int fd, const char *name, enum vtb_file_change what)
{
	const char *path = first;

	if (resolve(fd, name, first))
		note_later(&(struct vtb_file_note){.what = what, .path = keep_text(path)});
}

static void about_to_remove(int fd, const char *name, bool is_directory)
{
	const char *path = first;
	struct stat st;

	if (!resolve(fd, name, first) || !look(path, &st, AT_SYMLINK_NOFOLLOW) || S_ISDIR(st.st_mode) != is_directory)
		return;
	if (is_directory)
		note_later(&(struct vtb_file_note){.what = FILE_EMPTIED, .mode = st.st_mode, .path = keep_text(path)});
	else
		keep_what_is_there(path, &st);
}

static void about_to_move(int from_fd, const char *from, int to_fd, const char *to, long flags)
{
	const char *path = first, *other = second;
	struct stat st, old;

	if (!resolve(from_fd, from, first) || !resolve(to_fd, to, second) || !look(path, &st, AT_SYMLINK_NOFOLLOW))
		return;
	if (look(other, &old, AT_SYMLINK_NOFOLLOW) && !(flags & RENAME_EXCHANGE)) {
		if (flags & RENAME_NOREPLACE || (st.st_ino == old.st_ino && st.st_dev == old.st_dev))
			return; /* nothing will be moved */
		keep_what_is_there(other, &old);
	}
	note_later(&(struct vtb_file_note){.what = flags & RENAME_EXCHANGE ? FILE_SWAPPED : FILE_MOVED, .path = keep_text(path), .other = keep_text(other)});
}

static void about_to_change(int fd, const char *name)
{
	const char *path = first;
	struct stat st;

	if (resolve(fd, name, first) && look(path, &st, 0) && S_ISREG(st.st_mode))
		keep_file(path, &st);
}

/* One that was opened to append, and is cut now. */
static void about_to_cut(int fd)
{
	const long flags = sys3(SYS_fcntl, fd, F_GETFL, 0);
	char name[64];
	struct stat st;

	if (flags < 0 || !(flags & O_APPEND))
		return;
	descriptor_name(fd, name);
	if (link_target(name, first) > 0 && is_ordinary(first) && look(first, &st, 0) && S_ISREG(st.st_mode))
		keep_file(first, &st);
}

static void about_to_change_mode(int fd, const char *name)
{
	const char *path = first;
	struct stat st;

	if (resolve(fd, name, first) && look(path, &st, 0))
		note_later(&(struct vtb_file_note){.what = FILE_MODE, .mode = st.st_mode, .path = keep_text(path)});
}

static void about_to_bind(const struct sockaddr_un *address, long size)
{
	char name[sizeof(address->sun_path) + 1];
	const long n = size - (long)offsetof(struct sockaddr_un, sun_path);

	if (n <= 0 || n > (long)sizeof(address->sun_path) || address->sun_family != AF_UNIX || !address->sun_path[0])
		return;
	memcpy(name, address->sun_path, (size_t)n);
	name[n] = 0;
	about_to_make(AT_FDCWD, name, FILE_CREATED);
}

static void about_to_open_queue(const char *name, long flags)
{
	long fd;

	if (!(flags & O_CREAT))
		return;
	fd = sys6(SYS_mq_open, (long)name, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
	if (fd >= 0)
		sys3(SYS_close, fd, 0, 0);
	if (fd == -ENOENT)
		note_later(&(struct vtb_file_note){.what = FILE_QUEUE, .path = keep_text(name)});
}

/* semget, msgget, shmget: new if nothing has this key. */
static void about_to_get(const greg_t *g)
{
	const long nr = g[REG_RAX];

	if (g[REG_RDI] == IPC_PRIVATE || sys3(nr, g[REG_RDI], 0, 0) == -ENOENT)
		note_later(&(struct vtb_file_note){.what = FILE_IPC, .mode = (uint32_t)nr});
}

#define NAME(reg) ((const char *)g[REG_##reg])
#define AT(reg) ((int)g[REG_##reg])

void vtb_files_before(const greg_t *g)
{
	is_pending = false;
	if (VTB_LIKELY(!vtb_files))
		return;
	switch (g[REG_RAX]) {
	case SYS_open:
		about_to_open(AT_FDCWD, NAME(RDI), g[REG_RSI]);
		break;
	case SYS_openat:
		about_to_open(AT(RDI), NAME(RSI), g[REG_RDX]);
		break;
	case SYS_creat:
		about_to_open(AT_FDCWD, NAME(RDI), O_CREAT | O_WRONLY | O_TRUNC);
		break;
	case SYS_mkdir:
		about_to_make(AT_FDCWD, NAME(RDI), FILE_DIRECTORY);
		break;
	case SYS_mkdirat:
		about_to_make(AT(RDI), NAME(RSI), FILE_DIRECTORY);
		break;
	case SYS_mknod:
		about_to_make(AT_FDCWD, NAME(RDI), FILE_CREATED);
		break;
	case SYS_mknodat:
		about_to_make(AT(RDI), NAME(RSI), FILE_CREATED);
		break;
	case SYS_link:
	case SYS_symlink:
		about_to_make(AT_FDCWD, NAME(RSI), FILE_CREATED);
		break;
	case SYS_symlinkat:
		about_to_make(AT(RSI), NAME(RDX), FILE_CREATED);
		break;
	case SYS_linkat:
		about_to_make(AT(RDX), NAME(R10), FILE_CREATED);
		break;
	case SYS_unlink:
		about_to_remove(AT_FDCWD, NAME(RDI), false);
		break;
	case SYS_rmdir:
		about_to_remove(AT_FDCWD, NAME(RDI), true);
		break;
	case SYS_unlinkat:
		about_to_remove(AT(RDI), NAME(RSI), g[REG_RDX] & AT_REMOVEDIR);
		break;
	case SYS_rename:
		about_to_move(AT_FDCWD, NAME(RDI), AT_FDCWD, NAME(RSI), 0);
		break;
	case SYS_renameat:
		about_to_move(AT(RDI), NAME(RSI), AT(RDX), NAME(R10), 0);
		break;
	case SYS_renameat2:
		about_to_move(AT(RDI), NAME(RSI), AT(RDX), NAME(R10), g[REG_R8]);
		break;
	case SYS_truncate:
		about_to_change(AT_FDCWD, NAME(RDI));
		break;
	case SYS_ftruncate:
		about_to_cut(AT(RDI));
		break;
	case SYS_chmod:
		about_to_change_mode(AT_FDCWD, NAME(RDI));
		break;
	case SYS_fchmodat:
		about_to_change_mode(AT(RDI), NAME(RSI));
		break;
	case SYS_bind:
		about_to_bind((const struct sockaddr_un *)g[REG_RSI], g[REG_RDX]);
		break;
	case SYS_mq_open:
		about_to_open_queue(NAME(RDI), g[REG_RSI]);
		break;
	case SYS_semget:
	case SYS_msgget:
	case SYS_shmget:
		about_to_get(g);
		break;
	default:
		break;
	}
}

void vtb_files_after(long result)
{
	if (VTB_LIKELY(!is_pending))
		return;
	is_pending = false;
	if (result < 0 && result > -4096) {
		if (pending.path)
			vtb_files->text_used = pending.path; /* nothing was noted since */
		return;
	}
	if (pending.what == FILE_IPC)
		pending.at = (uint64_t)result;
	note(&pending);
}

void vtb_files_end(void)
{
	if (vtb_rt.block->engine == VTB_ENGINE_EXEC && !vtb_files_undo())
		lost();
}

void vtb_files_begin(void)
{
	struct vtb_files *f;
	long fd;

	if (vtb_rt.options & VTB_OPT_KEEP_FILES)
		return;
	f = vtb_shared_pages(sizeof(*f));
	fd = sys3(SYS_memfd_create, (long)"vtb-files", MFD_CLOEXEC, 0);
	if (!f || fd < 0)
		return;
	f->data = (int)sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
	sys3(SYS_close, fd, 0, 0);
	f->text_used = 1; /* 0 is the empty name */
	if (f->data >= 0)
		vtb_files = f;
}
