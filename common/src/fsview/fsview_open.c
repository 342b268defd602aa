/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process has open moves with it from one set of mounts to another. System calls only, like fsview_mount.c. */
#include "fsview_private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OPEN_MAX 64
#define KEPT_MAX 16
#define OPEN_TEXT (32u << 10)

/* Of files and directories in trees, by name: what they refer to lies below other mounts. One process, one thread. */
static struct {
	uint32_t n, text_used;
	unsigned lost; /* that could change something and have no room here */
	struct {
		int fd, flags;
		off_t at;
		uint32_t path; /* in text */
	} open[OPEN_MAX];
	char text[OPEN_TEXT];
} O;

/* What could change something and was left behind with its trees: the kernel no longer knows its name. */
static struct {
	uint32_t n;
	int fd[KEPT_MAX];
	char path[KEPT_MAX][FSVIEW_PATH];
} K;

const char *vtb_fsview_kept(int fd)
{
	for (uint32_t i = 0; i < K.n; i++)
		if (K.fd[i] == fd)
			return K.path[i];
	return NULL;
}

static bool keep(uint32_t i)
{
	const char *path = O.text + O.open[i].path;

	if (K.n == KEPT_MAX || strlen(path) >= FSVIEW_PATH)
		return false;
	K.fd[K.n] = O.open[i].fd;
	vtb_fsview_put_text(K.path[K.n++], path);
	return true;
}

/* The length of the descriptor's name, which is put there. */
static ssize_t name_at(int fd, char *path)
{
	const char *kept = vtb_fsview_kept(fd);
	char link[32];

	if (kept)
		return vtb_fsview_put_text(path, kept) - path;
	vtb_fsview_put_number(vtb_fsview_put_text(link, "/proc/self/fd/"), (uint64_t)fd);
	return readlink(link, path, FSVIEW_PATH - 1);
}

/* Its name, behind the others' in O.text; 0: it is none of those. */
static uint32_t name_of(const struct vtb_fsview *v, bool each, int fd)
{
	char *path = O.text + O.text_used;
	struct stat st;
	ssize_t n;

	if (fd == v->scratch_fd || fstatat(fd, "", &st, AT_EMPTY_PATH) < 0 ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) || OPEN_TEXT - O.text_used < FSVIEW_PATH)
		return 0;
	n = name_at(fd, path);
	if (n <= 0 || path[0] != '/')
		return 0;
	path[n] = 0;
	return vtb_fsview_tree_of(v, path, each) >= 0 ? O.text_used : 0;
}

static void note_descriptor(const struct vtb_fsview *v, bool each, int fd)
{
	const int flags = fcntl(fd, F_GETFL);
	const uint32_t path = flags < 0 ? 0 : name_of(v, each, fd);

	if (!path)
		return;
	if (O.n == OPEN_MAX) {
		O.lost += (flags & O_ACCMODE) != O_RDONLY;
		return;
	}
	O.open[O.n].fd = fd;
	O.open[O.n].flags = flags;
	O.open[O.n].at = flags & O_PATH ? 0 : lseek(fd, 0, SEEK_CUR);
	O.open[O.n++].path = path;
	O.text_used += (uint32_t)strlen(O.text + path) + 1;
}

static int number_of(const char *name)
{
	int n = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		n = 10 * n + (*name - '0');
	return *name ? -1 : n;
}

static void note_descriptors(const struct vtb_fsview *v, bool each)
{
	const int dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char room[2048] __attribute__((aligned(8)));
	long n;

	O.n = O.lost = 0;
	O.text_used = 1; /* 0 is none */
	while (dir >= 0 && (n = syscall(SYS_getdents64, dir, room, sizeof(room))) > 0)
		for (long at = 0; at < n; at += ((struct fsview_entry *)(room + at))->length) {
			const struct fsview_entry *e = (struct fsview_entry *)(room + at);
			const int fd = e->name[0] == '.' ? -1 : number_of(e->name);

			if (fd >= 0 && fd != dir)
				note_descriptor(v, each, fd);
		}
	if (dir >= 0)
		close(dir);
}

/* Under the same number. False if it could change something and cannot be opened again. */
static bool open_again(uint32_t i)
{
	const int fd = O.open[i].fd, kept = fcntl(fd, F_GETFD);
	const int again = open(O.text + O.open[i].path,
	                       (O.open[i].flags & ~(O_CREAT | O_EXCL | O_TRUNC)) | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (again < 0)
		return (O.open[i].flags & O_ACCMODE) == O_RDONLY;
	if (O.open[i].at > 0)
		lseek(again, O.open[i].at, SEEK_SET);
	if (!(O.open[i].flags & (O_NONBLOCK | O_PATH)))
		fcntl(again, F_SETFL, O.open[i].flags);
	dup3(again, fd, kept & FD_CLOEXEC ? O_CLOEXEC : 0);
	close(again);
	return true;
}

static unsigned open_all_again(void)
{
	unsigned lost = O.lost;

	for (uint32_t i = 0; i < O.n; i++)
		lost += !open_again(i);
	return lost;
}

unsigned vtb_fsview_take_descriptors(const struct vtb_fsview *v, bool each)
{
	note_descriptors(v, each);
	return open_all_again();
}

unsigned vtb_fsview_leave_trees(struct vtb_fsview *v)
{
	char cwd[FSVIEW_PATH];
	unsigned lost = 0;

	if (syscall(SYS_getcwd, cwd, sizeof(cwd)) <= 0 || cwd[0] != '/')
		cwd[0] = 0;
	note_descriptors(v, false);
	vtb_fsview_unmount(v);
	if (cwd[0] && chdir(cwd) < 0)
		errno = 0;
	for (uint32_t i = 0; i < O.n; i++)
		lost += !open_again(i) && !keep(i);
	return lost + O.lost;
}
