/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a runner learns from its runs, and what it has to know when others were not made. */
#include <stdlib.h>

#include "kept_priv.h"
#include "kept_records.h"

void kept_put_learnt(struct vtb_kept *kept)
{
	struct vtb_runner *runner = kept->runner;
	struct kept_out record = { 0 };
	uint64_t *words = NULL;
	size_t n;

	if (runner->lessons == kept->lessons || !runner->ops->learnt || kept->trouble[0])
		return;
	kept->lessons = runner->lessons;
	n = runner->ops->learnt(runner, &words);
	for (size_t i = 0; i < n; i++)
		kept_put(&record, words[i]);
	if (n && !record.failed)
		kept_put_record(&kept->block, KEPT_LEARNT, &record);
	free(record.bytes);
	free(words);
}

int kept_tell_names(struct vtb_kept *kept)
{
	struct vtb_runner *runner = kept->runner;
	const bool any = kept->names.added && runner->ops->named;

	kept->names.added = false;
	return any ? runner->ops->named(runner) : 0;
}

int kept_tell_runner(struct vtb_kept *kept)
{
	struct vtb_runner *runner = kept->runner;
	uint64_t *words = NULL;
	const int r = kept_tell_names(kept);

	if (kept->learn && runner->ops->learn) {
		const size_t n = kept_index_learnt(kept, kept->latest_run - 1, &words);

		if (n)
			runner->ops->learn(runner, words, n);
		free(words);
	}
	kept->learn = false;
	return r;
}
