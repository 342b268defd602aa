/* SPDX-License-Identifier: BSD-2-Clause */
/* Vector and x87 registers, in memory and back: this library is compiled without them, a pad comes in where the program
 * uses them. */
#include "stance.h"

#include "rt.h"

uint32_t vtb_vectors_bytes;
static uint64_t parts; /* for xsave: 0 if there is no xsave */
static bool moves;     /* AVX-512, and the processor tells which parts are in use */
static bool x87_used;  /* where vector registers were kept; all are kept by xsave from then on */

#define PARTS 0xe7u /* x87, SSE, AVX, AVX-512; not AMX, protection keys */
#define PART_X87 1u
#define PARTS_UPPER 0x44u /* of the first 16 registers, above their 128 bits */
#define X87_MODES 0x37fu  /* as the processor begins */

/* Room for the registers by moves. */
struct moved {
	uint64_t zmm[32][8], k[8];
	uint32_t mxcsr;
	uint32_t upper; /* the upper parts of the first 16 registers were in use */
};

static void cpuid(uint32_t leaf, uint32_t sub, uint32_t out[4])
{
	__asm__ volatile("cpuid" : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3]) : "a"(leaf), "c"(sub));
}

#define AVX512F_AND_BW (1u << 16 | 1u << 30)

static bool has_moves(void)
{
	uint32_t r[4];

	cpuid(0, 0, r);
	if (r[0] < 13 || (parts & PARTS) != PARTS)
		return false;
	cpuid(13, 1, r);
	if (!(r[0] & 1u << 2)) /* xgetbv of 1 */
		return false;
	cpuid(7, 0, r);
	return (r[1] & AVX512F_AND_BW) == AVX512F_AND_BW;
}

static uint32_t bytes_for_xsave(void)
{
	uint32_t r[4], lo, hi, bytes = 512 + 64;

	cpuid(1, 0, r);
	if (!(r[2] & 1u << 27)) /* OSXSAVE */
		return 512;
	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	parts = lo & PARTS;
	for (uint32_t i = 2; i < 8; i++) {
		if (!(parts >> i & 1))
			continue;
		cpuid(13, i, r);
		if (r[1] + r[0] > bytes)
			bytes = r[1] + r[0];
	}
	return bytes;
}

void vtb_vectors_find(void)
{
	if (vtb_vectors_bytes)
		return;
	vtb_vectors_bytes = ((bytes_for_xsave() + 63) & ~63u) + 64;
	moves = has_moves() && vtb_vectors_bytes >= sizeof(struct moved) + 64;
}

/* ---- by xsave */

void vtb_vectors_keep_all(void *room)
{
	if (parts) {
		memset((char *)room + 512, 0, 64);
		__asm__ volatile("xsave64 (%0)" : : "r"(room), "a"((uint32_t)parts), "d"(0) : "memory");
	} else {
		__asm__ volatile("fxsave64 (%0)" : : "r"(room) : "memory");
	}
}

static void take_all_back(const void *room)
{
	if (parts)
		__asm__ volatile("xrstor64 (%0)" : : "r"(room), "a"((uint32_t)parts), "d"(0) : "memory");
	else
		__asm__ volatile("fxrstor64 (%0)" : : "r"(room) : "memory");
}

/* ---- by moves: xsave and xrstor take 145 ns, these 11 and the question what is in use 12 */

#define EACH_OF_8(x, n) x(n, 0) x(n, 1) x(n, 2) x(n, 3) x(n, 4) x(n, 5) x(n, 6) x(n, 7)
#define EACH_OF_10(x, n) EACH_OF_8(x, n) x(n, 8) x(n, 9)
#define EACH_OF_32(x) EACH_OF_10(x, ) EACH_OF_10(x, 1) EACH_OF_10(x, 2) x(3, 0) x(3, 1)
#define STORE(tens, n) "	vmovdqu64 %%zmm" #tens #n ", 64*" #tens #n "(%0)\n"
#define LOAD(tens, n) "	vmovdqu64 64*" #tens #n "(%0), %%zmm" #tens #n "\n"
#define STORE_MASK(none, n) "	kmovq %%k" #n ", 2048+8*" #n "(%0)\n"
#define LOAD_MASK(none, n) "	kmovq 2048+8*" #n "(%0), %%k" #n "\n"
_Static_assert(offsetof(struct moved, k) == 2048, "as in the moves");

static uint32_t in_use(void)
{
	uint32_t lo, hi;

	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(1));
	return lo;
}

static void move_out(struct moved *room, uint32_t used)
{
	__asm__ volatile(EACH_OF_32(STORE) EACH_OF_8(STORE_MASK, ) : : "r"(room) : "memory");
	__asm__ volatile("stmxcsr %0" : "=m"(room->mxcsr));
	room->upper = used & PARTS_UPPER;
}

/* x87 was as the processor begins; others may have left flags and modes since, and no values: those that had some have
 * been seen (x87_used), and at calls there are none. */
static void x87_as_it_was(void)
{
	uint16_t status, modes;

	__asm__ volatile("fnstsw %0\n\tfnstcw %1" : "=m"(status), "=m"(modes));
	if (VTB_UNLIKELY(status || modes != X87_MODES || x87_used))
		__asm__ volatile("fninit");
}

static void move_back(const struct moved *room)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(room->mxcsr));
	__asm__ volatile(EACH_OF_32(LOAD) EACH_OF_8(LOAD_MASK, ) : : "r"(room) : "memory");
	if (!room->upper) /* as the processor knows it again */
		__asm__ volatile("vzeroupper");
	x87_as_it_was();
}

/* ---- for others */

/* In the last bytes of the room: how it was filled. */
static uint32_t *way(const void *room)
{
	return (uint32_t *)((uint64_t)room + vtb_vectors_bytes - 64);
}

void vtb_vectors_keep(void *room)
{
	const uint32_t used = moves && !x87_used ? in_use() : PART_X87;

	if (moves && used & PART_X87) /* else not a word is written: its page would be one more to put back */
		x87_used = true;
	*way(room) = !(used & PART_X87);
	if (used & PART_X87) {
		vtb_vectors_keep_all(room);
		__asm__ volatile("emms"); /* whoever stands at a call has an empty stack of numbers */
	} else {
		move_out(room, used);
	}
}

void vtb_vectors_take_back(const void *room)
{
	if (*way(room))
		move_back(room);
	else
		take_all_back(room);
}

void vtb_vectors_zero(void *at, size_t size)
{
	if (!__builtin_cpu_supports("avx")) {
		memset(at, 0, size);
		return;
	}
	__asm__ volatile("	vpxor %%xmm0, %%xmm0, %%xmm0\n"
	                 "1:	vmovdqa %%ymm0, (%0)\n	vmovdqa %%ymm0, 32(%0)\n"
	                 "	vmovdqa %%ymm0, 64(%0)\n	vmovdqa %%ymm0, 96(%0)\n"
	                 "	subq $-128, %0\n	subq $128, %1\n	jne 1b\n"
	                 "	vzeroupper\n"
	                 : "+r"(at), "+r"(size)
	                 :
	                 : "memory");
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
