/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a perf.data file: read, its switches paired and its trace dealt out. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "perf_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vtb_perf_data d = { 0 };
	struct vtb_error err = { 0 };
	uint64_t sum = 0;

	if (vtb_perf_read_bytes(data, size, &d, &err) >= 0) {
		for (size_t i = 0; i < d.n_chunks; i++)
			for (uint64_t k = 0; k < d.chunks[i].size; k++)
				sum += d.chunks[i].data[k];
		for (size_t i = 0; i < d.n_mmaps; i++)
			sum += (uint8_t)d.mmaps[i].path[0];
		for (size_t i = 0; i < d.n_switches; i++)
			sum += vtb_perf_tsc(&d.clock, d.switches[i].id.time);
	}
	vtb_perf_fini(&d);
	return sum == 1 ? 0 : 0;
}
