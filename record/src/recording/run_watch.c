/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run_watch.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TICK_NSEC 200000000L /* progress, and the longest we are blind to a time limit */
#define TIMEOUT_GRACE 1.0    /* seconds between SIGTERM and SIGKILL when the time is over */
#define INTERRUPT_GRACE 5.0  /* seconds that a program has to react to the user's signal */

static sigset_t watched, before;

struct watch {
	struct vtb_run *run;
	const struct vtb_backend *backend;
	struct vtb_record_result *res;
	double began;
	double kill_at;   /* 0: not yet decided */
	uint32_t signals; /* bit s: signal s was forwarded already */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void vtb_watch_begin(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGUSR2 };

	sigemptyset(&watched);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&watched, signals[i]);
	sigprocmask(SIG_BLOCK, &watched, &before);
	vtb_launch_adopt();
}

void vtb_watch_end(void)
{
	const struct timespec no_time = { 0 };

	while (sigtimedwait(&watched, NULL, &no_time) > 0)
		;
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void kill_group(const struct watch *w, int signal)
{
	kill(-w->run->child.pid, signal);
	kill(-w->run->child.pid, SIGCONT); /* a stopped program must wake up to die */
}

static void forward(struct watch *w, int signal)
{
	const uint32_t bit = 1u << (unsigned)signal;

	kill_group(w, w->signals & bit ? SIGKILL : signal);
	w->signals |= bit;
	w->res->status = VTB_RECORD_INTERRUPTED;
	if (w->kill_at <= 0)
		w->kill_at = now() + INTERRUPT_GRACE;
}

/* A dump that cannot be written is no reason to lose the recording: it is not there, that is all. */
static void dump(struct watch *w)
{
	if (w->backend->dump && w->run->opts->snapshot)
		w->backend->dump(w->run);
	else
		kill(-w->run->child.pid, SIGUSR2);
}

static void check_time(struct watch *w)
{
	const double t = now();

	if (w->kill_at > 0) {
		if (t >= w->kill_at)
			kill_group(w, SIGKILL);
	} else if (w->run->opts->timeout_msec && t - w->began >= w->run->opts->timeout_msec / 1000.0) {
		w->res->status = VTB_RECORD_TIMEOUT;
		w->kill_at = t + TIMEOUT_GRACE;
		kill_group(w, SIGTERM);
	}
}

static void report(struct watch *w)
{
	const struct vtb_record_opts *opts = w->run->opts;
	struct vtb_record_progress p = { .run = w->res->runs,
		                         .runs = opts->repeat ? opts->repeat : 1,
		                         .seconds = now() - w->began };

	if (!opts->progress)
		return;
	if (w->backend->poll)
		w->backend->poll(w->run, &p);
	opts->progress(opts->progress_arg, &p);
}

/* The user stopped the program at its terminal: stop as well, go on with it later. */
static void stop_with_it(struct watch *w)
{
	if (!w->run->child.has_terminal)
		return;
	tcsetpgrp(STDIN_FILENO, getpgrp());
	raise(SIGSTOP);
	tcsetpgrp(STDIN_FILENO, w->run->child.pid);
	kill(-w->run->child.pid, SIGCONT);
}

/* A program that owns the terminal gets Ctrl-C without us: its death by SIGINT is the user's wish. */
static void conclude(struct watch *w)
{
	struct vtb_record_result *res = w->res;

	res->seconds = now() - w->began;
	if (res->status == VTB_RECORD_TIMEOUT)
		res->exit_code = VTB_RECORD_TIMED_OUT;
	else if (res->status == VTB_RECORD_RUNNING)
		res->status =
		    w->run->child.has_terminal && res->signal == SIGINT ? VTB_RECORD_INTERRUPTED : VTB_RECORD_ENDED;
}

/* Until the next tick or signal, or the moment the time is over. */
static struct timespec how_long(const struct watch *w)
{
	const double limit = w->kill_at > 0               ? w->kill_at
	                     : w->run->opts->timeout_msec ? w->began + w->run->opts->timeout_msec / 1000.0
	                                                  : 0;
	double left = limit > 0 ? limit - now() : 1;

	left = left < 0.001 ? 0.001 : left;
	return (struct timespec){ .tv_nsec = left < TICK_NSEC / 1e9 ? (long)(left * 1e9) : TICK_NSEC };
}

void vtb_watch(struct vtb_run *run, const struct vtb_backend *backend, struct vtb_record_result *res)
{
	struct watch w = { .run = run, .backend = backend, .res = res, .began = now() };
	enum vtb_child_news news;
	double reported = w.began;

	while ((news = vtb_child_poll(&run->child, &res->exit_code, &res->signal)) != VTB_CHILD_ENDED) {
		const struct timespec tick = how_long(&w);
		int signal;

		if (news == VTB_CHILD_STOPPED)
			stop_with_it(&w);
		signal = sigtimedwait(&watched, NULL, &tick);
		if (signal == SIGUSR2)
			dump(&w);
		else if (signal > 0 && signal != SIGCHLD)
			forward(&w, signal);
		check_time(&w);
		if (now() - reported >= TICK_NSEC / 1e9) {
			reported = now();
			report(&w);
		}
	}
	conclude(&w);
}
