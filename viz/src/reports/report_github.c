/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands of GitHub's runner: the failure as an error at its place, the operations of its cause as notices at theirs,
 * accesses without their lock as warnings; a step shows ten of a kind, so there are no more. What they say is escaped:
 * no name of the program's can end it. */
#include "reporter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report_causes_text.h"
#include "vtb/plain.h"

#define NOTICES_MAX 10u

/* Percent, line ends, and in properties what separates them. */
static void put(FILE *f, const char *s, bool property)
{
	size_t n = strlen(s);

	while (n) {
		const size_t take = vtb_plain_length(s, n);
		const size_t step = take ? take : *s == '\n' ? 1 : vtb_plain_skip(s, n);

		if (*s == '%' || *s == '\n' || (property && (*s == ':' || *s == ',')))
			fprintf(f, "%%%02X", (unsigned)*s);
		else if (take)
			fwrite(s, 1, take, f);
		else
			fputs("\ufffd", f);
		s += step;
		n -= step;
	}
}

/* A path as the runner knows it: below the program's directory, without that. */
static const char *relative(const struct report *report, const char *path)
{
	const char *cwd = report->trace->cwd;
	const size_t n = cwd ? strlen(cwd) : 0;

	return n > 1 && !strncmp(path, cwd, n) && path[n] == '/' ? path + n + 1 : path;
}

static void put_command(FILE *f, const char *command, const char *file, uint32_t line, const char *title,
                        const char *message)
{
	fprintf(f, "::%s ", command);
	if (*file) {
		fputs("file=", f);
		put(f, file, true);
		fprintf(f, ",line=%u,", line ? line : 1);
	}
	fputs("title=", f);
	put(f, title, true);
	fputs("::", f);
	put(f, message, false);
	fputc('\n', f);
}

static const struct vtb_site *failing_site(const struct report *report)
{
	static const struct vtb_site nowhere = { .file = "" };
	const struct vtb_symtab *tab = &report->trace->tab;
	const uint32_t site = report->trace->outcome.site;

	if (site < tab->n_sites && tab->sites[site].file[0])
		return &tab->sites[site];
	for (size_t i = report->picture->n_cells; i-- > 0;)
		if (report->picture->cells[i].site < tab->n_sites && tab->sites[report->picture->cells[i].site].file[0])
			return &tab->sites[report->picture->cells[i].site];
	return &nowhere;
}

/* As warnings of their own at the lines that lack the lock. */
static void put_warnings(FILE *f, const struct report *report)
{
	const struct vtb_suspicions *all = &report->failure->warnings;

	for (size_t i = 0; i < all->n_suspicions && i < NOTICES_MAX; i++)
		put_command(f, "warning", relative(report, all->suspicions[i].places[0].file),
		            all->suspicions[i].places[0].line, "access without the lock that others hold",
		            all->suspicions[i].text);
}

static int put_error(FILE *f, const struct report *report)
{
	const struct vtb_site *site = failing_site(report);
	struct text text = { 0 };
	char *message;

	text_add(&text, report->picture->message);
	if (report->failure) {
		text_add(&text, "\n");
		text_add_causes(&text, report->failure);
		if (report->failure->replay_command)
			text_printf(&text, "replay: %s", report->failure->replay_command);
	}
	message = text_take(&text);
	if (message)
		put_command(f, "error", relative(report, site->file), site->line, report->picture->title, message);
	free(message);
	return message ? 0 : -ENOMEM;
}

static void put_notice(FILE *f, const struct report *report, const struct vtb_cause_op *op, const char *order)
{
	if (op->file && op->file[0])
		put_command(f, "notice", relative(report, op->file), op->line, "part of the failure's cause", order);
}

static void put_notices(FILE *f, const struct report *report, const struct vtb_cause *c)
{
	char order[1200];

	for (size_t i = 0; i < c->n_orders && 2 * i + 1 < NOTICES_MAX; i++) {
		vtb_cause_order_words(&c->orders[i], order, sizeof(order));
		put_notice(f, report, &c->orders[i].before, order);
		put_notice(f, report, &c->orders[i].after, order);
	}
}

static int write(const struct report *report, FILE *f, struct vtb_error *err)
{
	if (!report->trace)
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, report->path, 0,
		                     "is a schedule that has not run: there is no result to report");
	if (!report->picture->failed)
		return 0;
	if (put_error(f, report) < 0)
		return vtb_error_set(err, -ENOMEM, report->path, 0, "not enough memory");
	if (report->failure && report->failure->causes.n_causes)
		put_notices(f, report, &report->failure->causes.causes[0]);
	if (report->failure)
		put_warnings(f, report);
	return 0;
}

const struct reporter reporter_github = {
	.format = { "github", "annotations for GitHub's runner: the failure, the operations of its cause, warnings" },
	.write = write,
};
