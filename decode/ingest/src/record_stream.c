/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "vtb/raw_record.h"
#include "vtb/records.h"

static void stream_path(const struct record_stream *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s/thread-%" PRIu32 ".vtbe", s->dir, s->slot);
}

int record_stream_error(const struct record_stream *s, size_t word, int r, const char *text, struct vtb_error *err)
{
	char path[4096];

	stream_path(s, path, sizeof(path));
	return vtb_error_set(err, r, path, s->offset + word * 8, "%s", text);
}

/* The file of a process that nobody has seen end: a copy with its tail behind the other records. */
static int join_tail(struct record_stream *s, const char *path, struct vtb_error *err)
{
	const struct vtb_stream_header *h = s->file.data;
	const struct vtb_stream_stored *at = &h->stored[h->which & 1];
	const size_t size = s->file.size;
	uint64_t tail = UINT64_MAX;
	char *joined;

	if (at->bytes <= size - h->header_size && at->bytes % 8 == 0 &&
	    (uint64_t)h->tail + h->tail_size <= h->header_size && h->tail % 8 == 0)
		tail = vtb_records_in_tail(h, (const uint64_t *)((const char *)s->file.data + h->tail));
	if (tail == UINT64_MAX)
		return vtb_error_set(err, -VTB_E_FORMAT, path, offsetof(struct vtb_stream_header, stored),
		                     "%" PRIu64 " bytes of records, %" PRIu64 " of them stored in %" PRIu64
		                     ": the file has %zu bytes",
		                     h->used, at->records, at->bytes, size);
	joined = mmap(NULL, at->bytes + tail + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (joined == MAP_FAILED)
		return vtb_error_set(err, -errno, path, 0, "%s", vtb_strerror(-errno));
	memcpy(joined, (const char *)s->file.data + h->header_size, at->bytes);
	memcpy(joined + at->bytes, (const char *)s->file.data + h->tail, tail);
	s->n_words = (size_t)((at->bytes + tail) / 8);
	s->offset = h->header_size;
	vtb_input_unmap(&s->file);
	s->file = (struct vtb_input){ .data = joined, .size = s->n_words * 8 + 1 };
	s->words = (const uint64_t *)joined;
	return 0;
}

/* Made, perhaps sized, but not begun: the magic comes last, and the process was killed before. */
static bool not_begun(const struct vtb_stream_header *h, size_t size)
{
	static const char zeros[sizeof(h->magic)];

	return size == 0 || (size >= sizeof(*h) && !memcmp(h->magic, zeros, sizeof(zeros)) && h->used == 0);
}

/* Accesses in the short form, and runs of them, written out. */
static int expand(struct record_stream *s, const struct wire_view *view, const char *path, struct vtb_error *err)
{
	const struct vtb_record_sites sites = { .sites = view->sites,
		                                .n_sites = view->n_sites,
		                                .bias = view->header->sites_bias };
	size_t n, bad;
	uint64_t *words;
	const int r = vtb_records_size(s->words, s->n_words, &sites, &n, &bad);

	if (r == -VTB_E_LIMIT)
		return vtb_error_set(err, r, path, s->offset + bad * 8, "the records are more than %llu words",
		                     VTB_RECORDS_WORDS_MAX);
	if (r < 0)
		return vtb_error_set(err, r, path, s->offset + bad * 8,
		                     "a short record names a site that is not there, or a run goes on from too few");
	if (n == s->n_words) /* each short record becomes longer */
		return 0;
	words = mmap(NULL, n * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (words == MAP_FAILED)
		return vtb_error_set(err, -errno, path, 0, "%s", vtb_strerror(-errno));
	vtb_records_expand(s->words, s->n_words, &sites, words);
	vtb_input_unmap(&s->file);
	s->file = (struct vtb_input){ .data = words, .size = n * 8 };
	s->words = words;
	s->n_words = n;
	return 0;
}

static int check_stream(struct record_stream *s, const char *path, struct vtb_error *err)
{
	const struct vtb_stream_header *h = s->file.data;
	const size_t size = s->file.size;

	if (size < sizeof(*h))
		return vtb_error_set(err, -VTB_E_FORMAT, path, size,
		                     "truncated: %zu bytes, an event file has at least %zu", size, sizeof(*h));
	if (memcmp(h->magic, VTB_STREAM_MAGIC, sizeof(h->magic)) != 0)
		return vtb_error_set(err, -VTB_E_FORMAT, path, 0,
		                     "not an event file: expected magic \"" VTB_STREAM_MAGIC "\"");
	if (h->version != VTB_STREAM_VERSION)
		return vtb_error_set(err, -VTB_E_VERSION, path, offsetof(struct vtb_stream_header, version),
		                     "version %" PRIu32 ", expected %u", h->version, VTB_STREAM_VERSION);
	if (h->header_size < sizeof(*h) || h->header_size > size || h->header_size % 8)
		return vtb_error_set(err, -VTB_E_FORMAT, path, offsetof(struct vtb_stream_header, header_size),
		                     "header of %" PRIu32 " bytes, expected a multiple of 8 from %zu to %zu",
		                     h->header_size, sizeof(*h), size);
	if (h->slot != s->slot)
		return vtb_error_set(err, -VTB_E_FORMAT, path, offsetof(struct vtb_stream_header, slot),
		                     "events of slot %" PRIu32 ", expected slot %" PRIu32, h->slot, s->slot);
	if (h->tail)
		return join_tail(s, path, err);
	if (h->used > size - h->header_size || h->used % 8)
		return vtb_error_set(err, -VTB_E_FORMAT, path, offsetof(struct vtb_stream_header, used),
		                     "truncated: %" PRIu64 " bytes of records, %zu are there", h->used,
		                     size - h->header_size);
	s->words = (const uint64_t *)((const char *)s->file.data + h->header_size);
	s->n_words = (size_t)(h->used / 8);
	s->offset = h->header_size;
	return 0;
}

int record_stream_open(struct record_stream *s, const char *dir, const struct wire_view *view, struct vtb_error *err)
{
	char path[4096];
	int r;

	s->dir = dir;
	stream_path(s, path, sizeof(path));
	r = vtb_input_map(path, &s->file, err);
	if (r == -ENOENT) {
		if (err)
			*err = (struct vtb_error){ 0 };
		return 0;
	}
	if (r == 0 && not_begun(s->file.data, s->file.size))
		return 0;
	if (r == 0)
		r = check_stream(s, path, err);
	return r < 0 ? r : expand(s, view, path, err);
}

int record_stream_next(struct record_stream *s, const bool valid_kind[256], struct vtb_error *err)
{
	const uint64_t before = s->key;
	size_t at = s->end;

	s->at = at;
	s->key = RECORD_STREAM_END;
	while (at < s->n_words && s->key == RECORD_STREAM_END) {
		struct vtb_raw_record rec;
		const size_t used = vtb_raw_record_read(s->words + at, s->n_words - at, &rec);

		if (!used)
			return record_stream_error(
			    s, at, -VTB_E_FORMAT,
			    "a record runs past the end of the events, or its extra words do not fit its flags", err);
		if (!valid_kind[rec.kind])
			return record_stream_error(s, at, -VTB_E_FORMAT, "unknown event kind", err);
		if (rec.flags & VTB_REC_STAMP)
			s->key = rec.stamp > before ? rec.stamp : before;
		at += used;
	}
	s->end = at;
	return 0;
}

void record_stream_close(struct record_stream *s)
{
	vtb_input_unmap(&s->file);
}
