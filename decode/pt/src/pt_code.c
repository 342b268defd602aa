/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "pt_flow.h"
#include "vtb/array.h"
#include "vtb/map64.h"

/* Instructions in order of discovery. */
struct vtb_pt_code {
	struct vtb_pt_probe *probe;
	struct vtb_pt_insn *insns;
	size_t n_insns, cap_insns;
	struct vtb_map64 by_ip; /* -> index in insns */
};

int vtb_pt_code_new(const struct vtb_pt_image *image, struct vtb_pt_code **ret)
{
	struct vtb_pt_code *code = calloc(1, sizeof(*code));
	int r;

	if (!code)
		return -ENOMEM;
	r = vtb_pt_probe_new(image, &code->probe);
	if (r < 0)
		vtb_pt_code_free(code);
	else
		*ret = code;
	return r;
}

void vtb_pt_code_free(struct vtb_pt_code *code)
{
	if (!code)
		return;
	vtb_pt_probe_free(code->probe);
	free(code->insns);
	vtb_map64_fini(&code->by_ip);
	free(code);
}

static int64_t insert(struct vtb_pt_code *code, const struct vtb_pt_insn *insn)
{
	const uint64_t *known = vtb_map64_at(&code->by_ip, insn->ip);
	int r;

	if (known)
		return (int64_t)*known;
	if (code->n_insns >= VTB_PT_NO_INSN - 1)
		return -ENOMEM;
	r = vtb_array_room(code, insns);
	if (r >= 0)
		r = vtb_map64_set(&code->by_ip, insn->ip, code->n_insns);
	if (r < 0)
		return r;
	code->insns[code->n_insns] = *insn;
	code->insns[code->n_insns].next = VTB_PT_NO_INSN;
	return (int64_t)code->n_insns++;
}

int64_t vtb_pt_code_at(struct vtb_pt_code *code, uint64_t ip)
{
	struct vtb_pt_insn run[VTB_PT_PROBE_MAX];
	const uint64_t *known = vtb_map64_at(&code->by_ip, ip);
	int64_t first = -VTB_E_DESYNC;
	int n;

	if (known)
		return (int64_t)*known;
	n = vtb_pt_probe_at(code->probe, ip, run);
	if (n < 0)
		return n;
	for (int i = 0; i < n; i++) {
		const int64_t index = insert(code, &run[i]);

		if (index < 0)
			return index;
		if (i == 0)
			first = index;
	}
	return first;
}

int64_t vtb_pt_code_next(struct vtb_pt_code *code, uint32_t index)
{
	const struct vtb_pt_insn *insn = &code->insns[index];
	int64_t next;

	if (insn->next != VTB_PT_NO_INSN)
		return insn->next;
	next = vtb_pt_code_at(code, insn->class == VTB_PT_JUMP || insn->class == VTB_PT_CALL ? insn->target
	                                                                                     : insn->ip + insn->size);
	if (next >= 0)
		code->insns[index].next = (uint32_t)next;
	return next;
}

struct vtb_pt_insn *vtb_pt_code_insn(struct vtb_pt_code *code, uint32_t index)
{
	return &code->insns[index];
}
