/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vtb/fsview.h"
#include "vtb/launch.h"

#define PREFIX "vtb-scratch-"
#define RESERVE_MAX (64ull << 20) /* of a disk: what is left to others, */
#define RESERVE_PART 16           /* at most such a part of it */
#define NAMES_MAX 100
#define TRIES 1200 /* of the guard, while processes of the dead still write */
#define BETWEEN_MSEC 50

struct vtb_scratch {
	char path[PATH_MAX];
	int lock;  /* the directory itself */
	int alive; /* the guard reads its end when we are gone */
	pid_t guard;
	uint32_t rooms;
};

/* ---- removing */

/* True: it is gone. */
static bool remove_directory(const char *path, int fd)
{
	return vtb_fsview_empty(fd) && (rmdir(path) == 0 || errno == ENOENT);
}

/* By another, who removes it, or by a process that is about to end. */
static bool is_locked(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

/* In a process of its own, which shall hold nothing else of ours open: it is told which directory, and then that we are
 * gone. Processes that the program has left may still write there. */
_Noreturn static void guard(int end)
{
	const struct timespec between = { .tv_nsec = BETWEEN_MSEC * 1000000l };
	char path[PATH_MAX + 1] = "";
	ssize_t n;
	int fd;

	prctl(PR_SET_NAME, "vtb-scratch");
	if (end > 0)
		close_range(0, (unsigned)end - 1, 0);
	close_range((unsigned)end + 1, ~0u, 0);
	while ((n = read(end, path, PATH_MAX)) > 0 || (n < 0 && errno == EINTR))
		path[n > 0 ? n : 0] = 0;
	fd = *path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	for (int i = 0; fd >= 0 && i < TRIES && (is_locked(fd) || !remove_directory(path, fd)); i++)
		nanosleep(&between, NULL);
	_exit(0);
}

/* It has a group of its own, before there is anything to guard: whoever kills ours leaves it alive. */
static int start_guard(struct vtb_scratch *s)
{
	sigset_t all, old;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	s->guard = fork();
	if (s->guard == 0)
		guard((close(ends[1]), ends[0]));
	if (s->guard > 0) {
		setpgid(s->guard, s->guard);
		vtb_launch_spare(s->guard, true);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[0]);
	s->alive = ends[1];
	return s->guard < 0 ? -errno : 0;
}

/* The PID in PREFIX PID-XXXXXX; 0: another name. */
static pid_t maker_of(const char *name)
{
	unsigned long pid;
	char *end;

	if (strncmp(name, PREFIX, strlen(PREFIX)) || name[strlen(PREFIX)] < '1' || name[strlen(PREFIX)] > '9')
		return 0;
	pid = strtoul(name + strlen(PREFIX), &end, 10);
	return *end == '-' && strlen(end) == 7 && pid <= INT_MAX ? (pid_t)pid : 0;
}

/* What /proc says of it; false: nothing. `start` is in ticks of the clock since the machine has been started. */
static bool look_at_process(pid_t pid, char *state, unsigned long long *start)
{
	char path[32], line[1024];
	FILE *f;
	size_t n;
	const char *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	n = f ? fread(line, 1, sizeof(line) - 1, f) : 0;
	if (f)
		fclose(f);
	line[n] = 0;
	p = strrchr(line, ')'); /* its name may hold anything */
	return p && sscanf(p + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
	                   state, start) == 2;
}

/* A process that is dead and that nobody has waited for keeps its number, and a number may be another's by now: who
 * began after the directory was last changed has not made it. */
static bool has_ended(pid_t maker, const struct stat *st)
{
	struct timespec now, up;
	unsigned long long start;
	double began;
	char state;

	if (kill(maker, 0) < 0 && errno == ESRCH)
		return true;
	if (!look_at_process(maker, &state, &start))
		return false;
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &up);
	began = (double)now.tv_sec - (double)up.tv_sec + (double)start / (double)sysconf(_SC_CLK_TCK);
	return state == 'Z' || state == 'X' || began > (double)st->st_ctim.tv_sec + 2;
}

/* Nobody has it, and it is ours. Between its making and its lock only the number of its maker says so. */
static void remove_if_abandoned(const char *path, pid_t maker)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 077) && has_ended(maker, &st) &&
	    !flock(fd, LOCK_EX | LOCK_NB))
		remove_directory(path, fd);
	if (fd >= 0)
		close(fd);
}

static void remove_leftovers(const char *dir)
{
	DIR *d = opendir(dir);
	char path[PATH_MAX + NAME_MAX + 2];
	struct dirent *e;

	while (d && (e = readdir(d))) {
		const pid_t maker = maker_of(e->d_name);

		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (maker)
			remove_if_abandoned(path, maker);
	}
	if (d)
		closedir(d);
}

/* ---- making one */

