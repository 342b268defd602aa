/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which builds of programs and libraries perf has seen: the section of the header and the record that list them (-B),
 * and what mappings say of themselves (--buildid-mmap). Shape: build_id_event in tools/perf/util/event.h. */
#include <errno.h>
#include <string.h>

#include "perf_records.h"
#include "vtb/array.h"

#define PATH_AT 28u         /* behind the process and the room for the id */
#define HAS_SIZE (1u << 15) /* misc: the byte behind the id is its size */
#define MAPPED_ID PERF_RECORD_MISC_MMAP_BUILD_ID

static int add(struct vtb_perf_data *data, const char *path, const uint8_t *id, uint32_t size)
{
	if (size == 0 || size > VTB_PERF_ID_SIZE)
		return 0;
	if (vtb_array_room(data, builds) < 0)
		return -ENOMEM;
	data->builds[data->n_builds++] = (struct vtb_perf_build){ .path = path, .id = id, .id_size = size };
	return 0;
}

int vtb_perf_build_record(struct vtb_perf_data *data, uint16_t misc, const uint8_t *body, uint64_t size)
{
	if (size <= PATH_AT || !memchr(body + PATH_AT, '\0', size - PATH_AT))
		return 0;
	return add(data, (const char *)body + PATH_AT, body + 4,
	           misc & HAS_SIZE ? body[4 + VTB_PERF_ID_SIZE] : VTB_PERF_ID_SIZE);
}

int vtb_perf_build_section(struct vtb_perf_data *data, const uint8_t *bytes, uint64_t size)
{
	struct perf_event_header h;
	int r = 0;

	for (uint64_t at = 0; r >= 0 && size - at >= sizeof(h); at += h.size) {
		memcpy(&h, bytes + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > size - at)
			return 0;
		r = vtb_perf_build_record(data, h.misc, bytes + at + sizeof(h), h.size - sizeof(h));
	}
	return r;
}

int vtb_perf_build_mapped(struct vtb_perf_data *data, uint16_t misc, const uint8_t *body, const char *path)
{
	return misc & MAPPED_ID ? add(data, path, body + 36, body[32]) : 0;
}

const struct vtb_perf_build *vtb_perf_build_of(const struct vtb_perf_data *data, const char *path)
{
	for (size_t i = 0; i < data->n_builds; i++)
		if (!strcmp(data->builds[i].path, path))
			return &data->builds[i];
	return NULL;
}
