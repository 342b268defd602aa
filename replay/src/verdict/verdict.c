/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verdict.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t vtb_fnv1a(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ p[i]) * 0x100000001b3ull;
	return hash;
}

static int hash_file(const char *path, uint64_t *ret_hash, uint64_t *ret_size, struct vtb_error *err)
{
	FILE *f = fopen(path, "re");
	char buf[8192];
	uint64_t hash = FNV1A_START, size = 0;
	size_t n;
	int r;

	if (!f)
		return vtb_error_set(err, -errno, path, 0, "cannot read the expected output: %s", vtb_strerror(-errno));
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0) {
		if (size < VTB_OUTPUT_MAX) /* a multiple of the buffer */
			hash = vtb_fnv1a(hash, buf, n);
		size += n;
	}
	r = ferror(f) ? -EIO : 0;
	fclose(f);
	if (r < 0)
		return vtb_error_set(err, r, path, 0, "cannot read the expected output: %s", vtb_strerror(r));
	*ret_hash = hash;
	*ret_size = size;
	return 0;
}

int vtb_pass_rule_init(struct pass_rule *rule, const struct vtb_pass_rule *from, struct vtb_error *err)
{
	*rule = (struct pass_rule){ .any_status = from->any_exit_status, .check_output = from->output != NULL };
	if (from->exit_statuses) {
		rule->statuses = calloc(from->n_exit_statuses + 1, sizeof(*rule->statuses));
		if (!rule->statuses)
			return vtb_error_set(err, -ENOMEM, NULL, 0, "%s", vtb_strerror(-ENOMEM));
		memcpy(rule->statuses, from->exit_statuses, from->n_exit_statuses * sizeof(*rule->statuses));
		rule->n_statuses = from->n_exit_statuses;
	}
	if (!from->output)
		return 0;
	snprintf(rule->output_name, sizeof(rule->output_name), "%s", from->output);
	return hash_file(from->output, &rule->output_hash, &rule->output_size, err);
}

void vtb_pass_rule_fini(struct pass_rule *rule)
{
	free(rule->statuses);
	*rule = (struct pass_rule){ 0 };
}

static bool status_passes(const struct pass_rule *rule, uint32_t status)
{
	if (rule->any_status)
		return true;
	if (!rule->statuses)
		return status == 0;
	for (size_t i = 0; i < rule->n_statuses; i++)
		if ((uint32_t)rule->statuses[i] == status)
			return true;
	return false;
}

static void fail(struct vtb_wire_outcome *o, enum vtb_verdict verdict, const char *fmt, const char *text,
                 uint32_t number)
{
	o->verdict = verdict;
	if (!o->message[0])
		snprintf(o->message, sizeof(o->message), fmt, text, number);
}

void vtb_pass_rule_apply(const struct pass_rule *rule, struct vtb_wire_outcome *o)
{
	if (o->verdict != VTB_V_NONE)
		return;
	if (o->signal)
		fail(o, VTB_V_SIGNAL, "%ssignal %u", "", o->signal);
	else if (!status_passes(rule, o->exit_status))
		fail(o, VTB_V_EXIT, "%sexit status %u", "", o->exit_status);
	else if (rule->check_output && (o->output_hash != rule->output_hash || o->output_size != rule->output_size))
		fail(o, VTB_V_OUTPUT, "the output is not that of %s (%u bytes)", rule->output_name,
		     (uint32_t)o->output_size);
}
