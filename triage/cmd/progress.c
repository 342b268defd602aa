/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "vtb/hunt_report.h"

#define EVERY_SECONDS 10.0

static volatile sig_atomic_t interrupted, aborted;

static void on_interrupt(int signal)
{
	(void)signal;
	if (interrupted)
		aborted = 1;
	interrupted = 1;
}

unsigned vtb_progress_width(FILE *stream)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long n = 0;

	if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col)
		n = size.ws_col;
	else if (columns)
		n = strtol(columns, NULL, 10);
	return n >= 40 && n <= 1000 ? (unsigned)n : 80;
}

static void report(const struct vtb_hunt_progress *progress, void *data)
{
	struct vtb_progress *p = data;
	char line[400];

	if (p->terminal) {
		fprintf(stderr, "\r%s\033[K", vtb_hunt_progress_line(progress, p->width - 1, line, sizeof(line)));
		fflush(stderr);
		p->drawn = true;
		return;
	}
	if (progress->seconds - p->last < EVERY_SECONDS)
		return;
	p->last = progress->seconds;
	fprintf(stderr, "vtb hunt: %s\n", vtb_hunt_progress_line(progress, 200, line, sizeof(line)));
}

/* One that was ignored when we were started, as nohup has it, stays so. */
static void take_signals(const struct sigaction *sa, bool ours)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!ours || sigaction(signals[i], NULL, &old) < 0 || signals[i] != SIGHUP || old.sa_handler != SIG_IGN)
			sigaction(signals[i], sa, NULL);
}

void vtb_progress_begin(struct vtb_progress *p, bool silent, struct vtb_hunt_opts *opts)
{
	const char *term = getenv("TERM");
	struct sigaction sa = {.sa_handler = on_interrupt};

	*p = (struct vtb_progress){.silent = silent, .width = vtb_progress_width(stderr)};
	p->terminal = isatty(STDERR_FILENO) && term && *term && !(term[0] == 'd' && term[1] == 'u'); /* not "dumb" */
	sigemptyset(&sa.sa_mask);
	take_signals(&sa, true);
	opts->interrupted = &interrupted;
	opts->aborted = &aborted;
	opts->progress = silent ? NULL : report;
	opts->data = p;
}

void vtb_progress_end(struct vtb_progress *p)
{
	struct sigaction sa = {.sa_handler = SIG_DFL};

	if (p->drawn)
		fputs("\r\033[K", stderr);
	take_signals(&sa, false);
}
