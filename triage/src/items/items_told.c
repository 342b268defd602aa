/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "items_told.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

#define ENOUGH 8u /* not completed, and none completed: others will not be either */

void vtb_items_told_fini(struct vtb_items_told *told)
{
	for (size_t i = 0; i < told->n_kinds; i++)
		free(told->kinds[i].name);
	free(told->kinds);
	free(told->ended);
	for (size_t i = 0; i <= VTB_ITEM_TROUBLE; i++)
		free(told->why[i]);
	*told = (struct vtb_items_told){ 0 };
}

static const char *strategy_of(const struct vtb_item_wish *wish)
{
	for (size_t i = 0; wish->options && wish->options[i]; i++)
		if (strncmp(wish->options[i], "strategy=", 9) == 0)
			return wish->options[i] + 9;
	return "portfolio";
}

static int count(struct vtb_items_told *told, const char *strategy)
{
	int r;

	told->completed++;
	for (size_t i = 0; i < told->n_kinds; i++)
		if (strcmp(told->kinds[i].name, strategy) == 0) {
			told->kinds[i].completed++;
			return 0;
		}
	r = vtb_array_room(told, kinds);
	if (r >= 0) {
		told->kinds[told->n_kinds] = (struct vtb_items_kind){ .name = strdup(strategy), .completed = 1 };
		r = told->kinds[told->n_kinds].name ? 0 : -ENOMEM;
		told->n_kinds += r >= 0;
	}
	return r;
}

int vtb_items_told_add(struct vtb_items_told *told, const struct vtb_item_wish *wish,
                       const struct vtb_item_result *result)
{
	char **why = result ? &told->why[result->state] : NULL;

	if (!result) {
		told->begun++;
		return 0;
	}
	if (result->state == VTB_ITEM_COMPLETED)
		return count(told, strategy_of(wish));
	told->not_completed[result->state]++;
	if (!*why && asprintf(why, "%s: %s", wish->id, result->why ? result->why : "nothing is said") < 0) {
		*why = NULL;
		return -ENOMEM;
	}
	return 0;
}

int vtb_items_told_end(struct vtb_items_told *told, const char *why)
{
	told->ended = strdup(why);
	return told->ended ? 0 : -ENOMEM;
}

void vtb_items_told_workers(struct vtb_items_told *told, uint32_t workers)
{
	told->workers = workers > told->workers ? workers : told->workers;
}

bool vtb_items_told_hopeless(const struct vtb_items_told *told)
{
	return !told->completed &&
	       told->not_completed[VTB_ITEM_REFUSED] + told->not_completed[VTB_ITEM_TROUBLE] >= ENOUGH;
}

static void say_not(const struct vtb_items_told *told, FILE *to)
{
	static const char *const words[] = { [VTB_ITEM_COMPLETED] = "",
		                             [VTB_ITEM_CUT] = "cut off",
		                             [VTB_ITEM_REFUSED] = "refused",
		                             [VTB_ITEM_TROUBLE] = "could not be run" };

	for (size_t i = VTB_ITEM_CUT; i <= VTB_ITEM_TROUBLE; i++)
		if (told->not_completed[i])
			fprintf(to, " %" PRIu64 " %s %s; the first, %s.", told->not_completed[i],
			        i == VTB_ITEM_TROUBLE         ? ""
			        : told->not_completed[i] == 1 ? "was"
			                                      : "were",
			        words[i], told->why[i]);
	if (told->ended)
		fprintf(to, " No more came: %s.", told->ended);
	if (told->begun)
		fprintf(to, " %" PRIu64 " %s given out and had not come back.", told->begun,
		        told->begun == 1 ? "was" : "were");
}

char *vtb_items_told_text(const struct vtb_items_told *told)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fprintf(to, "It was made as items, of which %" PRIu64 " %s completed", told->completed,
	        told->completed == 1 ? "was" : "were");
	for (size_t i = 0; i < told->n_kinds; i++)
		fprintf(to, "%s%s %" PRIu64, i ? ", " : " (", told->kinds[i].name, told->kinds[i].completed);
	fprintf(to, "%s, on %u worker%s; what is claimed, one of them shows by itself.", told->n_kinds ? ")" : "",
	        told->workers, told->workers == 1 ? "" : "s");
	say_not(told, to);
	return fclose(to) == 0 ? text : NULL;
}
