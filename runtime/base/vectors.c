/* SPDX-License-Identifier: BSD-2-Clause */
/* Vector and x87 registers, in memory and back: this library is compiled without them, a pad comes in where the program
 * uses them. */
#include "stance.h"

#include "rt.h"

uint32_t vtb_vectors_bytes;
static uint64_t parts; /* for xsave: 0 if there is no xsave */

#define PARTS 0xe7u /* x87, SSE, AVX, AVX-512; not AMX, protection keys */

static void cpuid(uint32_t leaf, uint32_t sub, uint32_t out[4])
{
	__asm__ volatile("cpuid" : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3]) : "a"(leaf), "c"(sub));
}

void vtb_vectors_find(void)
{
	uint32_t r[4], lo, hi;

	if (vtb_vectors_bytes)
		return;
	vtb_vectors_bytes = 512;
	cpuid(1, 0, r);
	if (!(r[2] & 1u << 27)) /* OSXSAVE */
		return;
	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	parts = lo & PARTS;
	vtb_vectors_bytes = 512 + 64;
	for (uint32_t i = 2; i < 8; i++) {
		if (!(parts >> i & 1))
			continue;
		cpuid(13, i, r);
		if (r[1] + r[0] > vtb_vectors_bytes)
			vtb_vectors_bytes = r[1] + r[0];
	}
}

void vtb_vectors_keep(void *room)
{
	if (parts) {
		memset((char *)room + 512, 0, 64);
		__asm__ volatile("xsave64 (%0)" : : "r"(room), "a"((uint32_t)parts), "d"(0) : "memory");
	} else {
		__asm__ volatile("fxsave64 (%0)" : : "r"(room) : "memory");
	}
}

void vtb_vectors_take_back(const void *room)
{
	if (parts)
		__asm__ volatile("xrstor64 (%0)" : : "r"(room), "a"((uint32_t)parts), "d"(0) : "memory");
	else
		__asm__ volatile("fxrstor64 (%0)" : : "r"(room) : "memory");
}

/* What xrstor takes from the header is that no part is in use; yet the processor asks for the room of all of them,
 * which need not be there above a frame at the top of a stack. */
void vtb_vectors_clear(void)
{
	char *room;

	if (!parts)
		return;
	room = __builtin_alloca_with_align(vtb_vectors_bytes, 64 * 8);
	memset(room, 0, 512 + 64);
	__asm__ volatile("stmxcsr %0" : "=m"(*(uint32_t *)(room + 24)));
	__asm__ volatile("xrstor64 (%0)"
	                 :
	                 : "r"(room), "a"((uint32_t)parts & ~1u /* x87 has its control word there */), "d"(0)
	                 : "memory");
}
