/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

#define STEP_LEAST (1u << 16)
#define STEP_MOST (64u << 20)
#define FREE_PART 2 /* of what is free on the disk, this part at most */

/* Memory, or a disk on which reserved bytes can still turn out not to be there. */
static bool is_unfit(const struct statfs *s)
{
	return s->f_type == TMPFS_MAGIC || s->f_type == RAMFS_MAGIC || s->f_type == BTRFS_SUPER_MAGIC ||
	       s->f_type == NFS_SUPER_MAGIC;
}

/* Beyond that a write would be a signal. */
static uint64_t most_of_a_file(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

int vtb_tree_file_open(struct vtb_tree_file *f, const char *dir, uint64_t most)
{
	const uint64_t largest = most_of_a_file();
	struct statfs s;
	uint64_t room;

	*f = (struct vtb_tree_file){ .fd = open(dir, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600) };
	if (f->fd < 0)
		return -errno;
	if (fstatfs(f->fd, &s) < 0 || is_unfit(&s)) {
		vtb_tree_file_close(f);
		return -ENOTSUP;
	}
	room = (uint64_t)s.f_bavail * (uint64_t)s.f_bsize / FREE_PART;
	f->most = most && most < room ? most : room;
	f->most = f->most < largest ? f->most : largest;
	return 0;
}

static void *map(struct vtb_tree_file *f, size_t bytes)
{
	void *at = f->at ? mremap(f->at, f->bytes, bytes, MREMAP_MAYMOVE)
	                 : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);

	if (at != MAP_FAILED)
		madvise(at, bytes, MADV_DONTFORK);
	return at;
}

int vtb_tree_file_grow(struct vtb_tree_file *f, size_t want)
{
	size_t step = f->bytes < STEP_LEAST ? STEP_LEAST : f->bytes < STEP_MOST ? f->bytes : STEP_MOST;
	size_t bytes = want > f->bytes + step ? want : f->bytes + step;
	void *at;

	if (want <= f->bytes)
		return 0;
	bytes = bytes > f->most ? (size_t)f->most : bytes;
	if (bytes < want)
		return -ENOSPC;
	if (fallocate(f->fd, 0, (off_t)f->bytes, (off_t)(bytes - f->bytes)) < 0)
		return -errno;
	at = map(f, bytes);
	if (at == MAP_FAILED)
		return -ENOMEM;
	f->at = at;
	f->bytes = bytes;
	return 0;
}

void vtb_tree_file_let_go(struct vtb_tree_file *f)
{
	if (f->at)
		madvise(f->at, f->bytes, MADV_DONTNEED); /* shared: what was written is the file's */
}

void vtb_tree_file_close(struct vtb_tree_file *f)
{
	if (f->at)
		munmap(f->at, f->bytes);
	if (f->fd > 0)
		close(f->fd);
	*f = (struct vtb_tree_file){ .fd = -1 };
}
