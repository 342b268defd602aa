/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "vtb/cli.h"
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
	const unsigned n = vtb_cli_width(stream);

	return n ? n : 80;
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
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!ours || sigaction(signals[i], NULL, &old) < 0 || signals[i] != SIGHUP || old.sa_handler != SIG_IGN)
			sigaction(signals[i], sa, NULL);
}

/* Lines of the terminal that it takes; 0: it does not fit, and could not be replaced. */
static unsigned count_lines(const char *text, FILE *terminal)
{
	struct winsize size;
	unsigned n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return ioctl(fileno(terminal), TIOCGWINSZ, &size) == 0 && n + 1 < size.ws_row ? n : 0;
}

static void clear_line(struct vtb_progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
	fflush(stderr);
}

/* The block of what is known so far takes the place of an earlier one. */
static bool draw_block(const struct vtb_hunt_result *result, struct vtb_progress *p)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	unsigned lines = 0;

	if (to)
		vtb_hunt_report(result, &p->style, to);
	if (to && fclose(to) == 0)
		lines = count_lines(text, stdout);
	if (lines) {
		vtb_progress_erase(p);
		to = vtb_cli_text(stdout);
		fputs(text, to);
		fclose(to);
		p->lines = lines;
	}
	free(text);
	return lines;
}

static void tell_found(const struct vtb_hunt_result *result, const struct vtb_finding *f, double seconds, void *data)
{
	struct vtb_progress *p = data;
	char text[700];
	FILE *to;

	clear_line(p);
	if (p->silent || (p->terminal && isatty(STDOUT_FILENO) && !p->no_block && draw_block(result, p)))
		return;
	to = vtb_cli_text(stderr);
	fprintf(to, "vtb hunt: found: %s\n", vtb_hunt_found_line(result, f, seconds, text, sizeof(text)));
	fclose(to);
}

void vtb_progress_erase(struct vtb_progress *p)
{
	clear_line(p);
	if (p->lines)
		printf("\033[%uA\033[J", p->lines);
	p->lines = 0;
}

void vtb_progress_begin(struct vtb_progress *p, bool silent, struct vtb_hunt_opts *opts)
{
	const char *term = getenv("TERM");
	struct sigaction sa = { .sa_handler = on_interrupt };

	*p = (struct vtb_progress){ .silent = silent, .width = vtb_progress_width(stderr) };
	p->terminal = isatty(STDERR_FILENO) && term && *term && !(term[0] == 'd' && term[1] == 'u'); /* not "dumb" */
	sigemptyset(&sa.sa_mask);
	take_signals(&sa, true);
	opts->interrupted = &interrupted;
	opts->aborted = &aborted;
	opts->progress = silent ? NULL : report;
	opts->found = tell_found;
	opts->data = p;
}

void vtb_progress_end(struct vtb_progress *p)
{
	struct sigaction sa = { .sa_handler = SIG_DFL };

	clear_line(p);
	take_signals(&sa, false);
}
