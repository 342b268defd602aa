/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs.vtb, as an attacker could write it: opened, and each of its runs looked up.
 *
 * Checksums are made right first: else hardly any change would get past them. Every second input is taken as it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kept_priv.h"
#include "vtb/hash.h"

#define HEADER 32u
#define HEADER_SUM 24u
#define BLOCK_HEADER 48u
#define BLOCK_SUM 40u
#define LOOKED_UP 64u /* runs of an input */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Size, place and checksum of a block; returns where the next one begins. */
static size_t mend_block(uint8_t *bytes, size_t size, uint64_t at)
{
	uint32_t n;
	uint64_t sum;

	memcpy(&n, bytes + at + 4, sizeof(n));
	if (n > size - at - BLOCK_HEADER) {
		n = (uint32_t)(size - at - BLOCK_HEADER);
		memcpy(bytes + at + 4, &n, sizeof(n));
	}
	memcpy(bytes + at + 8, &at, sizeof(at));
	sum = vtb_hash_seed(bytes + at + BLOCK_HEADER, n, vtb_hash(bytes + at, BLOCK_SUM));
	memcpy(bytes + at + BLOCK_SUM, &sum, sizeof(sum));
	return at + BLOCK_HEADER + n;
}

static void mend(uint8_t *bytes, size_t size)
{
	const uint64_t sum = vtb_hash(bytes, HEADER_SUM);
	size_t at = HEADER;

	memcpy(bytes + HEADER_SUM, &sum, sizeof(sum));
	while (at + BLOCK_HEADER <= size)
		at = mend_block(bytes, size, at);
}

/* The half of a key by which a run is looked for is enough to have it read. */
static void look_up(struct vtb_kept *kept, const struct vtb_map64 *map, bool brief)
{
	unsigned n = 0;

	for (size_t i = 0; map->cells && i <= map->mask && n < LOOKED_UP; i++) {
		const struct vtb_hash128 key = { .lo = map->cells[i].key };
		struct vtb_error err = { 0 };
		struct vtb_exec x = { 0 };
		struct kept_run run;
		uint64_t place;
		int r;

		if (!map->cells[i].key)
			continue;
		r = kept_index_find(kept, &key, brief, &run, &place, &x, &err);
		VTB_ASSERT(r >= 0 || (err.code == r && err.text[0] && !x.events));
		vtb_exec_fini(&x);
		n++;
	}
}

static void use(struct vtb_kept *kept)
{
	struct vtb_symtab tab = { 0 };
	struct vtb_runner runner = { .tab = &tab };
	struct vtb_kept_stats stats;
	uint64_t *words;

	vtb_kept_begin(kept, &runner);
	vtb_kept_stats(kept, &stats);
	VTB_ASSERT(stats.found >= kept->index.whole.n + kept->index.brief.n);
	look_up(kept, &kept->index.whole, false);
	look_up(kept, &kept->index.brief, true);
	kept_index_learnt(kept, kept->index.last_run, &words);
	free(words);
	vtb_kept_end(kept);
	vtb_symtab_fini(&tab);
}

/* A file by its own name: a link is not followed. */
static bool make_file(const char *path, const uint8_t *data, size_t size)
{
	static unsigned turn;
	uint8_t *bytes = malloc(size + 1);
	FILE *f = fopen(path, "wb");
	bool done;

	memcpy(bytes, data, size);
	if (turn++ % 2 == 0 && size >= HEADER)
		mend(bytes, size);
	done = f && fwrite(bytes, 1, size, f) == size;
	free(bytes);
	return (f ? fclose(f) == 0 : false) && done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vtb_kept_opts opts = { .max_bytes = 1u << 20 };
	struct vtb_error err = { 0 };
	struct vtb_kept *kept;
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/tmp/vtb-fuzz-runs-%d.vtb", (int)getpid());
	if (!make_file(path, data, size))
		return 0;
	opts.path = path;
	if (size >= HEADER)
		memcpy(&opts.identity, data + 16, sizeof(opts.identity));
	r = vtb_kept_open(&opts, &kept, &err);
	if (r >= 0) {
		use(kept);
		vtb_kept_free(kept);
	}
	VTB_ASSERT(r >= 0 || (err.code == r && err.text[0]));
	unlink(path);
	return 0;
}
