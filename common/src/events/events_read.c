/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events_file.h"
#include "vtb/zip.h"
#include "format_parts.h"
#include "vtb/array.h"
#include "vtb/hash.h"
#include "vtb/input.h"

#define CHUNK ((size_t)1 << 18)

struct unpacker {
	struct vtb_unzip *zip;
	struct vtb_hasher *hasher;
	const char *path;
	int fd;
	uint64_t offset;       /* bytes of the file read so far */
	unsigned char *packed; /* a chunk of the file */
	unsigned char *columns;
	struct vtb_event *block; /* with `take`: where its events are */
	vtb_events_take *take;
	void *data;
	struct vtb_error *err;
};

static void unpacker_fini(struct unpacker *u)
{
	vtb_unzip_free(u->zip);
	vtb_hasher_free(u->hasher);
	free(u->packed);
	free(u->columns);
	free(u->block);
	if (u->fd >= 0)
		close(u->fd);
}

static int unpacker_init(struct unpacker *u, const char *path, struct vtb_error *err)
{
	*u = (struct unpacker){ .path = path, .fd = vtb_input_open(path, 0, NULL, err), .err = err };
	if (u->fd < 0)
		return u->fd;
	u->zip = vtb_unzip_new();
	u->hasher = vtb_hasher_new();
	u->packed = malloc(CHUNK);
	u->columns = malloc(VTB_EVENTS_BLOCK_BYTES);
	if (!u->zip || !u->hasher || !u->packed || !u->columns)
		return vtb_error_set(err, -ENOMEM, path, 0, "not enough memory");
	return 0;
}

