/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files to remove when a signal ends the process. A row is filled before `used` is set, and freed by clearing it, so
 * that a handler sees whole names only. */
static struct {
	atomic_int used; /* 0 free, 1 being filled, 2 valid */
	int dir;
	char name[NAME_MAX + 1];
} rows[VTB_OUTPUTS_MAX];

static int take_row(int dir, const char *name)
{
	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	for (int i = 0; i < VTB_OUTPUTS_MAX; i++) {
		int expected = 0;

		if (!atomic_compare_exchange_strong(&rows[i].used, &expected, 1))
			continue;
		rows[i].dir = dir;
		strcpy(rows[i].name, name);
		atomic_store(&rows[i].used, 2);
		return i;
	}
	return -EMFILE;
}

static void give_row_back(struct vtb_output *out)
{
	if (out->row >= 0)
		atomic_store(&rows[out->row].used, 0);
	out->row = -1;
}

void vtb_output_unlink_all(void)
{
	for (int i = 0; i < VTB_OUTPUTS_MAX; i++)
		if (atomic_load(&rows[i].used) == 2)
			unlinkat(rows[i].dir, rows[i].name, 0);
}

static void clean_up_and_die(int sig)
{
	vtb_output_unlink_all();
	raise(sig); /* SA_RESETHAND: the default action, once this handler returns */
}

void vtb_output_guard(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT };
	struct sigaction action = { .sa_handler = clean_up_and_die, .sa_flags = (int)SA_RESETHAND }, old;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaction(signals[i], NULL, &old);
		if (old.sa_handler == SIG_DFL) /* nohup and shells without job control ignore some: so do we */
			sigaction(signals[i], &action, NULL);
	}
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* From here on the directory is this one, whatever becomes of its name. */
static int open_directory(const char *path)
{
	const char *base = base_of(path);
	char *dir = base == path ? strdup(".") : strndup(path, (size_t)(base - path));
	const int fd = dir ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	const int r = !dir ? -ENOMEM : fd < 0 ? -errno : fd;

	free(dir);
	return r;
}

static int open_temp(struct vtb_output *out)
{
	for (unsigned n = 0; n < 100; n++) {
		int fd;

		free(out->temp);
		out->temp = NULL;
		if (asprintf(&out->temp, "%s.tmp%ld.%u", base_of(out->path), (long)getpid(), n) < 0) {
			out->temp = NULL;
			return -ENOMEM;
		}
		/* Who writes may want to read it again. */
		fd = openat(out->dir, out->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : -errno;
	}
	return -EEXIST;
}

/* Devices and pipes are written directly. A pipe that nobody reads is an error and not waited for. */
static int open_special(const char *path, mode_t mode)
{
	int fd;

	if (S_ISDIR(mode))
		return -EISDIR;
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	fcntl(fd, F_SETFL, O_WRONLY);
	return fd;
}

void vtb_output_hold_signals(sigset_t *ret_before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, ret_before);
}

void vtb_output_let_signals(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Where the bytes go; sets out->temp if they go to a temporary file first. */
static int open_fd(struct vtb_output *out)
{
	struct stat st;
	sigset_t before;
	int fd;

	if (!stat(out->path, &st) && !S_ISREG(st.st_mode))
		return open_special(out->path, st.st_mode);
	out->dir = open_directory(out->path);
	if (out->dir < 0)
		return out->dir;
	vtb_output_hold_signals(&before); /* it is there, and must be among those that a signal removes */
	fd = open_temp(out);
	if (fd >= 0)
		out->row = take_row(out->dir, out->temp);
	vtb_output_let_signals(&before);
	if (fd < 0) {
		free(out->temp);
		out->temp = NULL;
		return fd;
	}
	if (out->row >= 0)
		return fd;
	close(fd);
	unlinkat(out->dir, out->temp, 0);
	return out->row;
}

/* In a directory like /tmp anybody can lay a link under the name that somebody is about to write. */
static bool is_planted(const char *path)
{
	struct stat link, dir;
	int fd;
	bool is;

	if (lstat(path, &link) || !S_ISLNK(link.st_mode))
		return false;
	fd = open_directory(path);
	is = fd >= 0 && !fstat(fd, &dir) && dir.st_mode & S_ISVTX && dir.st_mode & S_IWOTH;
	if (fd >= 0)
		close(fd);
	return is;
}

/* The file behind a symbolic link is what gets replaced, not the link. */
static char *resolve(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : strdup(path);
}

static int fail(struct vtb_output *out, int r, const char *path, const char *what, struct vtb_error *err)
{
	char name[512];

	snprintf(name, sizeof(name), "%s", path); /* `path` may be out->path */
	vtb_output_abort(out);
	return vtb_error_set(err, r, name, 0, "%s: %s", what, vtb_strerror(r));
}

int vtb_output_open(struct vtb_output *out, const char *path, struct vtb_error *err)
{
	int fd;

	*out = (struct vtb_output){ .row = -1, .dir = -1 };
	if (!strcmp(path, "-")) {
		out->file = stdout;
		return 0;
	}
	if (is_planted(path))
		return vtb_error_set(err, -ELOOP, path, 0,
		                     "cannot be written: a symbolic link in a directory where everybody may make one");
	out->path = resolve(path);
	if (!out->path)
		return fail(out, -ENOMEM, path, "cannot be written", err);
	fd = open_fd(out);
	if (fd < 0)
		return fail(out, fd, path, "cannot be written", err);
	out->file = fdopen(fd, "w");
	if (out->file)
		return 0;
	close(fd);
	return fail(out, -ENOMEM, path, "cannot be written", err);
}

static void release(struct vtb_output *out)
{
	give_row_back(out);
	if (out->dir >= 0)
		close(out->dir);
	free(out->path);
	free(out->temp);
	*out = (struct vtb_output){ .row = -1, .dir = -1 };
}

int vtb_output_commit(struct vtb_output *out, struct vtb_error *err)
{
	const char *name = out->path ? out->path : "standard output";
	int bad = ferror(out->file) ? EIO : 0;

	if (fflush(out->file))
		bad = errno;
	if (out->file != stdout && fclose(out->file))
		bad = bad ? bad : errno;
	out->file = NULL;
	if (bad)
		return fail(out, -bad, name, "cannot be written completely", err);
	if (out->temp && renameat(out->dir, out->temp, out->dir, base_of(out->path)))
		return fail(out, -errno, name, "cannot be put in place", err);
	release(out);
	return 0;
}

void vtb_output_abort(struct vtb_output *out)
{
	if (out->file && out->file != stdout)
		fclose(out->file);
	if (out->temp)
		unlinkat(out->dir, out->temp, 0);
	if (!out->path && !out->temp) /* {0}: neither row nor descriptor 0 is ours */
		out->row = out->dir = -1;
	release(out);
}
