/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file view_maps.h
 * Mappings of files in the private view. An overlay maps what a descriptor was opened on: one that is open for reading
 * only since before the file was changed shows the old content for ever. Only in a run that is in its view.
 */
#ifndef VTB_RT_VIEW_MAPS_H
#define VTB_RT_VIEW_MAPS_H

#include "kernel.h"

/** The call was made: map what the file is now, there and wherever the program has it mapped to be read. */
void vtb_view_maps_made(const greg_t *g, long result);

#endif /* VTB_RT_VIEW_MAPS_H */
