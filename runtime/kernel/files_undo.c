/* SPDX-License-Identifier: BSD-2-Clause */
/* The notes of files.c, from the last to the first: each step finds what the call that it undoes has left. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "files.h"
#include "rt.h"
#include "sys.h"

static bool is_as_it_was(const char *path, const struct vtb_file_note *n)
{
	struct stat st;

	return sys6(SYS_newfstatat, AT_FDCWD, (long)path, (long)&st, AT_SYMLINK_NOFOLLOW, 0, 0) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == n->size &&
	       st.st_ctim.tv_sec == n->changed.tv_sec && st.st_ctim.tv_nsec == n->changed.tv_nsec;
}

/* In place, if it is there: other names of it stay, and who has it open. */
static long open_again(const char *path, uint32_t mode)
{
	const long flags = O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC;
	long fd = sys6(SYS_openat, AT_FDCWD, (long)path, flags, mode & 07777, 0, 0);

	if (fd == -EACCES) {
		sys3(SYS_unlink, (long)path, 0, 0);
		fd = sys6(SYS_openat, AT_FDCWD, (long)path, flags, mode & 07777, 0, 0);
	}
	return fd;
}

/* False: not all of it; the disk is full, or the directory is closed to us now. */
static bool write_again(const struct vtb_file_note *n)
{
	const char *path = vtb_files_text(n->path);
	long from = (long)n->at, left = (long)n->size, fd, r = 1;

	if (is_as_it_was(path, n))
		return true;
	fd = open_again(path, n->mode);
	if (fd < 0)
		return false;
	while (left > 0 && r > 0) {
		r = sys6(SYS_sendfile, fd, vtb_files->data, (long)&from, left, 0, 0);
		left -= r > 0 ? r : 0;
	}
	sys3(SYS_fchown, fd, n->owner, n->group);
	sys3(SYS_fchmod, fd, n->mode & 07777, 0);
	sys6(SYS_utimensat, fd, 0, (long)n->times, 0, 0, 0);
	sys3(SYS_close, fd, 0, 0);
	return !left;
}

static void remove_ipc(const struct vtb_file_note *n)
{
	const long control = n->mode == SYS_semget ? SYS_semctl : n->mode == SYS_msgget ? SYS_msgctl : SYS_shmctl;

	if (control == SYS_semctl)
		sys6(control, (long)n->at, 0, IPC_RMID, 0, 0, 0);
	else
		sys3(control, (long)n->at, IPC_RMID, 0);
}

static bool undo(const struct vtb_file_note *n)
{
	const long path = (long)vtb_files_text(n->path), other = (long)vtb_files_text(n->other);

	switch ((enum vtb_file_change)n->what) {
	case FILE_CREATED:
		sys3(SYS_unlink, path, 0, 0);
		break;
	case FILE_DIRECTORY:
		sys3(SYS_rmdir, path, 0, 0);
		break;
	case FILE_CHANGED:
		return write_again(n);
	case FILE_GROWN:
		sys3(SYS_truncate, path, (long)n->size, 0);
		break;
	case FILE_UNLINKED:
		if (S_ISLNK(n->mode))
			sys3(SYS_symlink, other, path, 0);
		else
			sys3(SYS_mknod, path, n->mode, 0);
		break;
	case FILE_EMPTIED:
		sys3(SYS_mkdir, path, n->mode & 07777, 0);
		break;
	case FILE_MOVED:
		sys3(SYS_rename, other, path, 0);
		break;
	case FILE_SWAPPED:
		sys6(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE, 0);
		break;
	case FILE_MODE:
		sys3(SYS_chmod, path, n->mode & 07777, 0);
		break;
	case FILE_QUEUE:
		sys3(SYS_mq_unlink, path, 0, 0);
		break;
	case FILE_IPC:
		remove_ipc(n);
		break;
	}
	return true;
}

bool vtb_files_undo(void)
{
	bool all = true;

	if (!vtb_files || !vtb_files->n)
		return true;
	while (vtb_files->n)
		all &= undo(&vtb_files->notes[--vtb_files->n]);
	if (vtb_files->data_used)
		sys3(SYS_ftruncate, vtb_files->data, 0, 0);
	vtb_files->data_used = 0;
	vtb_files->text_used = 1;
	return all;
}
