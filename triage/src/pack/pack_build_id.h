/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file pack_build_id.h The build-id in an ELF file. */
#ifndef VTB_PACK_BUILD_ID_H
#define VTB_PACK_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Does the file have this build-id? False also if it cannot be read. */
bool vtb_pack_has_build_id(const char *path, const uint8_t *id, size_t size);

#endif /* VTB_PACK_BUILD_ID_H */
