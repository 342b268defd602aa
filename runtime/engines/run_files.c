/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptors of a run that will be rolled back. What the process had open before its first run stays as it is; all
 * others are a run's own, with what stands in them (a pipe's bytes, a counter, what an epoll instance watches), and are
 * closed at its end by range:
 *
 *     0 1 2 | 3 ............ 698 | 699 .. 702 | 703 .................. max
 *     kept  | closed by one call | kept       | closed by another
 *
 * So a run may do with its own what it likes, as long as nothing outside of the process is at their other end.
 *
 * If it closes one that is kept, or puts another in its place, the kernel keeps a copy of it under a high number, and
 * at the end of the run the copy goes back to where it was: what it leads to, and the place in it, were never let go.
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "engines.h"
#include "kernel.h"

#ifndef SYS_close_range /* Linux 5.9; system calls are seen from 5.11 on */
#define SYS_close_range 436
#endif
#define KEPT_MAX 4096u
#define ASIDE_MAX 64u
#define ASIDE_FD 900 /* and above */

/* In shared memory: survives the rollback, which reads it. */
static struct run_files {
	int kept[KEPT_MAX]; /* ascending */
	uint32_t n_kept;
	struct aside {
		int fd, copy, flags;
	} aside[ASIDE_MAX]; /* of the kept ones, those that the run has closed: their numbers are its own */
	uint32_t n_aside;
	bool known; /* which are kept. Otherwise none is the run's own */
	bool any;   /* the run has made some */
	bool input; /* it has read standard input */
} * F;

struct entry { /* linux_dirent64 */
	uint64_t inode, offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

static int number_of(const char *name)
{
	int n = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		n = 10 * n + *name - '0';
	return *name ? -1 : n;
}

static bool keep(int fd)
{
	uint32_t at = F->n_kept;

	if (F->n_kept == KEPT_MAX)
		return false;
	for (F->n_kept++; at && F->kept[at - 1] > fd; at--)
		F->kept[at] = F->kept[at - 1];
	F->kept[at] = fd;
	return true;
}

static bool keep_all(const char *entries, long size, int but)
{
	const struct entry *e;

	for (long at = 0; at < size; at += e->size) {
		const int fd = number_of((e = (const void *)(entries + at))->name);

		if (fd >= 0 && fd != but && !keep(fd))
			return false;
	}
	return true;
}

bool vtb_files_begin(void)
{
	F = vtb_shared_pages(sizeof(*F));
	return F;
}

void vtb_files_remember(void)
{
	const long dir = sys6(SYS_openat, AT_FDCWD, (long)"/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
	_Alignas(struct entry) char part[2048];
	long n = dir;

	F->n_kept = 0;
	F->known = dir >= 0;
	while (F->known && (n = sys3(SYS_getdents64, dir, (long)part, sizeof(part))) > 0)
		F->known = keep_all(part, n, (int)dir);
	F->known &= n == 0;
	if (dir >= 0)
		sys3(SYS_close, dir, 0, 0);
}

static bool is_kept(int fd)
{
	uint32_t lo = 0, hi = F->n_kept;

	while (lo < hi) {
		const uint32_t mid = (lo + hi) / 2;

		if (F->kept[mid] < fd)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < F->n_kept && F->kept[lo] == fd;
}

/* A number that is not in use is the run's, too: the kernel says what is wrong with it. */
bool vtb_files_of_run(int fd)
{
	if (!F->known)
		return false;
	for (uint32_t i = F->n_aside; i-- > 0;)
		if (F->aside[i].copy == fd || F->aside[i].fd == fd)
			return F->aside[i].fd == fd;
	return !is_kept(fd);
}

bool vtb_files_set_aside(int fd)
{
	struct aside *a = &F->aside[F->n_aside];

	if (!F->known || F->n_aside == ASIDE_MAX)
		return false;
	a->fd = fd;
	a->flags = (int)sys3(SYS_fcntl, fd, F_GETFD, 0);
	a->copy = (int)sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, ASIDE_FD);
	if (a->flags < 0 || a->copy < 0)
		return false;
	F->n_aside++;
	F->any = true;
	vtb_output_turned(fd);
	return true;
}

void vtb_files_opens(void)
{
	if (!F->known)
		vtb_engine->cannot_undo("what the process has open is not known: /proc cannot be read, or it is more "
		                        "than 4096 descriptors");
	F->any = true;
}

bool vtb_files_takes_input(const greg_t *g)
{
	F->input |= !g[REG_RDI] && vtb_output_input() >= 0;
	return !g[REG_RDI] && F->input;
}

static void close_between(int from, int to)
{
	if (from <= to)
		sys3(SYS_close_range, from, to, 0);
}

/* The last one first: a copy may have been set aside itself. */
static void put_back_aside(void)
{
	while (F->n_aside) {
		const struct aside *a = &F->aside[--F->n_aside];

		sys3(SYS_dup3, a->copy, a->fd, a->flags & FD_CLOEXEC ? O_CLOEXEC : 0);
		sys3(SYS_close, a->copy, 0, 0);
	}
}

void vtb_files_undo(void)
{
	int from = 0;

	put_back_aside();
	if (F->input)
		sys3(SYS_lseek, 0, vtb_output_input(), SEEK_SET);
	F->input = false;
	for (uint32_t i = 0; F->any && i < F->n_kept; from = F->kept[i++] + 1)
		close_between(from, F->kept[i] - 1);
	if (F->any)
		close_between(from, INT_MAX);
	F->any = false;
}

bool vtb_files_clean(void)
{
	return !F->any && !F->input;
}
