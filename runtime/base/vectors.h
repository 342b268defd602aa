/* SPDX-License-Identifier: BSD-2-Clause */
/** @file vectors.h The program's vector registers at a pad, while another thread runs on the same kernel thread. */
#ifndef VTB_RT_VECTORS_H
#define VTB_RT_VECTORS_H

#include <stdint.h>

/** Find out what this processor has. Until then nothing is kept. */
void vtb_vectors_find(void);
/** Room in bytes for the vector and x87 registers, 64-byte aligned; 0 before vtb_vectors_find(). */
extern uint32_t vtb_vectors_bytes;
/** Keep them there and take them back. Only registers that Linux lets programs use without asking (up to AVX-512). */
void vtb_vectors_keep(void *room);
void vtb_vectors_take_back(const void *room);
/** Where a function returns, nothing in vector registers counts: clear them. Does nothing before vtb_vectors_find(). */
void vtb_vectors_clear(void);

#endif /* VTB_RT_VECTORS_H */
