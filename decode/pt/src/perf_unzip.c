/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed records (perf record -z). Each holds a piece of its file's stream of zstd frames, and what comes out are
 * records as ever; the last may go on in the next piece:
 *
 *     COMPRESSED 28 b5 2f fd ...   COMPRESSED ...
 *       -> [COMM] [MMAP2] [MMA       P2] [SWITCH] ...
 *
 * perf never compresses the trace itself, so what is unpacked stays small.
 */
#include "perf_records.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/zip.h"

#define UNPACKED_MAX (UINT64_C(1) << 30)
#define ROOM ((size_t)1 << 16) /* for what a record unpacks to, at first */
#define ZSTD 1u                /* the only kind of compression that perf has */

int vtb_perf_check_compression(const char *path, uint64_t place, const uint8_t *bytes, uint64_t size,
                               struct vtb_error *err)
{
	uint32_t kind; /* behind a version */

	if (size < 8)
		return vtb_error_set(err, -VTB_E_FORMAT, path, place, "how records are compressed is cut off");
	memcpy(&kind, bytes + 4, sizeof(kind));
	if (kind != ZSTD)
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, path, place,
		                     "records compressed in a way (%" PRIu32 ") that is not zstd", kind);
	return 0;
}

/* What is being unpacked. */
struct block {
	uint8_t *bytes;
	size_t size, cap;
};

static uint64_t unpacked_max(const struct vtb_perf_data *data)
{
	return data->unpacked_max ? data->unpacked_max : UNPACKED_MAX;
}

static int make_room(const struct vtb_perf_data *data, struct block *block)
{
	uint8_t *grown;

	if (block->size < block->cap)
		return 0;
	if (data->unpacked + block->cap * 2 > unpacked_max(data))
		return -VTB_E_LIMIT;
	grown = realloc(block->bytes, block->cap * 2);
	if (!grown)
		return -ENOMEM;
	block->bytes = grown;
	block->cap *= 2;
	return 0;
}

/* All that the bytes give behind what is in the block already; frames may follow each other. */
static int unpack_all(const struct vtb_perf_data *data, struct vtb_unzip *unzip, struct block *block)
{
	bool more = true;

	while (more) {
		int64_t n;
		const int r = make_room(data, block);

		if (r < 0)
			return r;
		if (vtb_unzip_ended(unzip))
			vtb_unzip_next(unzip);
		n = vtb_unzip_read(unzip, block->bytes + block->size, block->cap - block->size);
		if (n < 0)
			return (int)n;
		block->size += (size_t)n;
		more = block->size == block->cap || (vtb_unzip_ended(unzip) && !vtb_unzip_used_up(unzip));
	}
	return 0;
}

static int begin(struct vtb_perf_stream *stream, struct block *block)
{
	if (!stream->unzip)
		stream->unzip = vtb_unzip_new();
	block->bytes = malloc(stream->n_rest + ROOM);
	if (!stream->unzip || !block->bytes)
		return -ENOMEM;
	if (stream->n_rest)
		memcpy(block->bytes, stream->rest, stream->n_rest);
	block->size = stream->n_rest;
	block->cap = stream->n_rest + ROOM;
	return 0;
}

/* The block is the data's now: names in it stay where they are. */
static int keep(struct vtb_perf_data *data, struct block *block)
{
	if (vtb_array_room(data, blocks) < 0)
		return -ENOMEM;
	data->blocks[data->n_blocks++] = block->bytes;
	data->unpacked += block->cap;
	return 0;
}

static int complain(const struct vtb_perf_data *data, const struct vtb_perf_stream *stream, uint64_t place, int r,
                    struct vtb_error *err)
{
	if (r == -VTB_E_LIMIT)
		return vtb_error_set(err, r, stream->path, place, "compressed records of more than %" PRIu64 " bytes",
		                     unpacked_max(data));
	if (r == -VTB_E_FORMAT)
		return vtb_error_set(err, r, stream->path, place, "a damaged compressed record: %s",
		                     vtb_unzip_complaint(stream->unzip));
	return r;
}

int vtb_perf_unpack(struct vtb_perf_data *data, struct vtb_perf_stream *stream, const uint8_t *packed, uint64_t size,
                    uint64_t place, struct vtb_error *err)
{
	struct block block = { 0 };
	uint64_t used;
	int r = begin(stream, &block);

	if (r >= 0) {
		vtb_unzip_feed(stream->unzip, packed, size);
		r = unpack_all(data, stream->unzip, &block);
	}
	if (r >= 0)
		r = keep(data, &block);
	if (r < 0) {
		free(block.bytes);
		return complain(data, stream, place, r, err);
	}
	stream->inside = true;
	r = vtb_perf_records(data, stream, block.bytes, block.size, place, &used, err);
	stream->inside = false;
	if (r < 0)
		return r;
	stream->rest = block.bytes + used;
	stream->n_rest = block.size - used;
	return 0;
}
