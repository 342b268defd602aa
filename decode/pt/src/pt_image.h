/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_image.h
 * Inside of struct vtb_pt_image (vtb/pt.h): sorted, disjoint sections, each a part of a file.
 */
#ifndef DECODE_PT_IMAGE_H
#define DECODE_PT_IMAGE_H

#include "vtb/pt.h"

/* A file of the image, or bytes without a name. */
struct vtb_pt_file {
	char *path;     /* NULL: bytes at hand only */
	uint8_t *bytes; /* `size` bytes, owned */
	uint64_t size;
	bool mapped; /* `bytes` is a mapping of the file */
};

struct vtb_pt_section {
	uint64_t lo, hi;          /* runtime addresses, [lo, hi) */
	uint64_t offset;          /* of `lo` in the file; offset + (hi - lo) <= file->size */
	struct vtb_pt_file *file; /* borrowed from the image */
};

struct vtb_pt_image {
	struct vtb_pt_section *sections; /* by address */
	size_t n_sections, cap_sections;
	struct vtb_pt_file **files; /* owned */
	size_t n_files, cap_files;
	void *shared; /* what pt_flow.c keeps for all flows of this image, or NULL */
	void (*shared_free)(void *);
};

#endif /* DECODE_PT_IMAGE_H */
