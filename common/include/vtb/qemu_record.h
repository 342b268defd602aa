/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file qemu_record.h
 * What the QEMU plugin writes (record/qemu) and vtb-decode reads: DIR/vcpu-N-K.qacc, one file a thread. Little-endian.
 */
#ifndef VTB_QEMU_RECORD_H
#define VTB_QEMU_RECORD_H

#include <stdint.h>

#define VTB_QEMU_MAGIC "vtbqacc"
#define VTB_QEMU_VERSION 1u

struct vtb_qemu_header {
	char magic[8];
	uint32_t version;
	uint32_t header_size;
	uint32_t vcpu;
	uint32_t nth;              /* thread that had this virtual processor, from 0 */
	uint64_t lost;             /* accesses that could not be stored */
	uint64_t code_lo, code_hi; /* code of the program's main file */
};

/** One access; 16 bytes. */
struct vtb_qemu_access {
	uint64_t ip; /* bits 0..47: address of the instruction; 60..62: log2 of the size; 63: it writes */
	uint64_t addr;
};

static inline uint64_t vtb_qemu_ip(const struct vtb_qemu_access *a)
{
	return a->ip & ((1ull << 48) - 1);
}

static inline unsigned vtb_qemu_size(const struct vtb_qemu_access *a)
{
	return 1u << (a->ip >> 60 & 7);
}

static inline unsigned vtb_qemu_writes(const struct vtb_qemu_access *a)
{
	return (unsigned)(a->ip >> 63);
}

#endif /* VTB_QEMU_RECORD_H */
