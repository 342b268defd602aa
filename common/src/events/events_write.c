/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of a trace as they come: kept as long as they are few enough to stand in the text, else packed block by
 * block into a file. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "events_file.h"
#include "vtb/zip.h"
#include "format_parts.h"
#include "vtb/array.h"
#include "vtb/hash.h"
#include "vtb/output.h"

#define READ_BACK ((size_t)1 << 18)

struct vtb_events_writer {
	char *path;               /* of the text; owned */
	bool inline_only;         /* there is no place for a second file */
	struct vtb_event *events; /* not written yet */
	size_t n_events, cap_events;
	uint64_t written;
	struct vtb_output out;
	char *name; /* of the events file; NULL: not begun */
	struct vtb_zip *zip;
	unsigned char *columns; /* one block */
};

void vtb_events_writer_free(struct vtb_events_writer *w)
{
	if (!w)
		return;
	vtb_output_abort(&w->out);
	vtb_zip_free(w->zip);
	free(w->columns);
	free(w->events);
	free(w->name);
	free(w->path);
	free(w);
}

/* Beside stdout, a pipe or a device there is no place for a second file. */
static bool has_neighbours(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && (stat(path, &st) || S_ISREG(st.st_mode));
}

int vtb_events_writer_new(const char *path, struct vtb_events_writer **ret, struct vtb_error *err)
{
	struct vtb_events_writer *w = calloc(1, sizeof(*w));

	if (w) {
		w->out.row = -1;
		w->path = strdup(path);
		w->inline_only = !has_neighbours(path);
	}
	if (!w || !w->path) {
		vtb_events_writer_free(w);
		return vtb_error_set(err, -ENOMEM, path, 0, "not enough memory");
	}
	*ret = w;
	return 0;
}

/* ---- the file */

/* A failure to write shows when the output is committed. */
static void put_header(struct vtb_events_writer *w, uint64_t count)
{
	const struct vtb_events_header header = {
		.magic = VTB_EVENTS_MAGIC,
		.version = VTB_EVENTS_VERSION,
		.header_size = sizeof(header),
		.count = count,
		.block = VTB_EVENTS_BLOCK,
	};

	fwrite(&header, 1, sizeof(header), w->out.file);
}

/* "dir/trace.json" -> "dir/trace.events.zst" */
static char *events_path(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');
	const size_t stem = dot && dot > base && !strcmp(dot, ".json") ? (size_t)(dot - path) : strlen(path);
	char *result;

	return asprintf(&result, "%.*s.events.zst", (int)stem, path) < 0 ? NULL : result;
}

static int begin_file(struct vtb_events_writer *w, struct vtb_error *err)
{
	int r;

	w->zip = vtb_zip_new();
	w->columns = malloc(VTB_EVENTS_BLOCK_BYTES);
	w->name = events_path(w->path);
	if (!w->zip || !w->columns || !w->name)
		return vtb_error_set(err, -ENOMEM, w->path, 0, "not enough memory");
	r = vtb_output_open(&w->out, w->name, err);
	if (r >= 0)
		put_header(w, 0); /* how many there are is known at the end */
	return r;
}

static int write_block(struct vtb_events_writer *w, struct vtb_error *err)
{
	int r = w->name ? 0 : begin_file(w, err);

	if (r < 0)
		return r;
	vtb_events_pack(w->events, w->n_events, w->columns);
	if (vtb_zip_write(w->zip, w->columns, w->n_events * sizeof(*w->events), false, w->out.file) < 0)
		return vtb_error_set(err, -ENOMEM, w->name, 0, "not enough memory");
	w->written += w->n_events;
	w->n_events = 0;
	return 0;
}

int vtb_events_writer_add(struct vtb_events_writer *w, const struct vtb_event *events, size_t n, struct vtb_error *err)
{
	int r = 0;

	while (r >= 0 && n) {
		const size_t free_places = w->inline_only ? n : VTB_EVENTS_BLOCK - w->n_events,
		             some = n < free_places ? n : free_places;
		void *items = w->events;

		if (vtb_array_reserve(&items, &w->cap_events, w->n_events + some, sizeof(*events)) < 0)
			return vtb_error_set(err, -ENOMEM, w->path, 0, "not enough memory");
		w->events = items;
		memcpy(w->events + w->n_events, events, some * sizeof(*events));
		for (size_t i = 0; i < some; i++)
			w->events[w->n_events + i].flags &= VTB_EVF_IN_FILES;
		w->n_events += some;
		events += some;
		n -= some;
		if (!w->inline_only && w->n_events == VTB_EVENTS_BLOCK)
			r = write_block(w, err);
	}
	return r;
}

/* The fingerprint of the file as it is now: its beginning was written last. */
static int read_back(int fd, struct vtb_hasher *hasher, unsigned char *bytes)
{
	off_t at = 0;

	for (;;) {
		const ssize_t n = pread(fd, bytes, READ_BACK, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		vtb_hasher_add(hasher, bytes, (size_t)n);
		at += n;
	}
}

static int fingerprint(struct vtb_events_writer *w, uint64_t *ret)
{
	struct vtb_hasher *hasher = vtb_hasher_new();
	unsigned char *bytes = malloc(READ_BACK);
	int r = hasher && bytes ? read_back(fileno(w->out.file), hasher, bytes) : -ENOMEM;

	if (r >= 0)
		*ret = vtb_hasher_digest(hasher);
	vtb_hasher_free(hasher);
	free(bytes);
	return r;
}

static int end_file(struct vtb_events_writer *w, uint64_t *ret_xxh3, struct vtb_error *err)
{
	int r = w->n_events ? write_block(w, err) : 0;

	if (r < 0)
		return r;
	if (vtb_zip_write(w->zip, w->columns, 0, true, w->out.file) < 0)
		return vtb_error_set(err, -ENOMEM, w->name, 0, "not enough memory");
	rewind(w->out.file);
	put_header(w, w->written);
	r = fflush(w->out.file) ? -errno : fingerprint(w, ret_xxh3);
	return r < 0 ? vtb_error_set(err, r, w->name, 0, "cannot be written: %s", vtb_strerror(r)) : 0;
}

int vtb_events_writer_end(struct vtb_events_writer *w, struct vtb_events_ref *ret, struct vtb_error *err)
{
	const char *slash;

	*ret = (struct vtb_events_ref){ .count = w->written + w->n_events };
	if (!w->name && (w->inline_only || w->n_events <= VTB_TRACE_INLINE_EVENTS))
		return 0;
	if (w->n_events && !w->name) {
		const int r = write_block(w, err);

		if (r < 0)
			return r;
	}
	ret->separate = true;
	slash = strrchr(w->name, '/');
	if ((size_t)snprintf(ret->file, sizeof(ret->file), "%s", slash ? slash + 1 : w->name) >= sizeof(ret->file))
		return vtb_error_set(err, -ENAMETOOLONG, w->name, 0, "the name of the events file is too long");
	return end_file(w, &ret->xxh3, err);
}

const struct vtb_event *vtb_events_writer_inline(const struct vtb_events_writer *w)
{
	return w->events;
}

/* Signals wait: only a kill -9 can leave the first file alone. */
int vtb_events_writer_commit(struct vtb_events_writer *w, struct vtb_output *text, struct vtb_error *err)
{
	sigset_t before;
	int r;

	vtb_output_hold_signals(&before);
	r = w->name ? vtb_output_commit(&w->out, err) : 0;
	if (r >= 0)
		r = vtb_output_commit(text, err);
	vtb_output_let_signals(&before);
	return r;
}
