/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf_data.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf_records.h"
#include "vtb/array.h"

#define MAGIC "PERFILE2"
#define MAGIC_SWAPPED "2ELIFREP"
#define HEADER_FILE 104u /* bytes of the file header; perf's "fixed" part */
#define HEADER_PIPE 16u
#define FEATURES 256u /* bits in the header */
#define IDS_MAX (1u << 20)

uint64_t vtb_perf_tsc(const struct vtb_perf_clock *clock, uint64_t ns)
{
	const uint64_t t = ns - clock->zero;

	if (!clock->mult || clock->shift > 32) /* the kernel's shifts are below 32 */
		return 0;
	return (t / clock->mult << clock->shift) + ((t % clock->mult) << clock->shift) / clock->mult;
}

void vtb_perf_fini(struct vtb_perf_data *data)
{
	for (size_t i = 0; i < data->n_files; i++)
		vtb_input_unmap(&data->files[i]);
	for (size_t i = 0; i < data->n_blocks; i++)
		free(data->blocks[i]);
	free(data->files);
	free(data->blocks);
	free(data->attrs);
	free(data->ids);
	free(data->mmaps);
	free(data->switches);
	free(data->tasks);
	free(data->auxes);
	free(data->chunks);
	free(data->builds);
	*data = (struct vtb_perf_data){ 0 };
}

int vtb_perf_add_attr(struct vtb_perf_data *data, const uint8_t *bytes, uint64_t size, const uint8_t *ids,
                      uint64_t n_ids)
{
	struct perf_event_attr attr;

	if (n_ids > IDS_MAX - data->n_ids)
		return -VTB_E_LIMIT;
	memset(&attr, 0, sizeof(attr));
	memcpy(&attr, bytes, size < sizeof(attr) ? size : sizeof(attr));
	if (vtb_array_room(data, attrs) < 0)
		return -ENOMEM;
	data->attrs[data->n_attrs++] = (struct vtb_perf_attr){
		.type = attr.type,
		.config = attr.config,
		.sample_type = attr.sample_type,
		.sample_id_all = attr.sample_id_all,
		.enable_on_exec = attr.enable_on_exec,
		.first_id = data->n_ids,
		.n_ids = n_ids,
	};
	for (uint64_t i = 0; i < n_ids; i++) {
		if (vtb_array_room(data, ids) < 0)
			return -ENOMEM;
		memcpy(&data->ids[data->n_ids++], ids + 8 * i, 8);
	}
	return 0;
}

static uint64_t u64_at(const struct vtb_perf_data *data, uint64_t offset)
{
	uint64_t v;

	memcpy(&v, data->bytes + offset, sizeof(v));
	return v;
}

/* Does [offset, offset + size) lie in the file? */
static bool inside(const struct vtb_perf_data *data, uint64_t offset, uint64_t size)
{
	return offset <= data->size && size <= data->size - offset;
}

/* The attribute section: entries of `entry` bytes, each a perf_event_attr followed by the place and size of its ids. */
static int read_attrs(struct vtb_perf_data *data, struct vtb_error *err)
{
	const uint64_t entry = u64_at(data, 16), offset = u64_at(data, 24), size = u64_at(data, 32);
	const uint8_t *bytes = data->bytes;

	if (!inside(data, offset, size) || entry < 16 + 64 || size % entry)
		return vtb_error_set(err, -VTB_E_FORMAT, data->path, 16,
		                     "attributes of %" PRIu64 " bytes each, %" PRIu64 " at %" PRIu64
		                     ", do not fit the file",
		                     entry, size, offset);
	for (uint64_t at = offset; at < offset + size; at += entry) {
		const uint64_t ids = u64_at(data, at + entry - 16), ids_size = u64_at(data, at + entry - 8);
		int r;

		if (!inside(data, ids, ids_size) || ids_size % 8)
			return vtb_error_set(err, -VTB_E_FORMAT, data->path, at + entry - 16,
			                     "the ids of an attribute lie outside the file");
		r = vtb_perf_add_attr(data, bytes + at, entry - 16, bytes + ids, ids_size / 8);
		if (r < 0)
			return vtb_error_set(err, r, data->path, at, "too many ids");
	}
	return 0;
}

/* "GenuineIntel,6,61,4" */
static void set_cpuid(struct vtb_perf_data *data, const uint8_t *bytes, uint64_t size)
{
	unsigned family = 0, model = 0, stepping = 0;
	char text[128] = "";
	uint32_t len;

	if (size < 4)
		return;
	memcpy(&len, bytes, 4);
	if (len > size - 4) /* perf pads the text with zeros */
		return;
	memcpy(text, bytes + 4, len < sizeof(text) - 1 ? len : sizeof(text) - 1);
	if (sscanf(text, "GenuineIntel,%u,%u,%u", &family, &model, &stepping) == 3 && family < 65536 && model < 256 &&
	    stepping < 256) {
		data->cpu.family = (uint16_t)family;
		data->cpu.model = (uint8_t)model;
		data->cpu.stepping = (uint8_t)stepping;
	}
}

