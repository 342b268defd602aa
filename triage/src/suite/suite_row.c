/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite_row.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/hunt_report.h"

void vtb_suite_fini(struct vtb_suite *suite)
{
	for (size_t i = 0; i < suite->n_rows; i++) {
		free(suite->rows[i].said);
		free(suite->rows[i].failure);
	}
	free(suite->rows);
	*suite = (struct vtb_suite){ 0 };
}

static char *words_of(const struct vtb_hunt_result *result)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	vtb_hunt_report_short(result, to);
	if (fclose(to) != 0)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text;
}

int vtb_suite_row_take(struct vtb_suite_row *row, const struct vtb_hunt_result *result)
{
	const int code = vtb_hunt_exit_code(result);
	const bool better = !row->hunted || code == 1 || (code == 0 && row->exit_code == 3);
	const char *failure = result->n_findings ? result->findings[0].failure_path : NULL,
	           *stopped = result->facts.stopped;

	row->rounds++;
	row->schedules += result->facts.schedules;
	row->seconds += result->facts.seconds;
	row->classes = result->facts.classes > row->classes ? result->facts.classes : row->classes;
	if (result->warnings.n_suspicions > row->warnings)
		row->warnings = result->warnings.n_suspicions;
	row->open = code != 1 && stopped && strcmp(stopped, "time") == 0;
	if (!better)
		return 0;
	row->hunted = true;
	row->exit_code = code;
	row->verdict = result->verdict;
	free(row->said);
	free(row->failure);
	row->said = words_of(result);
	row->failure = failure ? strdup(failure) : NULL;
	return row->said && (row->failure || !failure) ? 0 : -ENOMEM;
}