static int check_place(const char *dir, struct vtb_error *err)
{
	struct stat st;

	if (stat(dir, &st) < 0)
		return vtb_error_set(err, -errno, NULL, 0, "--scratch=%.400s: %s", dir, vtb_strerror(-errno));
	if (!S_ISDIR(st.st_mode))
		return vtb_error_set(err, -ENOTDIR, NULL, 0, "--scratch=%.400s: it is no directory", dir);
	if (st.st_uid != geteuid() && st.st_uid)
		return vtb_error_set(err, -EPERM, NULL, 0,
		                     "--scratch=%.400s: it belongs to another user, who could put something else in "
		                     "the place of what is made there",
		                     dir);
	if (st.st_mode & S_IWOTH && !(st.st_mode & S_ISVTX))
		return vtb_error_set(err, -EPERM, NULL, 0,
		                     "--scratch=%.400s: everybody may put something else in the place of what is made "
		                     "there (chmod +t, or another directory)",
		                     dir);
	return 0;
}

/* Under a name that the guard knows before it is there. Who else has had one with our number is dead. */
static int make_directory(struct vtb_scratch *s, const char *dir)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	unsigned char random[7];
	size_t n;

	for (int i = 0; i < NAMES_MAX; i++) {
		if (getrandom(random, 6, 0) != 6)
			return -errno;
		for (int k = 0; k < 6; k++)
			random[k] = (unsigned char)letters[random[k] % (sizeof(letters) - 1)];
		random[6] = 0;
		n = (size_t)snprintf(s->path, sizeof(s->path), "%s/" PREFIX "%d-%s", dir, (int)getpid(), random);
		if (n >= sizeof(s->path))
			return -ENAMETOOLONG;
		send(s->alive, s->path, n, MSG_NOSIGNAL); /* it may have been killed */
		if (mkdir(s->path, 0700) == 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static int make(struct vtb_scratch *s, const char *dir, struct vtb_error *err)
{
	int r = start_guard(s);

	if (r < 0)
		return vtb_error_set(err, r, NULL, 0, "--scratch=%.400s: cannot start a process: %s", dir,
		                     vtb_strerror(r));
	r = make_directory(s, dir);
	if (r < 0) {
		s->path[0] = 0;
		return vtb_error_set(err, r, NULL, 0, "--scratch=%.400s: cannot make a directory there: %s", dir,
		                     vtb_strerror(r));
	}
	s->lock = open(s->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->lock >= 0)
		flock(s->lock, LOCK_EX | LOCK_NB); /* where there are no locks, the number of the process must do */
	r = s->lock < 0 ? -errno : 0;
	return r < 0 ? vtb_error_set(err, r, s->path, 0, "%s", vtb_strerror(r)) : 0;
}

int vtb_scratch_new(const char *dir, struct vtb_scratch **ret, struct vtb_error *err)
{
	struct vtb_scratch *s = calloc(1, sizeof(*s));
	char *real = realpath(dir, NULL);
	int r;

	if (!s)
		r = vtb_error_set(err, -ENOMEM, NULL, 0, "%s", vtb_strerror(-ENOMEM));
	else if (!real)
		r = vtb_error_set(err, -errno, NULL, 0, "--scratch=%.400s: %s", dir, vtb_strerror(-errno));
	else
		r = check_place(real, err);
	if (r >= 0) {
		s->lock = s->alive = s->guard = -1;
		remove_leftovers(real);
		r = make(s, real, err);
		if (r < 0)
			vtb_scratch_free(s);
		else
			*ret = s;
		s = NULL;
	}
	free(real);
	free(s);
	return r;
}

void vtb_scratch_free(struct vtb_scratch *s)
{
	if (!s)
		return;
	if (s->lock >= 0)
		close(s->lock); /* for the guard to take */
	if (s->alive >= 0)
		close(s->alive);
	if (s->guard > 0) {
		while (waitpid(s->guard, NULL, 0) < 0 && errno == EINTR)
			;
		vtb_launch_spare(s->guard, false);
	}
	s->lock = *s->path ? open(s->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (s->lock >= 0) { /* there was no guard any more */
		remove_directory(s->path, s->lock);
		close(s->lock);
	}
	free(s);
}

/* ---- rooms */

int vtb_scratch_add_room(struct vtb_scratch *s, char *path, size_t size)
{
	if ((size_t)snprintf(path, size, "%s/%u", s->path, s->rooms) >= size)
		return -ENAMETOOLONG;
	if (mkdir(path, 0700) < 0)
		return -errno;
	s->rooms++;
	return 0;
}

void vtb_scratch_empty_room(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0) {
		vtb_fsview_empty(fd);
		close(fd);
	}
}

static bool takes_more(const char *room, uint64_t limit)
{
	char *const paths[] = { (char *)room, NULL };
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	uint64_t used = 0;
	FTSENT *e;

	while (walk && used <= limit && (e = fts_read(walk)))
		if (e->fts_info != FTS_DP && e->fts_info != FTS_NS && e->fts_info != FTS_DNR)
			used += (uint64_t)e->fts_statp->st_blocks * 512;
	if (walk)
		fts_close(walk);
	return used > limit;
}

bool vtb_scratch_is_full(const char *room, uint64_t limit)
{
	struct statvfs v;
	uint64_t total, reserve;

	if (statvfs(room, &v) < 0)
		return false;
	total = (uint64_t)v.f_blocks * v.f_frsize;
	reserve = total / RESERVE_PART < RESERVE_MAX ? total / RESERVE_PART : RESERVE_MAX;
	return (uint64_t)v.f_bavail * v.f_frsize < reserve || takes_more(room, limit);
}