int vtb_perf_feature(struct vtb_perf_data *data, uint64_t feature, const char *path, uint64_t place,
                     const uint8_t *bytes, uint64_t size, struct vtb_error *err)
{
	if (feature == VTB_PERF_FEATURE_BUILD_ID)
		return vtb_perf_build_section(data, bytes, size);
	if (feature == VTB_PERF_FEATURE_COMPRESSED)
		return vtb_perf_check_compression(path, place, bytes, size, err);
	if (feature == VTB_PERF_FEATURE_CPUID)
		set_cpuid(data, bytes, size);
	return 0;
}

/* Sections behind the data, one for each feature bit, in order of the bits. */
static int read_features(struct vtb_perf_data *data, uint64_t table, struct vtb_error *err)
{
	const uint8_t *bits = data->bytes + 72;

	for (unsigned i = 0; i < FEATURES; i++) {
		uint64_t offset, size;
		int r;

		if (!(bits[i / 8] >> i % 8 & 1))
			continue;
		if (!inside(data, table,
		            16)) /* perf was stopped before it wrote them: the records are whole all the same */
			return 0;
		offset = u64_at(data, table);
		size = u64_at(data, table + 8);
		table += 16;
		r = inside(data, offset, size)
		        ? vtb_perf_feature(data, i, data->path, offset, data->bytes + offset, size, err)
		        : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

static int read_stream(struct vtb_perf_data *data, uint64_t offset, uint64_t end, struct vtb_error *err)
{
	struct vtb_perf_stream stream = { .path = data->path };

	return vtb_perf_stream_read(data, &stream, data->bytes, offset, end, err);
}

static int read_file_format(struct vtb_perf_data *data, struct vtb_error *err)
{
	const uint64_t offset = u64_at(data, 40);
	uint64_t size = u64_at(data, 48);
	int r;

	if (offset < HEADER_FILE || offset > data->size)
		return vtb_error_set(err, -VTB_E_FORMAT, data->path, 40,
		                     "the data begins at %" PRIu64 ", outside the file", offset);
	if (size == 0) /* perf record was killed */
		size = data->size - offset;
	if (size > data->size - offset)
		return vtb_error_set(err, -VTB_E_FORMAT, data->path, 48,
		                     "the file ends before its %" PRIu64 " bytes of data", size);
	r = read_features(data, offset + size, err);
	if (r >= 0)
		r = read_attrs(data, err);
	return r < 0 ? r : read_stream(data, offset, offset + size, err);
}

int vtb_perf_read_header(struct vtb_perf_data *data, struct vtb_error *err)
{
	uint64_t header;

	if (data->size < HEADER_PIPE || memcmp(data->bytes, MAGIC, 8)) {
		if (data->size >= 8 && !memcmp(data->bytes, MAGIC_SWAPPED, 8))
			return vtb_error_set(err, -VTB_E_UNSUPPORTED, data->path, 0,
			                     "perf.data of a big-endian machine");
		return vtb_error_set(err, -VTB_E_FORMAT, data->path, 0,
		                     "not a perf.data file (it does not begin with PERFILE2)");
	}
	header = u64_at(data, 8);
	if (header == HEADER_PIPE) {
		data->pipe = true;
		return read_stream(data, HEADER_PIPE, data->size, err);
	}
	if (header != HEADER_FILE || data->size < HEADER_FILE)
		return vtb_error_set(err, -VTB_E_VERSION, data->path, 8,
		                     "a file header of %" PRIu64 " bytes is not known (16 and 104 are)", header);
	return read_file_format(data, err);
}

/* IA32_RTIT_CTL.MTCFreq stands in the event's config, at the bits that AUXTRACE_INFO names. */
static void find_mtc_freq(struct vtb_perf_data *data)
{
	if (!data->mtc_freq_bits)
		return;
	for (size_t i = 0; i < data->n_attrs; i++)
		if (data->attrs[i].type == data->pt_type)
			data->cpu.mtc_freq = (uint8_t)((data->attrs[i].config & data->mtc_freq_bits) >>
			                               __builtin_ctzll(data->mtc_freq_bits));
}

int vtb_perf_end(struct vtb_perf_data *data)
{
	find_mtc_freq(data);
	return vtb_perf_order(data);
}

int vtb_perf_read_bytes(const void *bytes, size_t size, struct vtb_perf_data *data, struct vtb_error *err)
{
	int r;

	data->bytes = bytes;
	data->size = size;
	r = vtb_perf_read_header(data, err);
	return r < 0 ? r : vtb_perf_end(data);
}

int vtb_perf_read_records(const void *bytes, size_t size, uint64_t sample_type, struct vtb_perf_data *data,
                          struct vtb_error *err)
{
	int r;

	data->bytes = bytes;
	data->size = size;
	if (vtb_array_room(data, attrs) < 0)
		return -ENOMEM;
	data->attrs[data->n_attrs++] = (struct vtb_perf_attr){ .sample_type = sample_type, .sample_id_all = true };
	r = read_stream(data, 0, size, err);
	return r < 0 ? r : vtb_perf_order(data);
}
