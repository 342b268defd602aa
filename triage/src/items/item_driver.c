/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "item_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vtb/array.h"
#include "vtb/stop.h"
#include "vtb/self.h"

#define END_SECONDS 3.0 /* that it may take to end when its input has */
#define ANSWER_MAX ((size_t)256 << 20)
#define PIECE 65536u

extern char **environ;

struct bytes {
	char *text;
	size_t n_text, cap_text;
	size_t at; /* done with what is before */
};

struct vtb_item_driver {
	pid_t pid;
	int to, from;
	struct bytes out, in;
	uint32_t slots, workers;
	bool here;
};

/* ---- the process */

/* The driver for clusters, where it is installed or, of a build, where it was written. */
static int find_script(char path[static PATH_MAX])
{
	static const char *const places[] = { "../libexec/vtb/vtb_cluster.py", "../share/vtb/vtb_cluster.py" };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (vtb_self_beside(places[i], path) && access(path, R_OK) == 0)
			return 0;
	return -ENOENT;
}

static int spawn(char *const *argv, int in, int out, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int r = posix_spawn_file_actions_init(&actions);

	sigemptyset(&none);
	if (r == 0)
		r = posix_spawnattr_init(&attributes);
	if (r == 0) /* Ctrl-C is for us to hear */
		r = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	if (r == 0)
		r = posix_spawnattr_setsigmask(&attributes, &none);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (r == 0)
		r = posix_spawnp(ret, argv[0], &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

static int start(struct vtb_item_driver *d, char *const *argv)
{
	int to[2], from[2], r;

	if (pipe2(to, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(from, O_CLOEXEC) < 0) {
		r = -errno;
		close(to[0]);
		close(to[1]);
		return r;
	}
	r = spawn(argv, to[0], from[1], &d->pid);
	close(to[0]);
	close(from[1]);
	d->to = to[1];
	d->from = from[0];
	fcntl(d->to, F_SETFL, O_NONBLOCK);
	fcntl(d->from, F_SETFL, O_NONBLOCK);
	return r;
}

static int start_cluster(struct vtb_item_driver *d, const char *cluster, struct vtb_error *err)
{
	char script[PATH_MAX], bin[PATH_MAX];
	int r = find_script(script);

	if (r >= 0)
		r = vtb_self_beside("", bin) ? 0 : -ENOENT;
	if (r < 0)
		return vtb_error_set(err, r, NULL, 0, "--cluster: the driver vtb_cluster.py is not installed");
	r = start(d, (char *[]){ "python3", script, (char *)cluster, bin, NULL });
	return r < 0 ? vtb_error_set(err, -EINVAL, NULL, 0, "--cluster: python3 cannot be started: %s", vtb_strerror(r))
	             : 0;
}

static int start_here(struct vtb_item_driver *d, struct vtb_error *err)
{
	char path[PATH_MAX];
	int r = vtb_self_beside("vtb-run-item", path) ? 0 : -ENOENT;

	d->here = true;
	d->slots = d->workers = 1;
	if (r >= 0)
		r = start(d, (char *[]){ path, "--end-with-parent", NULL });
	return r < 0 ? vtb_error_set(err, r, path, 0, "cannot be started: %s", vtb_strerror(r)) : 0;
}

int vtb_item_driver_new(const char *cluster, struct vtb_item_driver **ret, struct vtb_error *err)
{
	struct vtb_item_driver *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return vtb_error_set(err, -ENOMEM, NULL, 0, "not enough memory");
	d->to = d->from = -1;
	r = cluster ? start_cluster(d, cluster, err) : start_here(d, err);
	if (r < 0)
		vtb_item_driver_free(d);
	else
		*ret = d;
	return r;
}

static bool ended(struct vtb_item_driver *d, double seconds)
{
	const double until = vtb_stop_clock() + seconds;
	pid_t r;

	while ((r = waitpid(d->pid, NULL, WNOHANG)) == 0 && vtb_stop_clock() < until)
		usleep(10000);
	return r != 0;
}

void vtb_item_driver_free(struct vtb_item_driver *d)
{
	if (!d)
		return;
	if (d->to >= 0)
		close(d->to);
	if (d->from >= 0)
		close(d->from);
	if (d->pid > 0 && d->here)
		kill(d->pid, SIGTERM); /* it is in the middle of an item, which nobody wants */
	if (d->pid > 0 && !ended(d, END_SECONDS)) {
		kill(d->pid, SIGKILL);
		while (waitpid(d->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(d->out.text);
	free(d->in.text);
	free(d);
}

uint32_t vtb_item_driver_slots(const struct vtb_item_driver *d)
{
	return d->slots;
}

uint32_t vtb_item_driver_workers(const struct vtb_item_driver *d)
{
	return d->workers;
}

/* ---- to it */

static int put(struct bytes *b, const char *text, size_t n)
{
	void *items = b->text;
	int r;

	if (b->at) {
		memmove(b->text, b->text + b->at, b->n_text - b->at);
		b->n_text -= b->at;
		b->at = 0;
	}
	r = vtb_array_reserve(&items, &b->cap_text, b->n_text + n + 1, 1);
	b->text = items;
	if (r >= 0) {
		memcpy(b->text + b->n_text, text, n);
		b->n_text += n;
	}
	return r;
}

int vtb_item_driver_give(struct vtb_item_driver *d, const struct vtb_item *item)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	int r;

	if (!to)
		return -ENOMEM;
	vtb_item_write(item, to);
	r = fclose(to) == 0 ? put(&d->out, text, size) : -ENOMEM;
	free(text);
	return r;
}

static int write_some(struct vtb_item_driver *d)
{
	const ssize_t n = write(d->to, d->out.text + d->out.at, d->out.n_text - d->out.at);

	if (n > 0)
		d->out.at += (size_t)n;
	return n < 0 && errno != EAGAIN && errno != EINTR ? -VTB_E_TOOL : 0;
}

/* ---- from it */

static int read_some(struct vtb_item_driver *d)
{
	char piece[PIECE];
	const ssize_t n = read(d->from, piece, sizeof(piece));

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		return -VTB_E_TOOL;
	if (n > 0 && d->in.n_text - d->in.at > ANSWER_MAX)
		return -VTB_E_LIMIT;
	return n > 0 ? put(&d->in, piece, (size_t)n) : 0;
}

static int told(struct vtb_item_driver *d, struct vtb_json *doc, struct vtb_error *err)
{
	const struct vtb_json_node *root = vtb_json_root(doc);
	const char *trouble = vtb_json_opt_string(doc, root, "trouble", NULL);

	if (trouble)
		return vtb_error_set(err, -EINVAL, NULL, 0, "%s", trouble);
	d->workers = (uint32_t)vtb_json_get_u64(doc, root, "workers", UINT32_MAX);
	d->slots = (uint32_t)vtb_json_get_u64(doc, root, "slots", UINT32_MAX);
	return vtb_json_status(doc);
}

static int take_line(struct vtb_item_driver *d, const char *line, size_t size, struct vtb_item_result *ret,
                     struct vtb_error *err)
{
	struct vtb_json *doc;
	int r = vtb_json_parse("result of an item", line, size, &doc, err);

	if (r < 0)
		return r;
	if (strcmp(vtb_json_format(doc), "vtb-cluster") == 0) {
		r = told(d, doc, err);
	} else {
		r = vtb_item_result_read(doc, ret);
		r = r < 0 ? r : 1;
	}
	vtb_json_free(doc);
	return r;
}

/* 1: a result; 0: no whole line is there. */
static int take_lines(struct vtb_item_driver *d, struct vtb_item_result *ret, struct vtb_error *err)
{
	const char *end;
	int r = 0;

	while (r == 0 && d->in.at < d->in.n_text &&
	       (end = memchr(d->in.text + d->in.at, '\n', d->in.n_text - d->in.at))) {
		const char *line = d->in.text + d->in.at;

		r = take_line(d, line, (size_t)(end - line), ret, err);
		d->in.at = (size_t)(end - d->in.text) + 1;
	}
	return r;
}

static int trouble(int r, struct vtb_error *err)
{
	if (r == -VTB_E_TOOL && err && !err->text[0])
		vtb_error_set(err, r, NULL, 0, "what runs the items has ended");
	return r;
}

int vtb_item_driver_take(struct vtb_item_driver *d, double seconds, struct vtb_item_result *ret, struct vtb_error *err)
{
	const double until = vtb_stop_clock() + seconds;
	int r = take_lines(d, ret, err);

	for (double left = seconds; r == 0 && left >= 0; left = until - vtb_stop_clock()) {
		struct pollfd ready[] = { { .fd = d->from, .events = POLLIN },
			                  { .fd = d->out.at < d->out.n_text ? d->to : -1, .events = POLLOUT } };

		if (poll(ready, 2, (int)(left * 1000) + 1) <= 0)
			break;
		if (ready[0].revents) {
			const int got = read_some(d);

			r = take_lines(d, ret, err);
			r = r ? r : got;
		}
		if (r == 0 && ready[1].revents)
			r = write_some(d);
	}
	return trouble(r, err);
}