/* Read up to `size` bytes; fewer only at the end of the file. */
static int64_t fetch(struct unpacker *u, void *buf, size_t size)
{
	size_t got = 0;

	while (got < size) {
		const ssize_t n = read(u->fd, (char *)buf + got, size - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return vtb_error_set(u->err, -errno, u->path, u->offset, "cannot be read: %s", strerror(errno));
		if (n == 0)
			break;
		got += (size_t)n;
	}
	vtb_hasher_add(u->hasher, buf, got);
	u->offset += got;
	return (int64_t)got;
}

static int read_header(struct unpacker *u, uint64_t count)
{
	struct vtb_events_header h;
	const int64_t n = fetch(u, &h, sizeof(h));

	if (n < 0)
		return (int)n;
	if (n < (int64_t)sizeof(h) || memcmp(h.magic, VTB_EVENTS_MAGIC, sizeof(h.magic)))
		return vtb_error_set(u->err, -VTB_E_FORMAT, u->path, 0,
		                     "found no events file, expected the magic \"%s\"", VTB_EVENTS_MAGIC);
	if (h.version != VTB_EVENTS_VERSION || h.header_size != sizeof(h) || h.features)
		return vtb_error_set(u->err, -VTB_E_VERSION, u->path, 8,
		                     "found version %" PRIu32 " with features 0x%" PRIx64
		                     ", this program knows version %u",
		                     h.version, h.features, VTB_EVENTS_VERSION);
	if (h.block != VTB_EVENTS_BLOCK)
		return vtb_error_set(u->err, -VTB_E_FORMAT, u->path, 32,
		                     "found blocks of %" PRIu32 " events, expected %u", h.block, VTB_EVENTS_BLOCK);
	if (h.count != count)
		return vtb_error_set(u->err, -VTB_E_FORMAT, u->path, 24,
		                     "found %" PRIu64 " events, but the trace names %" PRIu64, h.count, count);
	return 0;
}

/* One more chunk to unpack; 0 at the end of the file. */
static int64_t refill(struct unpacker *u)
{
	const int64_t n = fetch(u, u->packed, CHUNK);

	if (n > 0)
		vtb_unzip_feed(u->zip, u->packed, (size_t)n);
	return n;
}

/* As far as the chunk goes. */
static int64_t unpack(struct unpacker *u, void *buf, size_t size)
{
	const int64_t n = vtb_unzip_read(u->zip, buf, size);

	return n < 0 ? vtb_error_set(u->err, (int)n, u->path, u->offset, "damaged: %s", vtb_unzip_complaint(u->zip))
	             : n;
}

/* Fill `size` bytes of columns; short only if the frame or the file ends. */
static int64_t decompress(struct unpacker *u, size_t size)
{
	size_t got = 0;

	for (;;) {
		int64_t n = unpack(u, u->columns + got, size - got);

		if (n < 0)
			return n;
		got += (size_t)n;
		if (got == size || vtb_unzip_ended(u->zip))
			return (int64_t)got;
		n = refill(u);
		if (n <= 0)
			return n < 0 ? n : (int64_t)got;
	}
}

/* Where the next n events go. NULL: no memory. */
static struct vtb_event *room_for_block(struct unpacker *u, size_t n, struct vtb_trace *trace)
{
	void *events = trace->events;

	if (u->take && !u->block)
		u->block = malloc(VTB_EVENTS_BLOCK_BYTES);
	if (u->take)
		return u->block;
	if (vtb_array_reserve(&events, &trace->cap_events, trace->n_events + n, sizeof(struct vtb_event)) < 0)
		return NULL;
	trace->events = events;
	return trace->events + trace->n_events;
}

static int read_block(struct unpacker *u, size_t n, struct vtb_trace *trace)
{
	const size_t want = n * sizeof(struct vtb_event), first = trace->n_events;
	const int64_t got = decompress(u, want);
	struct vtb_event *events;

	if (got < 0)
		return (int)got;
	if ((size_t)got < want)
		return vtb_error_set(u->err, -VTB_E_FORMAT, u->path, u->offset, "truncated after %zu events",
		                     first + (size_t)got / sizeof(struct vtb_event));
	events = room_for_block(u, n, trace);
	if (!events)
		return vtb_error_set(u->err, -ENOMEM, u->path, u->offset, "not enough memory for %zu events",
		                     first + n);
	vtb_events_unpack(u->columns, n, events);
	trace->n_events += n;
	for (size_t i = 0; i < n; i++) {
		const char *complaint = vtb_event_complaint(trace, &events[i]);

		if (complaint)
			return vtb_error_set(u->err, -VTB_E_SCHEMA, u->path, u->offset, "event %zu: %s", first + i,
			                     complaint);
	}
	return u->take ? u->take(events, n, u->data) : 0;
}

/* After the last event: nothing but the frame's end, and the fingerprint that the trace names. */
static int read_end(struct unpacker *u, uint64_t xxh3)
{
	unsigned char more;
	int64_t found = 0, n = 1;

	while (n > 0 && !found && !vtb_unzip_ended(u->zip)) {
		found = unpack(u, &more, 1);
		if (found < 0)
			return (int)found;
		if (!found && !vtb_unzip_ended(u->zip))
			n = refill(u);
	}
	if (n >= 0 && vtb_unzip_ended(u->zip) && vtb_unzip_used_up(u->zip))
		n = refill(u);
	if (n < 0)
		return (int)n;
	if (!vtb_unzip_ended(u->zip) || found || !vtb_unzip_used_up(u->zip))
		return vtb_error_set(u->err, -VTB_E_FORMAT, u->path, u->offset,
		                     "found more or less data than the header names");
	if (vtb_hasher_digest(u->hasher) != xxh3)
		return vtb_error_set(
		    u->err, -VTB_E_FORMAT, u->path, 0,
		    "belongs to another trace or was changed: its fingerprint is not the one that the trace names");
	return 0;
}

/* The growth doubles: give back what is left. */
static void trim(struct vtb_trace *trace)
{
	struct vtb_event *events = trace->n_events ? realloc(trace->events, trace->n_events * sizeof(*events)) : NULL;

	if (!events)
		return;
	trace->events = events;
	trace->cap_events = trace->n_events;
}

static int read_events(struct unpacker *u, const struct vtb_events_ref *ref, struct vtb_trace *trace)
{
	int r = read_header(u, ref->count);

	while (r >= 0 && trace->n_events < ref->count) {
		const uint64_t left = ref->count - trace->n_events;

		r = read_block(u, left < VTB_EVENTS_BLOCK ? (size_t)left : VTB_EVENTS_BLOCK, trace);
	}
	if (r >= 0)
		r = read_end(u, ref->xxh3);
	if (r >= 0 && !u->take)
		trim(trace);
	return r;
}

int vtb_events_read(const char *text_path, const struct vtb_events_ref *ref, struct vtb_trace *trace,
                    vtb_events_take *take, void *data, struct vtb_error *err)
{
	const char *slash = strrchr(text_path, '/');
	struct unpacker u;
	char *path;
	int r;

	if (asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - text_path) : 0, text_path, ref->file) < 0)
		return vtb_error_set(err, -ENOMEM, text_path, 0, "not enough memory");
	r = unpacker_init(&u, path, err);
	u.take = take;
	u.data = data;
	if (r >= 0)
		r = read_events(&u, ref, trace);
	unpacker_fini(&u);
	free(path);
	return r;
}
