/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file perf_records.h
 * The records inside perf.data; between the files perf_*.c only.
 */
#ifndef DECODE_PERF_RECORDS_H
#define DECODE_PERF_RECORDS_H

#include <linux/perf_event.h>

#include "perf_data.h"

/* Sections of the header that are read, by their bits. */
enum { VTB_PERF_FEATURE_BUILD_ID = 2, VTB_PERF_FEATURE_CPUID = 9, VTB_PERF_FEATURE_COMPRESSED = 27 };

struct vtb_unzip;

/** Records of one file, read in order. {0} and a path is a new one; vtb_perf_stream_fini(). */
struct vtb_perf_stream {
	const char *path;
	uint64_t before;         /* bytes of the files read before this one */
	struct vtb_unzip *unzip; /* NULL: nothing compressed yet */
	const uint8_t *rest;     /* unpacked bytes of a record that goes on in the next frame; borrowed */
	size_t n_rest;
	bool inside; /* what is read now was unpacked */
};

/** Read the records in bytes[0, size), which lie at `place` in the stream's file. *ret_used: where a record begins that
 * does not end here; NULL: that is an error. */
int vtb_perf_records(struct vtb_perf_data *data, struct vtb_perf_stream *stream, const uint8_t *bytes, uint64_t size,
                     uint64_t place, uint64_t *ret_used, struct vtb_error *err);

/** Read the record at `bytes`, which is whole; `left` bytes from there on. *ret_size: with the trace behind it. */
int vtb_perf_record(struct vtb_perf_data *data, struct vtb_perf_stream *stream, const uint8_t *bytes, uint64_t left,
                    uint64_t place, uint64_t *ret_size, struct vtb_error *err);

/** Unpack the body of a compressed record, and read the records in it. */
int vtb_perf_unpack(struct vtb_perf_data *data, struct vtb_perf_stream *stream, const uint8_t *packed, uint64_t size,
                    uint64_t place, struct vtb_error *err);

/** A whole stream: the records in [offset, end) of `bytes`. */
int vtb_perf_stream_read(struct vtb_perf_data *data, struct vtb_perf_stream *stream, const uint8_t *bytes,
                         uint64_t offset, uint64_t end, struct vtb_error *err);

/** Read what data->bytes and data->path are: the file with the header. */
int vtb_perf_read_header(struct vtb_perf_data *data, struct vtb_error *err);
/** All files are read: what can be known only now. */
int vtb_perf_end(struct vtb_perf_data *data);

/** Refuse another compression than zstd; `bytes`: feature COMPRESSED. */
int vtb_perf_check_compression(const char *path, uint64_t place, const uint8_t *bytes, uint64_t size,
                               struct vtb_error *err);

/** Give the records that change what is mapped numbers in order of time, if all have one. */
int vtb_perf_order(struct vtb_perf_data *data);

/** Learn one event description; `bytes`: a perf_event_attr of `size` bytes. -ENOMEM, -VTB_E_LIMIT. */
int vtb_perf_add_attr(struct vtb_perf_data *data, const uint8_t *bytes, uint64_t size, const uint8_t *ids,
                      uint64_t n_ids);

/** Learn what a section of the header says, which lies at `place` in the file `path`; one that is not known is ignored,
 * and so is what does not look like a CPUID (length, text). -ENOMEM, -VTB_E_UNSUPPORTED. */
int vtb_perf_feature(struct vtb_perf_data *data, uint64_t feature, const char *path, uint64_t place,
                     const uint8_t *bytes, uint64_t size, struct vtb_error *err);

/** Learn builds: from the bodies of records BUILD_ID, from rows of them, and from a mapping's own record. What is
 * broken is ignored. 0 or -ENOMEM. */
int vtb_perf_build_record(struct vtb_perf_data *data, uint16_t misc, const uint8_t *body, uint64_t size);
int vtb_perf_build_section(struct vtb_perf_data *data, const uint8_t *bytes, uint64_t size);
int vtb_perf_build_mapped(struct vtb_perf_data *data, uint16_t misc, const uint8_t *body, const char *path);

#endif /* DECODE_PERF_RECORDS_H */
