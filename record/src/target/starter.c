/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/starter.h"

#include "starter_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vtb/array.h"
#include "vtb/launch.h"

extern char **environ;

void vtb_started_fini(struct vtb_started *s)
{
	for (size_t i = 0; s->argv && s->argv[i]; i++)
		free(s->argv[i]);
	free(s->argv);
	free(s->cwd);
	free(s->path);
	free(s->refused);
	if (s->user > 0)
		close(s->user);
	if (s->mount > 0)
		close(s->mount);
	*s = (struct vtb_started){ 0 };
}

/* ---- words */

struct words {
	char **items;
	size_t n, cap;
	bool failed;
};

static void add(struct words *w, const char *text)
{
	if (!w->failed && vtb_array_reserve((void **)&w->items, &w->cap, w->n + 2, sizeof(*w->items)) < 0)
		w->failed = true;
	if (w->failed)
		return;
	w->items[w->n] = strdup(text);
	w->failed = !w->items[w->n];
	w->n += !w->failed;
	w->items[w->n] = NULL;
}

static void words_fini(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->items[i]);
	free(w->items);
	*w = (struct words){ 0 };
}

/* ---- env */

static bool is_setting(const char *word)
{
	return strchr(word, '=') && word[0] != '=';
}

int vtb_environment_keep(char ***ret)
{
	struct words w = { 0 };

	for (char **e = environ; e && *e; e++)
		add(&w, *e);
	if (w.failed) {
		words_fini(&w);
		return -ENOMEM;
	}
	*ret = w.items;
	return 0;
}

enum vtb_starter vtb_starter_suspect(const struct vtb_target *t)
{
	if (t->hooks != VTB_HOOKS_NONE || !t->dynamic || t->privileged)
		return VTB_STARTER_NOT;
	if (t->script || (t->starts && !t->threads))
		return VTB_STARTER_ONLY;
	return t->starts || t->library_starts ? VTB_STARTER_PERHAPS : VTB_STARTER_NOT;
}

/* ---- what was set */

static size_t name_size(const char *setting)
{
	return strcspn(setting, "=");
}

/* Of the shell's own making, or ours to say in another way. */
static bool is_passing(const char *setting)
{
	static const char *const names[] = { "_", "SHLVL", "OLDPWD" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == name_size(setting) && !strncmp(names[i], setting, name_size(setting)))
			return true;
	return false;
}

/* The string of a list with zeros that names the same variable, or NULL. */
static const char *same_name(const char *list, size_t size, const char *setting)
{
	for (const char *s = list; s < list + size; s += strlen(s) + 1)
		if (name_size(s) == name_size(setting) && !strncmp(s, setting, name_size(s)))
			return s;
	return NULL;
}

static const char *ours(const char *setting)
{
	for (char **e = environ; *e; e++)
		if (name_size(*e) == name_size(setting) && !strncmp(*e, setting, name_size(setting)))
			return *e;
	return NULL;
}

/* What its environment has that ours has not, and the other way round. */
static void add_settings(struct words *w, const char *env, size_t size)
{
	for (char **e = environ; *e; e++)
		if (!is_passing(*e) && !same_name(env, size, *e)) {
			char *name = strndup(*e, name_size(*e));

			add(w, "-u");
			add(w, name ? name : "");
			w->failed |= !name;
			free(name);
		}
	for (const char *s = env; s < env + size; s += strlen(s) + 1) {
		const char *own = is_setting(s) && !is_passing(s) ? ours(s) : s;

		if (!own || strcmp(own, s))
			add(w, s);
	}
}

/* ---- one program that was started */

struct message {
	struct starter_head head;
	char *part[STARTER_PARTS]; /* each with a zero behind it */
};

static void message_fini(struct message *m)
{
	for (int i = 0; i < STARTER_PARTS; i++)
		free(m->part[i]);
	*m = (struct message){ 0 };
}

static int open_of(uint32_t pid, const char *name, int flags)
{
	char path[64];
	int fd, high;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	fd = open(path, flags | O_CLOEXEC);
	high = fd < 0 ? -1 : vtb_launch_high_fd(fd); /* 0 is none */
	if (fd >= 0)
		close(fd);
	return high;
}

/* Is the file that it executes another than the one that we see there? */
static bool is_own(const struct message *m)
{
	struct stat there, here;
	const int fd = open_of(m->head.pid, "exe", O_PATH);
	const bool known = fd >= 0 && fstat(fd, &there) == 0 && stat(m->part[STARTER_EXE], &here) == 0;

	if (fd >= 0)
		close(fd);
	return !known || there.st_size != here.st_size || there.st_mtim.tv_sec != here.st_mtim.tv_sec ||
	       there.st_mtim.tv_nsec != here.st_mtim.tv_nsec;
}

/* The view lives as long as somebody has it open. */
static void take_view(const struct message *m, struct vtb_started *s)
{
	s->wrote = m->head.wrote;
	if (!s->wrote)
		return;
	s->own = is_own(m);
	s->mount = open_of(m->head.pid, "ns/mnt", O_RDONLY);
	s->user = open_of(m->head.pid, "ns/user", O_RDONLY);
}

