/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file clock_bytes.h
 * Instructions that read the processor's clock (rdtsc, rdtscp). Of two bytes some code holds the same by chance every
 * 64 KiB, within other instructions: those do not count.
 */
#ifndef VTB_CLOCK_BYTES_H
#define VTB_CLOCK_BYTES_H

#include "vtb/elf_file.h"

/** Does the section's code hold such instructions, as far as anybody knows? Where the function around the bytes has no
 * symbol or cannot be read to its end, they count. O(bytes + functions with such bytes). */
bool vtb_clock_bytes_found(struct vtb_elf *elf, const struct vtb_elf_section *section);

#endif /* VTB_CLOCK_BYTES_H */
