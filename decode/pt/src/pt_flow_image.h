/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_flow_image.h
 * Inside of the libipt adapter: an image as libipt wants it.
 */
#ifndef DECODE_PT_FLOW_IMAGE_H
#define DECODE_PT_FLOW_IMAGE_H

#include <intel-pt.h>

#include "vtb/pt.h"

/** A new libipt image of the code; NULL without memory. Make it before threads are started: the first one also makes
 * the cache that all share. */
struct pt_image *vtb_pt_flow_image(const struct vtb_pt_image *image);

#endif /* DECODE_PT_FLOW_IMAGE_H */
