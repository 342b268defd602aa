/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counts as a failure beyond what the runtime sees: exit statuses and output. */
#ifndef VTB_VERDICT_H
#define VTB_VERDICT_H

#include "vtb/process_runner.h"

struct pass_rule {
	int *statuses;
	size_t n_statuses;
	bool any_status;
	bool check_output;
	uint64_t output_hash, output_size;
	char output_name[256];
};

/* Takes copies; reads the file with the expected output. */
int vtb_pass_rule_init(struct pass_rule *rule, const struct vtb_pass_rule *from, struct vtb_error *err);
void vtb_pass_rule_fini(struct pass_rule *rule);
/* Give a run that the runtime has no complaint about its verdict. */
void vtb_pass_rule_apply(const struct pass_rule *rule, struct vtb_wire_outcome *o);

/* FNV-1a 64, the hash of captured output (vtb/wire.h). Source: http://www.isthe.com/chongo/tech/comp/fnv/. */
#define FNV1A_START 0xcbf29ce484222325ull
uint64_t vtb_fnv1a(uint64_t hash, const void *data, size_t size);

#endif /* VTB_VERDICT_H */
