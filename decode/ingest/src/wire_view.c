/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire_view.h"

#include <inttypes.h>
#include <string.h>

struct area_row {
	const char *name;
	size_t header;  /* offset of the struct vtb_wire_area in the header */
	size_t entry;   /* bytes an entry; 1: `used` counts bytes */
	uint64_t limit; /* of `used` */
};

static const struct area_row areas[] = {
	{ "modules", offsetof(struct vtb_wire_header, modules), sizeof(struct vtb_wire_module), VTB_WIRE_MODULES_MAX },
	{ "threads", offsetof(struct vtb_wire_header, threads), sizeof(struct vtb_wire_thread), VTB_WIRE_THREADS_MAX },
	{ "strings", offsetof(struct vtb_wire_header, strings), 1, UINT32_MAX },
	{ "breaks", offsetof(struct vtb_wire_header, breaks), sizeof(struct vtb_wire_break), VTB_WIRE_BREAKS_MAX },
	{ "sites", offsetof(struct vtb_wire_header, sites), sizeof(struct vtb_wire_site), VTB_WIRE_SITES_MAX },
};

static int check_header(const struct vtb_wire_header *h, size_t size, const char *path, struct vtb_error *err)
{
	if (size < sizeof(*h))
		return vtb_error_set(err, -VTB_E_FORMAT, path, size,
		                     "truncated: %zu bytes, a process block has at least %zu", size, sizeof(*h));
	if (memcmp(h->magic, VTB_WIRE_MAGIC, sizeof(h->magic)) != 0)
		return vtb_error_set(err, -VTB_E_FORMAT, path, 0,
		                     "not a process block: expected magic \"" VTB_WIRE_MAGIC "\"");
	if (h->version != VTB_WIRE_VERSION)
		return vtb_error_set(err, -VTB_E_VERSION, path, offsetof(struct vtb_wire_header, version),
		                     "version %" PRIu32 ", expected %u", h->version, VTB_WIRE_VERSION);
	if (h->header_size < sizeof(*h) || h->header_size > size)
		return vtb_error_set(err, -VTB_E_FORMAT, path, offsetof(struct vtb_wire_header, header_size),
		                     "header of %" PRIu32 " bytes, expected %zu to %zu", h->header_size, sizeof(*h),
		                     size);
	if (h->block_size > size)
		return vtb_error_set(err, -VTB_E_FORMAT, path, offsetof(struct vtb_wire_header, block_size),
		                     "truncated: block of %" PRIu64 " bytes, %zu are there", h->block_size, size);
	if (h->features)
		return vtb_error_set(err, -VTB_E_VERSION, path, offsetof(struct vtb_wire_header, features),
		                     "unknown features 0x%" PRIx64, h->features);
	if (h->mode > VTB_MODE_CONTROL)
		return vtb_error_set(err, -VTB_E_FORMAT, path, offsetof(struct vtb_wire_header, mode),
		                     "mode %" PRIu32 ", expected 0 to %d", h->mode, VTB_MODE_CONTROL);
	return 0;
}

static int check_area(const struct vtb_wire_header *h, const struct area_row *row, const char *path,
                      struct vtb_error *err)
{
	const struct vtb_wire_area *a = (const void *)((const char *)h + row->header);

	if (a->size == 0 && a->used == 0)
		return 0; /* not there */
	if (a->offset > h->block_size || a->size > h->block_size - a->offset)
		return vtb_error_set(err, -VTB_E_FORMAT, path, row->header,
		                     "area %s at %" PRIu64 "+%" PRIu64 " runs past the block of %" PRIu64 " bytes",
		                     row->name, a->offset, a->size, h->block_size);
	if (a->offset % 8)
		return vtb_error_set(err, -VTB_E_FORMAT, path, row->header,
		                     "area %s at %" PRIu64 ", expected a multiple of 8", row->name, a->offset);
	if (a->used > row->limit)
		return vtb_error_set(err, -VTB_E_LIMIT, path, row->header + offsetof(struct vtb_wire_area, used),
		                     "%" PRIu64 " entries in area %s, at most %" PRIu64 " are allowed", a->used,
		                     row->name, row->limit);
	if (a->used > a->size / row->entry)
		return vtb_error_set(err, -VTB_E_FORMAT, path, row->header + offsetof(struct vtb_wire_area, used),
		                     "%" PRIu64 " entries do not fit in area %s of %" PRIu64 " bytes", a->used,
		                     row->name, a->size);
	return 0;
}

static int check_strings(const struct wire_view *v, const char *path, struct vtb_error *err)
{
	for (size_t i = 0; i < v->n_modules; i++) {
		const struct vtb_wire_module *m = &v->modules[i];
		const uint64_t at = v->header->modules.offset + i * sizeof(*m);

		if (!wire_string(v, m->path))
			return vtb_error_set(err, -VTB_E_FORMAT, path, at,
			                     "path of module %zu lies at %" PRIu32 ", outside the strings (%zu bytes)",
			                     i, m->path, v->n_strings);
		if (m->build_id_size > sizeof(m->build_id))
			return vtb_error_set(err, -VTB_E_FORMAT, path, at,
			                     "build-id of %" PRIu32 " bytes, at most %zu are allowed", m->build_id_size,
			                     sizeof(m->build_id));
		if (m->lo > m->hi)
			return vtb_error_set(err, -VTB_E_FORMAT, path, at, "module %zu ends before it begins", i);
	}
	return 0;
}

int wire_view(const void *block, size_t size, const char *path, struct wire_view *ret, struct vtb_error *err)
{
	const struct vtb_wire_header *h = block;
	struct wire_view v = { .header = h };
	int r = check_header(h, size, path, err);

	for (size_t i = 0; r == 0 && i < sizeof(areas) / sizeof(*areas); i++)
		r = check_area(h, &areas[i], path, err);
	if (r < 0)
		return r;
	v.modules = (const void *)((const char *)block + h->modules.offset);
	v.threads = (const void *)((const char *)block + h->threads.offset);
	v.breaks = (const void *)((const char *)block + h->breaks.offset);
	v.strings = (const char *)block + h->strings.offset;
	v.n_modules = h->modules.used;
	v.n_threads = h->threads.used;
	v.n_breaks = h->breaks.used;
	v.sites = (const void *)((const char *)block + h->sites.offset);
	v.n_sites = h->sites.used;
	v.n_strings = h->strings.used;
	r = check_strings(&v, path, err);
	if (r == 0)
		*ret = v;
	return r;
}

const char *wire_string(const struct wire_view *view, uint32_t offset)
{
	if (offset == 0)
		return "";
	if (offset >= view->n_strings || !memchr(view->strings + offset, '\0', view->n_strings - offset))
		return NULL;
	return view->strings + offset;
}
