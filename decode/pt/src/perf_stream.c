/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records one after the other, as they lie in a file or in what was unpacked. */
#include "perf_records.h"

#include <inttypes.h>
#include <string.h>

#include "vtb/zip.h"

/* Does a whole record begin here? *ret_fits: false if it goes on behind the bytes. */
static int check_header(const struct vtb_perf_stream *stream, const struct perf_event_header *header, uint64_t left,
                        uint64_t place, bool *ret_fits, struct vtb_error *err)
{
	*ret_fits = left >= sizeof(*header) && header->size <= left;
	if (left >= sizeof(*header) && header->size < sizeof(*header))
		return vtb_error_set(err, -VTB_E_FORMAT, stream->path, place,
		                     "a record of type %" PRIu32 " and %u bytes", header->type, header->size);
	return 0;
}

static int too_long(const struct vtb_perf_stream *stream, const struct perf_event_header *header, uint64_t left,
                    uint64_t place, struct vtb_error *err)
{
	if (left < sizeof(*header))
		return vtb_error_set(err, -VTB_E_FORMAT, stream->path, place, "the file ends inside a record");
	return vtb_error_set(err, -VTB_E_FORMAT, stream->path, place,
	                     "a record of type %" PRIu32 " and %u bytes does not fit the file", header->type,
	                     header->size);
}

int vtb_perf_records(struct vtb_perf_data *data, struct vtb_perf_stream *stream, const uint8_t *bytes, uint64_t size,
                     uint64_t place, uint64_t *ret_used, struct vtb_error *err)
{
	uint64_t at = 0;

	while (at < size) {
		const uint64_t left = size - at, here = place + (stream->inside ? 0 : at);
		struct perf_event_header header = { 0 };
		uint64_t used;
		bool fits;
		int r;

		memcpy(&header, bytes + at, left < sizeof(header) ? left : sizeof(header));
		r = check_header(stream, &header, left, here, &fits, err);
		if (r >= 0 && !fits && ret_used)
			break;
		if (r >= 0)
			r = fits ? vtb_perf_record(data, stream, bytes + at, left, here, &used, err)
			         : too_long(stream, &header, left, here, err);
		if (r < 0)
			return r;
		data->n_records++;
		at += used;
	}
	if (ret_used)
		*ret_used = at;
	return 0;
}

int vtb_perf_stream_read(struct vtb_perf_data *data, struct vtb_perf_stream *stream, const uint8_t *bytes,
                         uint64_t offset, uint64_t end, struct vtb_error *err)
{
	int r = offset < end ? vtb_perf_records(data, stream, bytes + offset, end - offset, offset, NULL, err) : 0;

	if (r >= 0 && stream->n_rest)
		r = vtb_error_set(err, -VTB_E_FORMAT, stream->path, end, "the file ends inside a compressed record");
	vtb_unzip_free(stream->unzip);
	stream->unzip = NULL;
	return r;
}