static int take(const struct message *m, struct vtb_started *ret)
{
	const char *args = m->part[STARTER_ARGV];
	const size_t size = m->head.size[STARTER_ARGV];
	struct vtb_started s = { .cwd = strdup(m->part[STARTER_CWD]), .path = strdup(m->part[STARTER_EXE]) };
	struct words w = { 0 };

	add(&w, "env");
	add_settings(&w, m->part[STARTER_ENV], m->head.size[STARTER_ENV]);
	if (w.n == 1 && !w.failed)
		free(w.items[--w.n]); /* nothing to set */
	add(&w, m->part[STARTER_EXE]);
	for (const char *a = args + strlen(args) + 1; a < args + size; a += strlen(a) + 1)
		add(&w, a);
	s.argv = w.items;
	if (w.failed || !s.cwd || !s.path) {
		vtb_started_fini(&s);
		return -ENOMEM;
	}
	take_view(m, &s);
	vtb_started_fini(ret);
	*ret = s;
	return 0;
}

/* 2: this cannot be changed in this view. */
static int take_refused(const struct message *m, struct vtb_started *ret)
{
	free(ret->refused);
	ret->refused = strdup(m->part[STARTER_EXE]);
	return ret->refused ? 2 : -ENOMEM;
}

/* 1: this is the one; 0: look further. */
static int judge(const struct message *m, enum vtb_starter kind, struct vtb_started *ret)
{
	struct vtb_target t = { 0 };
	char path[64];
	int r = vtb_target_inspect(m->part[STARTER_EXE], &t, NULL);

	snprintf(path, sizeof(path), "/proc/%u/exe", m->head.pid);
	if (r == -ENOENT) /* made by the starter, where we do not see it */
		r = vtb_target_inspect(path, &t, NULL);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	r = t.hooks != VTB_HOOKS_NONE;
	if (r || (kind == VTB_STARTER_ONLY && t.threads && !ret->argv)) {
		const int taken = take(m, ret);

		r = taken < 0 ? taken : r;
	}
	vtb_target_fini(&t);
	return r;
}

/* ---- the conversation */

static int64_t now_msec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* 1; 0 at its end; -ETIMEDOUT. */
static int read_all(int fd, void *to, size_t size, int64_t until)
{
	char *at = to;

	while (size) {
		const int64_t left = until - now_msec();
		struct pollfd p = { .fd = fd, .events = POLLIN };
		const int r = left > 0 ? poll(&p, 1, (int)left) : 0;
		ssize_t n;

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? -errno : -ETIMEDOUT;
		n = read(fd, at, size);
		if (n <= 0)
			return n < 0 ? -errno : 0;
		at += n;
		size -= (size_t)n;
	}
	return 1;
}

static int read_message(int fd, struct message *m, int64_t until)
{
	int r = read_all(fd, &m->head, sizeof(m->head), until);

	for (int i = 0; i < STARTER_PARTS && r > 0; i++) {
		if (m->head.size[i] > STARTER_PART_MAX)
			return -EPROTO;
		m->part[i] = calloc(1, m->head.size[i] + 1u);
		r = m->part[i] ? read_all(fd, m->part[i], m->head.size[i], until) : -ENOMEM;
		r = !m->head.size[i] && m->part[i] ? 1 : r;
	}
	return r;
}

static int listen_to(int from, int to, int64_t until, enum vtb_starter kind, struct vtb_started *ret)
{
	int r;

	do {
		struct message m = { 0 };

		r = read_message(from, &m, until);
		if (r > 0 && m.head.refused)
			r = take_refused(&m, ret);
		else if (r > 0)
			r = judge(&m, kind, ret) == 1 ? 2 : write(to, "", 1) == 1;
		message_fini(&m);
	} while (r == 1);
	return r == -ETIMEDOUT ? 0 : r;
}

static int converse(enum vtb_starter kind, char *const *argv, const char *cwd, unsigned msec,
                    const struct vtb_fsview *view, int news[2], int answers[2], struct vtb_started *ret)
{
	int status = 0, r;
	const pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		close(news[0]);
		close(answers[1]);
		vtb_starter_trace(argv, cwd, view, news[1], answers[0]);
	}
	close(news[1]);
	close(answers[0]);
	news[1] = answers[0] = -1;
	r = listen_to(news[0], answers[1], now_msec() + msec, kind, ret);
	if (r)
		kill(pid, SIGKILL); /* it has nothing more to tell */
	else if (!ret->argv && waitpid(pid, &status, WNOHANG) == 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 1)
		return -EPERM;
	if (r >= 0 && ret->refused)
		return 2;
	return r < 0 ? r : ret->argv != NULL;
}

int vtb_starter_follow(enum vtb_starter kind, char *const *argv, const char *cwd, unsigned msec,
                       const struct vtb_fsview *view, struct vtb_started *ret, struct vtb_error *err)
{
	struct vtb_started started = { 0 };
	int news[2] = { -1, -1 }, answers[2] = { -1, -1 }, r;

	r = pipe2(news, O_CLOEXEC) < 0 || pipe2(answers, O_CLOEXEC) < 0
	        ? -errno
	        : converse(kind, argv, cwd, msec, view, news, answers, &started);
	for (int i = 0; i < 2; i++) {
		if (news[i] >= 0)
			close(news[i]);
		if (answers[i] >= 0)
			close(answers[i]);
	}
	if (r <= 0) {
		vtb_started_fini(&started);
		return r < 0 ? vtb_error_set(err, r, argv[0], 0, "cannot see what it starts: %s", vtb_strerror(r)) : 0;
	}
	*ret = started;
	return r;
}
