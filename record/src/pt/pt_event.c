/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pt_event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE "bus/event_source/devices/intel_pt"
#define FULL_PROBE 512u
#define PERIOD_WANTED 3u /* 2^(n + 11) bytes between PSBs, 2^n crystal clocks between MTCs: perf's default */

static bool read_line(const char *sys, const char *name, char *buf, size_t size)
{
	char path[512];
	FILE *file;
	bool ok;

	snprintf(path, sizeof(path), "%s/" DEVICE "/%s", sys, name);
	file = fopen(path, "re");
	ok = file && fgets(buf, (int)size, file);
	if (file)
		fclose(file);
	return ok;
}

static uint64_t read_number(const char *sys, const char *name, int base)
{
	char buf[64];

	return read_line(sys, name, buf, sizeof(buf)) ? strtoull(buf, NULL, base) : 0;
}

/* "config:14-17" or "config:10" to a mask. Fields of other words (config1) are not ours. */
static uint64_t read_format(const char *sys, const char *name)
{
	unsigned lo, hi;
	char path[64], buf[64];
	int n;

	snprintf(path, sizeof(path), "format/%s", name);
	if (!read_line(sys, path, buf, sizeof(buf)))
		return 0;
	n = sscanf(buf, "config:%u-%u", &lo, &hi);
	if (n < 1 || lo > 63 || (n == 2 && (hi > 63 || hi < lo)))
		return 0;
	return n == 1 ? 1ull << lo : (hi == 63 ? UINT64_MAX : (1ull << (hi + 1)) - 1) & ~((1ull << lo) - 1);
}

int pt_driver_read(const char *sys, struct pt_driver *ret, struct vtb_error *err)
{
	char buf[64];
	unsigned n, d;

	*ret = (struct pt_driver){ 0 };
	if (!read_line(sys, "type", buf, sizeof(buf)))
		return vtb_error_set(err, -ENOENT, NULL, 0, "the kernel has no Intel PT driver here (no %s/" DEVICE ")",
		                     sys);
	ret->type = (uint32_t)strtoul(buf, NULL, 10);
	ret->tsc_bit = read_format(sys, "tsc");
	ret->noretcomp_bit = read_format(sys, "noretcomp");
	ret->mtc_bit = read_format(sys, "mtc");
	ret->cyc_bit = read_format(sys, "cyc");
	ret->branch_bit = read_format(sys, "branch");
	ret->pt_bit = read_format(sys, "pt");
	ret->mtc_freq_bits = read_format(sys, "mtc_period");
	ret->psb_freq_bits = read_format(sys, "psb_period");
	if (!read_number(sys, "caps/mtc", 10))
		ret->mtc_bit = ret->mtc_freq_bits = 0;
	if (!read_number(sys, "caps/psb_cyc", 10))
		ret->cyc_bit = ret->psb_freq_bits = 0;
	ret->mtc_periods = read_number(sys, "caps/mtc_periods", 16);
	ret->psb_periods = read_number(sys, "caps/psb_periods", 16);
	ret->max_nonturbo_ratio = (uint32_t)read_number(sys, "max_nonturbo_ratio", 10);
	if (read_line(sys, "tsc_art_ratio", buf, sizeof(buf)) && sscanf(buf, "%u:%u", &n, &d) == 2) {
		ret->tsc_ctc_n = n;
		ret->tsc_ctc_d = d;
	}
	return 0;
}

/* The largest valid period up to the wanted one, shifted into its field. */
static uint64_t period(uint64_t field, uint64_t valid)
{
	for (unsigned n = PERIOD_WANTED; field && n > 0; n--)
		if (valid >> n & 1)
			return (uint64_t)n << __builtin_ctzll(field) & field;
	return 0;
}

void pt_event_attrs(const struct pt_driver *driver, struct perf_event_attr *ret_pt, struct perf_event_attr *ret_side)
{
	const uint64_t sample_type =
	    PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	struct perf_event_attr base;

	memset(&base, 0, sizeof(base));
	base.size = sizeof(base);
	base.sample_type = sample_type;
	base.sample_id_all = 1;
	base.sample_period = 1;
	base.read_format = PERF_FORMAT_ID;
	base.exclude_kernel = 1;
	base.exclude_hv = 1;
	base.inherit = 1;
	base.disabled = 1;
	base.enable_on_exec = 1;
	*ret_pt = *ret_side = base;
	ret_pt->type = driver->type;
	ret_pt->config = driver->pt_bit | driver->branch_bit | driver->tsc_bit | driver->mtc_bit;
	ret_pt->config |=
	    period(driver->mtc_freq_bits, driver->mtc_periods) | period(driver->psb_freq_bits, driver->psb_periods);
	ret_side->type = PERF_TYPE_SOFTWARE;
	ret_side->config = PERF_COUNT_SW_DUMMY;
	ret_side->mmap = 1;
	ret_side->mmap2 = 1;
	ret_side->comm = 1;
	ret_side->comm_exec = 1;
	ret_side->task = 1;
	ret_side->context_switch = 1;
}

