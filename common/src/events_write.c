/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "events_file.h"
#include "files.h"
#include "vtb/hash.h"
#include "vtb/output.h"

#define LEVEL 3

struct packer {
	ZSTD_CCtx *zstd;
	struct vtb_hasher *hasher;
	unsigned char *columns; /* one block */
	unsigned char *packed;
	size_t packed_size;
	FILE *file;
};

static void packer_fini(struct packer *p)
{
	ZSTD_freeCCtx(p->zstd);
	vtb_hasher_free(p->hasher);
	free(p->columns);
	free(p->packed);
}

static int packer_init(struct packer *p, FILE *file)
{
	*p = (struct packer){ .zstd = ZSTD_createCCtx(), .hasher = vtb_hasher_new(), .file = file, .packed_size = ZSTD_CStreamOutSize() };
	p->columns = malloc(VTB_EVENTS_BLOCK_BYTES);
	p->packed = malloc(p->packed_size);
	if (!p->zstd || !p->hasher || !p->columns || !p->packed)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

static void put(struct packer *p, const void *data, size_t size)
{
	vtb_hasher_add(p->hasher, data, size);
	fwrite(data, 1, size, p->file); /* a failure shows when the output is committed */
}

static int compress(struct packer *p, size_t size, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { p->columns, size, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { p->packed, p->packed_size, 0 };

		left = ZSTD_compressStream2(p->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			return -ENOMEM;
		put(p, p->packed, out.pos);
	} while (end == ZSTD_e_end ? left > 0 : in.pos < in.size);
	return 0;
}

static int write_events(struct packer *p, const struct vtb_event *events, size_t count)
{
	const struct vtb_events_header header = {
		.magic = VTB_EVENTS_MAGIC,
		.version = VTB_EVENTS_VERSION,
		.header_size = sizeof(header),
		.count = count,
		.block = VTB_EVENTS_BLOCK,
	};
	int r = 0;

	put(p, &header, sizeof(header));
	for (size_t done = 0; r >= 0 && done < count; done += VTB_EVENTS_BLOCK) {
		const size_t n = count - done < VTB_EVENTS_BLOCK ? count - done : VTB_EVENTS_BLOCK;

		vtb_events_pack(events + done, n, p->columns);
		r = compress(p, n * sizeof(*events), ZSTD_e_continue);
	}
	return r < 0 ? r : compress(p, 0, ZSTD_e_end);
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

/* Beside stdout, a pipe or a device there is no place for a second file. */
static bool has_neighbours(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && (stat(path, &st) || S_ISREG(st.st_mode));
}

static int write_file(const struct vtb_trace *trace, const char *path, struct vtb_output *out, struct vtb_events_ref *ref, struct vtb_error *err)
{
	const char *slash = strrchr(path, '/');
	struct packer p;
	int r;

	if ((size_t)snprintf(ref->file, sizeof(ref->file), "%s", slash ? slash + 1 : path) >= sizeof(ref->file))
		return vtb_error_set(err, -ENAMETOOLONG, path, 0, "the name of the events file is too long");
	r = vtb_output_open(out, path, err);
	if (r < 0)
		return r;
	r = packer_init(&p, out->file);
	if (r >= 0)
		r = write_events(&p, trace->events, trace->n_events);
	if (r >= 0)
		ref->xxh3 = vtb_hasher_digest(p.hasher);
	else
		vtb_error_set(err, r, path, 0, "not enough memory");
	packer_fini(&p);
	if (r < 0)
		vtb_output_abort(out);
	return r;
}

int vtb_events_write(const struct vtb_trace *trace, const char *path, struct vtb_output *out, struct vtb_events_ref *ret, struct vtb_error *err)
{
	char *name;
	int r;

	*ret = (struct vtb_events_ref){ .count = trace->n_events };
	*out = (struct vtb_output){ .row = -1 };
	if (trace->n_events <= VTB_TRACE_INLINE_EVENTS || !has_neighbours(path))
		return 0;
	name = events_path(path);
	if (!name)
		return vtb_error_set(err, -ENOMEM, path, 0, "not enough memory");
	ret->separate = true;
	r = write_file(trace, name, out, ret, err);
	free(name);
	return r;
}
