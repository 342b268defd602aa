/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pt_file.h"

#include <errno.h>
#include <string.h>

/* perf's own records; numbers as in tools/perf. */
enum { RECORD_HEADER_ATTR = 64, RECORD_AUXTRACE_INFO = 70, RECORD_AUXTRACE = 71, RECORD_HEADER_FEATURE = 80 };
#define FEATURE_CPUID 9u
#define AUXTRACE_INTEL_PT 1u
#define IDS_MAX 4096u

static int put(FILE *file, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, file) == n ? 0 : -EIO;
}

static int put_head(FILE *file, uint32_t type, size_t body)
{
	const struct perf_event_header h = { .type = type, .size = (uint16_t)(sizeof(h) + body) };

	return put(file, &h, sizeof(h));
}

static int put_attr(FILE *file, const struct perf_event_attr *attr, const uint64_t *ids, size_t n)
{
	int r = put_head(file, RECORD_HEADER_ATTR, sizeof(*attr) + n * 8);

	if (r >= 0)
		r = put(file, attr, sizeof(*attr));
	return r < 0 ? r : put(file, ids, n * 8);
}

static int put_cpu(FILE *file, const struct pt_cpu_id *cpu)
{
	struct {
		uint64_t feature;
		uint32_t size;
		char text[52];
	} body = { .feature = FEATURE_CPUID, .size = sizeof(body.text) };
	int r = put_head(file, RECORD_HEADER_FEATURE, sizeof(body));

	snprintf(body.text, sizeof(body.text), "GenuineIntel,%u,%u,%u", cpu->family, cpu->model, cpu->stepping);
	return r < 0 ? r : put(file, &body, sizeof(body));
}

/* In the order of perf's intel_pt_info_fill(). */
static int put_info(FILE *file, const struct pt_driver *d, const struct pt_clock *clock, bool snapshot)
{
	const uint64_t body[] = { AUXTRACE_INTEL_PT,
		                  d->type,
		                  clock->shift,
		                  clock->mult,
		                  clock->zero,
		                  clock->mult != 0,
		                  d->tsc_bit,
		                  d->noretcomp_bit,
		                  1,
		                  snapshot,
		                  1,
		                  d->mtc_bit,
		                  d->mtc_freq_bits,
		                  d->tsc_ctc_n,
		                  d->tsc_ctc_d,
		                  d->cyc_bit,
		                  d->max_nonturbo_ratio };
	int r = put_head(file, RECORD_AUXTRACE_INFO, sizeof(body));

	return r < 0 ? r : put(file, body, sizeof(body));
}

int pt_file_begin(FILE *file, const struct pt_driver *driver, const struct perf_event_attr attrs[2],
                  const uint64_t *const ids[2], size_t n_ids, const struct pt_cpu_id *cpu, const struct pt_clock *clock,
                  bool snapshot)
{
	const uint64_t size = 16;
	int r = n_ids > IDS_MAX ? -E2BIG : put(file, "PERFILE2", 8);

	if (r >= 0)
		r = put(file, &size, 8);
	for (unsigned i = 0; r >= 0 && i < 2; i++)
		r = put_attr(file, &attrs[i], ids[i], n_ids);
	if (r >= 0)
		r = put_cpu(file, cpu);
	return r < 0 ? r : put_info(file, driver, clock, snapshot);
}

int pt_file_record(FILE *file, const void *bytes, uint64_t size)
{
	return put(file, bytes, size);
}

int pt_file_trace(FILE *file, const void *bytes, uint64_t size, uint64_t offset, uint32_t cpu)
{
	static const uint8_t pad[8];
	const uint64_t padded = size + (-size & 7);
	const struct {
		uint64_t size, offset, reference;
		uint32_t idx, tid, cpu, reserved;
	} body = { .size = padded, .offset = offset, .idx = cpu, .tid = UINT32_MAX, .cpu = cpu };
	int r = put_head(file, RECORD_AUXTRACE, sizeof(body));

	if (r >= 0)
		r = put(file, &body, sizeof(body));
	if (r >= 0)
		r = put(file, bytes, size);
	return r < 0 ? r : put(file, pad, padded - size); /* zeros are PAD packets */
}
