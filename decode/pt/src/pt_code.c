/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "pt_flow.h"
#include "vtb/array.h"

#define FIRST_BUCKETS 4096u

/* Instructions in order of discovery; an open-addressing table of indices + 1 (0: free) finds them by address. */
struct vtb_pt_code {
	struct vtb_pt_probe *probe;
	struct vtb_pt_insn *insns;
	size_t n_insns, cap_insns;
	uint32_t *buckets; /* a power of two of them, at most half full */
	size_t n_buckets;
};

int vtb_pt_code_new(const struct vtb_pt_image *image, struct vtb_pt_code **ret)
{
	struct vtb_pt_code *code = calloc(1, sizeof(*code));
	int r = -ENOMEM;

	if (!code)
		return -ENOMEM;
	code->n_buckets = FIRST_BUCKETS;
	code->buckets = calloc(code->n_buckets, sizeof(*code->buckets));
	if (code->buckets)
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
	free(code->buckets);
	free(code);
}

/* The bucket that holds `ip`, or the free one where it belongs. */
static uint32_t *bucket(const struct vtb_pt_code *code, uint64_t ip)
{
	size_t i = ip * 0x9E3779B97F4A7C15ull >> 20; /* Fibonacci hashing */

	for (;; i++) {
		uint32_t *b = &code->buckets[i & (code->n_buckets - 1)];

		if (*b == 0 || code->insns[*b - 1].ip == ip)
			return b;
	}
}

static int grow(struct vtb_pt_code *code)
{
	uint32_t *old = code->buckets;
	uint32_t *buckets;

	if (code->n_insns * 2 < code->n_buckets)
		return 0;
	if (code->n_insns >= VTB_PT_NO_INSN - 1)
		return -ENOMEM;
	buckets = calloc(code->n_buckets * 2, sizeof(*buckets));
	if (!buckets)
		return -ENOMEM;
	code->buckets = buckets;
	code->n_buckets *= 2;
	free(old);
	for (size_t i = 0; i < code->n_insns; i++)
		*bucket(code, code->insns[i].ip) = (uint32_t)i + 1;
	return 0;
}

static int64_t insert(struct vtb_pt_code *code, const struct vtb_pt_insn *insn)
{
	uint32_t *b = bucket(code, insn->ip);
	int r;

	if (*b)
		return *b - 1;
	r = grow(code);
	if (r < 0)
		return r;
	r = vtb_array_room(code, insns);
	if (r < 0)
		return r;
	code->insns[code->n_insns] = *insn;
	code->insns[code->n_insns].next = VTB_PT_NO_INSN;
	*bucket(code, insn->ip) = (uint32_t)++code->n_insns;
	return (int64_t)code->n_insns - 1;
}

int64_t vtb_pt_code_at(struct vtb_pt_code *code, uint64_t ip)
{
	struct vtb_pt_insn run[VTB_PT_PROBE_MAX];
	const uint32_t known = *bucket(code, ip);
	int64_t first = -VTB_E_DESYNC;
	int n;

	if (known)
		return known - 1;
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
	next = vtb_pt_code_at(code, insn->class == VTB_PT_JUMP || insn->class == VTB_PT_CALL ? insn->target : insn->ip + insn->size);
	if (next >= 0)
		code->insns[index].next = (uint32_t)next;
	return next;
}

struct vtb_pt_insn *vtb_pt_code_insn(struct vtb_pt_code *code, uint32_t index)
{
	return &code->insns[index];
}