static long read_proc(const char *path)
{
	FILE *file = fopen(path, "re");
	long v = -1;

	if (file && fscanf(file, "%ld", &v) != 1)
		v = -1;
	if (file)
		fclose(file);
	return v;
}

int pt_event_why(int error, bool mapping, struct vtb_error *err)
{
	const long paranoid = read_proc("/proc/sys/kernel/perf_event_paranoid"),
	           mlock_kb = read_proc("/proc/sys/kernel/perf_event_mlock_kb");

	if (mapping && (error == EPERM || error == ENOMEM))
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, NULL, 0,
		                     "the trace buffer exceeds the locked-memory limit (ulimit -l, and "
		                     "kernel.perf_event_mlock_kb = %ld): raise one of them",
		                     mlock_kb);
	switch (error) {
	case EACCES:
	case EPERM:
		return vtb_error_set(
		    err, -VTB_E_UNSUPPORTED, NULL, 0,
		    "no permission to use perf events: kernel.perf_event_paranoid is %ld, at most 2 is needed (or "
		    "CAP_PERFMON); in a container its seccomp profile must allow perf_event_open",
		    paranoid);
	case EBUSY:
		return vtb_error_set(
		    err, -VTB_E_UNSUPPORTED, NULL, 0,
		    "Intel PT is in use by somebody else (another perf record, a virtual machine monitor)");
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return vtb_error_set(
		    err, -VTB_E_UNSUPPORTED, NULL, 0,
		    "the kernel's Intel PT driver refuses to work here: %s (a virtual machine without PT?)",
		    strerror(error));
	default:
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, NULL, 0, "Intel PT cannot be started: %s",
		                     strerror(error));
	}
}

/* ------------------------------------------------------------------ ring buffers */

/* Bytes [at, at + n) of the endless stream, in one piece: directly from the ring, or copied to `*copy` (grown as
 * needed) if they wrap. */
static const uint8_t *piece(const uint8_t *ring, uint64_t ring_size, uint64_t at, uint64_t n, uint8_t **copy,
                            uint64_t *cap)
{
	const uint64_t first = at & (ring_size - 1), left = ring_size - first;

	if (n <= left)
		return ring + first;
	if (*cap < n) {
		uint8_t *grown = realloc(*copy, n);

		if (!grown)
			return NULL;
		*copy = grown;
		*cap = n;
	}
	memcpy(*copy, ring + first, left);
	memcpy(*copy + left, ring, n - left);
	return *copy;
}

int64_t pt_ring_records(struct pt_ring *ring, pt_ring_sink sink, void *arg)
{
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail, cap = 0;
	uint8_t *copy = NULL;
	int64_t n = 0;

	while (tail < head && n >= 0) {
		const struct perf_event_header *h =
		    (const void *)(ring->data + (tail & (ring->data_size - 1))); /* 8-aligned: never split */
		const uint64_t size = h->size;
		const uint8_t *bytes;
		int r;

		if (size < sizeof(*h) || size > head - tail) {
			n = -EIO;
			break;
		}
		bytes = piece(ring->data, ring->data_size, tail, size, &copy, &cap);
		r = bytes ? sink(arg, bytes, size, tail) : -ENOMEM;
		n = r < 0 ? r : n + 1;
		tail += size;
	}
	free(copy);
	__atomic_store_n(&ring->page->data_tail, n < 0 ? head : tail, __ATOMIC_RELEASE);
	return n;
}

/* In overwrite mode the kernel's head is a position in the ring, and nothing says whether the ring is full: it is if
 * the place that would be written next is not zero any more (the kernel clears the buffer; packets are never 512 zeros:
 * PSBs come more often). */
static bool ring_is_full(const struct pt_ring *ring, uint64_t head)
{
	const uint64_t at = head & (ring->aux_size - 1),
	               n = ring->aux_size - at < FULL_PROBE ? ring->aux_size - at : FULL_PROBE;

	for (uint64_t i = 0; i < n; i++)
		if (ring->aux[at + i])
			return true;
	return head > ring->aux_size;
}

int64_t pt_ring_aux(struct pt_ring *ring, pt_ring_sink sink, void *arg)
{
	uint64_t head = __atomic_load_n(&ring->page->aux_head, __ATOMIC_ACQUIRE);
	uint64_t from = ring->page->aux_tail, cap = 0;
	uint8_t *copy = NULL;
	const uint8_t *bytes;
	int r;

	if (ring->overwrite) {
		const bool full = ring_is_full(ring, head);

		head = (head & (ring->aux_size - 1)) + (full ? ring->aux_size : 0);
		from = full ? head - ring->aux_size : 0;
	}
	if (head - from > ring->aux_size)
		return -EIO;
	if (head == from)
		return 0;
	bytes = piece(ring->aux, ring->aux_size, from, head - from, &copy, &cap);
	r = bytes ? sink(arg, bytes, head - from, from) : -ENOMEM;
	free(copy);
	if (!ring->overwrite) /* the kernel may write there again */
		__atomic_store_n(&ring->page->aux_tail, head, __ATOMIC_RELEASE);
	return r < 0 ? r : (int64_t)(head - from);
}
