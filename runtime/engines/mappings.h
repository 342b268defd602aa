/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file mappings.h
 * The memory of this process that is private and may be written.
 */
#ifndef VTB_RT_MAPPINGS_H
#define VTB_RT_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

struct vtb_mapping {
	uint64_t lo, hi;
	bool file; /* backed by a file */
	bool code; /* may be executed */
};

/** Give each of them to `take`, from the lowest address. NULL, or why not all were given. */
const char *vtb_mappings_each(bool (*take)(const struct vtb_mapping *m));

#endif /* VTB_RT_MAPPINGS_H */
