/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/baseline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vtb/array.h"
#include "vtb/json.h"

#define BYTES_MAX ((size_t)64 << 20)

void vtb_baseline_fini(struct vtb_baseline *b)
{
	for (size_t i = 0; i < b->n_known; i++) {
		free(b->known[i].signature);
		free(b->known[i].reason);
	}
	free(b->known);
	*b = (struct vtb_baseline){ 0 };
}

char *vtb_baseline_today(char buf[11])
{
	const time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(buf, 11, "%Y-%m-%d", &tm);
	return buf;
}

/* "2027-01-31": such days compare as texts. */
static bool is_day(const char *text)
{
	static const char like[] = "dddd-dd-dd";
	struct tm tm = { 0 };
	const char *end;

	for (size_t i = 0; i < sizeof(like); i++)
		if (like[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != like[i])
			return false;
	end = strptime(text, "%Y-%m-%d", &tm);
	return end && !*end;
}

static int add(struct vtb_json *doc, const struct vtb_json_node *entry, const char *today, struct vtb_baseline *b)
{
	const char *signature = vtb_json_get_string(doc, entry, "signature"),
	           *until = vtb_json_get_string(doc, entry, "until"),
	           *reason = vtb_json_get_string(doc, entry, "reason");
	struct vtb_known known = { 0 };

	if (vtb_json_status(doc) < 0)
		return vtb_json_status(doc);
	if (!is_day(until))
		return vtb_json_fail(doc, entry, "until", 0, -VTB_E_SCHEMA,
		                     "found \"%s\", expected a day like 2027-01-31", until);
	if (!*signature || !*reason)
		return vtb_json_fail(doc, entry, *signature ? "reason" : "signature", 0, -VTB_E_SCHEMA,
		                     "found \"\", expected a text");
	memcpy(known.until, until, sizeof(known.until));
	known.expired = strcmp(until, today) < 0;
	known.signature = strdup(signature);
	known.reason = strdup(reason);
	if (!known.signature || !known.reason || vtb_array_room(b, known) < 0) {
		free(known.signature);
		free(known.reason);
		return -ENOMEM;
	}
	b->known[b->n_known++] = known;
	return 0;
}

int vtb_baseline_read(const char *path, const char *today, struct vtb_baseline *ret, struct vtb_error *err)
{
	const struct vtb_json_node *list;
	struct vtb_baseline b = { 0 };
	struct vtb_json *doc;
	int r = vtb_json_read(path, BYTES_MAX, &doc, err);

	if (r < 0)
		return r;
	r = vtb_json_expect(doc, vtb_json_root(doc), "vtb-baseline", VTB_BASELINE_VERSION);
	list = r < 0 ? NULL : vtb_json_get_array(doc, vtb_json_root(doc), "known", VTB_BASELINE_LIMIT);
	r = vtb_json_status(doc);
	for (size_t i = 0; r == 0 && i < vtb_json_count(list); i++)
		r = add(doc, vtb_json_item_object(doc, list, i), today, &b);
	vtb_json_free(doc);
	if (r == -ENOMEM)
		vtb_error_set(err, r, path, 0, "not enough memory");
	if (r < 0)
		vtb_baseline_fini(&b);
	else
		*ret = b;
	return r;
}

bool vtb_baseline_knows(struct vtb_baseline *b, const char *signature)
{
	for (size_t i = 0; b && signature && i < b->n_known; i++) {
		if (b->known[i].expired || strcmp(b->known[i].signature, signature) != 0)
			continue;
		b->known[i].met++;
		return true;
	}
	return false;
}

void vtb_baseline_tell(const struct vtb_baseline *b, FILE *to)
{
	for (size_t i = 0; i < b->n_known; i++) {
		const struct vtb_known *k = &b->known[i];

		if (k->expired)
			fprintf(to, "  expired    %s: put up with until %s (%s)\n", k->signature, k->until, k->reason);
		else if (k->met)
			fprintf(to, "  known      %s: in %" PRIu64 " run%s, put up with until %s (%s)\n", k->signature,
			        k->met, k->met == 1 ? "" : "s", k->until, k->reason);
		else
			fprintf(to, "  not met    %s: is it still needed? (%s)\n", k->signature, k->reason);
	}
}
