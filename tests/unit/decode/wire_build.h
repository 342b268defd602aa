/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file wire_build.h  Write what the runtime would: event streams, process blocks, recording directories. */
#ifndef WIRE_BUILD_H
#define WIRE_BUILD_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "vtb/wire.h"

#ifndef STREAM_WORDS
#define STREAM_WORDS 65536
#endif

struct stream {
	uint64_t words[STREAM_WORDS];
	size_t n;
};

/* What a record may hold besides kind, addr and pc. */
struct put {
	uint64_t value, arg, stamp;
	unsigned flags; /* VTB_REC_VALUE, _ARG; _STAMP is set if stamp is not 0 */
	unsigned size_log2, order, result;
	const uint64_t *stack;
	unsigned n_stack;
};

static inline void put_record(struct stream *s, unsigned kind, uint64_t addr, uint64_t pc, struct put p)
{
	const unsigned flags = p.flags | (p.stamp ? VTB_REC_STAMP : 0u) | (p.n_stack ? VTB_REC_STACK : 0u);
	const unsigned extra = (unsigned)__builtin_popcount(flags & 7) + p.n_stack;

	if (s->n + 2 + extra > STREAM_WORDS)
		abort();
	s->words[s->n++] = vtb_rec_word0(addr, kind, extra, flags);
	s->words[s->n++] = vtb_rec_word1(pc, p.order, p.size_log2, p.result);
	if (flags & VTB_REC_VALUE)
		s->words[s->n++] = p.value;
	if (flags & VTB_REC_ARG)
		s->words[s->n++] = p.arg;
	if (flags & VTB_REC_STAMP)
		s->words[s->n++] = p.stamp;
	for (unsigned i = 0; i < p.n_stack; i++)
		s->words[s->n++] = p.stack[i];
}

#define PUT(stream, kind, addr, pc, ...) put_record(stream, VTB_E_##kind, addr, pc, (struct put){ __VA_ARGS__ })
#define PUT_SWITCH(stream, slot) PUT(stream, SWITCH, 0, 0, .value = (slot), .flags = VTB_REC_VALUE)
#define PUT_CREATE(stream, slot, nth, pc, ...) \
	PUT(stream, THREAD_CREATE, slot, pc, .value = (nth), .flags = VTB_REC_VALUE, ##__VA_ARGS__)
#define PUT_BLOCK(stream, slot, kind) \
	PUT(stream, BLOCK, 0, 0, .value = (slot), .arg = VTB_E_##kind, .flags = VTB_REC_VALUE | VTB_REC_ARG)
#define PUT_UNBLOCK(stream, slot) PUT(stream, UNBLOCK, 0, 0, .value = (slot), .flags = VTB_REC_VALUE)
#define PUT_ALLOC(stream, addr, pc, bytes, ...) \
	PUT(stream, ALLOC, addr, pc, .arg = (bytes), .flags = VTB_REC_ARG, ##__VA_ARGS__)

/* ---- process blocks */
#define BLOCK_MODULES 4
#define BLOCK_THREADS 16
#define BLOCK_STRINGS 4096

struct block_image {
	struct vtb_wire_header header;
	struct vtb_wire_module modules[BLOCK_MODULES];
	struct vtb_wire_thread threads[BLOCK_THREADS];
	struct vtb_wire_break breaks[4];
	char strings[BLOCK_STRINGS];
};

static inline void block_init(struct block_image *b, unsigned mode)
{
	memset(b, 0, sizeof(*b));
	memcpy(b->header.magic, VTB_WIRE_MAGIC, 8);
	b->header.version = VTB_WIRE_VERSION;
	b->header.header_size = sizeof(b->header);
	b->header.block_size = sizeof(*b);
	b->header.mode = mode;
	b->header.modules = (struct vtb_wire_area){ offsetof(struct block_image, modules), sizeof(b->modules), 0 };
	b->header.threads = (struct vtb_wire_area){ offsetof(struct block_image, threads), sizeof(b->threads), 0 };
	b->header.breaks = (struct vtb_wire_area){ offsetof(struct block_image, breaks), sizeof(b->breaks), 0 };
	b->header.strings = (struct vtb_wire_area){ offsetof(struct block_image, strings), sizeof(b->strings), 1 };
}

static inline void block_module(struct block_image *b, const char *path, uint64_t base, uint64_t size)
{
	struct vtb_wire_module *m = &b->modules[b->header.modules.used++];

	*m = (struct vtb_wire_module){ .base = base,
		                       .lo = base,
		                       .hi = base + size,
		                       .path = (uint32_t)b->header.strings.used,
		                       .build_id_size =
		                           access(path, F_OK) < 0 ? 4 : 0, /* an invented one: not of a real file */
		                       .build_id = "abc" };
	strcpy(b->strings + b->header.strings.used, path);
	b->header.strings.used += strlen(path) + 1;
}

static inline void block_thread(struct block_image *b, uint32_t parent, uint32_t nth)
{
	b->threads[b->header.threads.used++] =
	    (struct vtb_wire_thread){ .parent = parent, .nth = nth, .tid = 1000, .state = 2 };
}

/* ---- recording directories */

/* A new directory, in memory if there is a place for such files: a disk takes longer than what is tested. */
static inline void new_directory(char path[64])
{
	strcpy(path, "/dev/shm/vtb-fuzz-XXXXXX");
	if (mkdtemp(path))
		return;
	strcpy(path, "/tmp/vtb-fuzz-XXXXXX");
	if (!mkdtemp(path))
		abort();
}

static inline void write_bytes(const char *dir, const char *name, const void *data, size_t size)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
		abort();
}

static inline void write_stream(const char *dir, uint32_t slot, const struct stream *s)
{
	struct vtb_stream_header h = { .magic = VTB_STREAM_MAGIC,
		                       .version = VTB_STREAM_VERSION,
		                       .header_size = sizeof(h),
		                       .slot = slot,
		                       .used = s->n * 8 };
	char *image = malloc(sizeof(h) + s->n * 8), name[64];

	memcpy(image, &h, sizeof(h));
	memcpy(image + sizeof(h), s->words, s->n * 8);
	snprintf(name, sizeof(name), "thread-%u.vtbe", slot);
	write_bytes(dir, name, image, sizeof(h) + s->n * 8);
	free(image);
}

#endif /* WIRE_BUILD_H */
