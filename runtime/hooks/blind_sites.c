/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions of the program that touch variables, and of which no hook of the compiler tells: inline assembler, above
 * all. The tool has found them (vtb/blind_code.h) and says where they are (block, blinds). Each gets a stub that does
 * what that of a pad does (vtb/pad_site.h), then the instruction itself, and goes on behind it:
 *
 *     5 bytes or more:   jmp stub              stub:  save ── operand's address, info ── call entry ── restore
 *     fewer:             hlt, which faults            the instruction (atomic: between BEGIN and END) ── jmp behind it
 *                        and leads to the stub
 *
 * A fault costs a microsecond or two. In a loop that computes this would not do: a run takes so many, from then on the
 * instructions are what they were, and the run says so.
 */
#include <string.h>
#include <sys/mman.h>

#include "base.h"
#include "pads.h"
#include "rewrite.h"
#include "scheduler.h"
#include "vtb/pad_site.h"

#define PAGE 4096ull
#define HLT 0xf4
#define JUMP 5u             /* bytes */
#define STUB_MOST 192u      /* bytes */
#define FAULTS_MOST 100000u /* a run */
#define RSP 4u              /* as instructions number registers */
#define NO_REGISTER 255u
#define OF_RIP 16u
#define RED_ZONE 128
#define SAVED 24 /* rax, rcx, rdx */

static struct {
	uint8_t *room; /* the entries, then the stubs; NULL: there are none */
	uint64_t size;
	uint32_t n, faulting;
	uint32_t faults; /* of this run: it is part of what is put back after it */
} blind;

static const struct vtb_wire_blind *sites(void)
{
	return (const void *)((const char *)vtb_rt.block + vtb_rt.block->blinds.offset);
}

static uint8_t *place_of(const struct vtb_wire_blind *s)
{
	return (uint8_t *)(vtb_rt_program()->bias + s->addr);
}

static uint8_t *stub_of(uint32_t i)
{
	return blind.room + VTB_PAD_ENTRIES * sizeof(void *) + (uint64_t)i * STUB_MOST;
}

/* ---- writing a stub */

static uint8_t *put(uint8_t *at, const void *bytes, size_t size)
{
	memcpy(at, bytes, size);
	return at + size;
}

#define PUT(at, ...) put(at, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static uint8_t *put32(uint8_t *at, int64_t value)
{
	const int32_t word = (int32_t)value;

	return put(at, &word, sizeof(word));
}

static uint8_t *put64(uint8_t *at, uint64_t value)
{
	return put(at, &value, sizeof(value));
}

static uint8_t *save(uint8_t *at)
{
	return PUT(at, 0x48, 0x8d, 0x64, 0x24, 0x80, /* lea -128(%rsp), %rsp */
	           0x50, 0x51, 0x52);                /* push %rax, %rcx, %rdx */
}

static uint8_t *restore(uint8_t *at)
{
	return PUT(at, 0x5a, 0x59, 0x58,                            /* pop %rdx, %rcx, %rax */
	           0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00); /* lea 128(%rsp), %rsp */
}

static unsigned number_of(uint8_t dwarf)
{
	static const uint8_t numbers[8] = { 0, 2, 1, 3, 6, 7, 5, 4 };

	return dwarf < 8 ? numbers[dwarf] : dwarf;
}

/* lea disp(base, index, scale), %rax; the stack pointer has moved. */
static uint8_t *put_address(uint8_t *at, const struct vtb_wire_blind *s)
{
	const bool has_base = s->base != NO_REGISTER, has_index = s->index != NO_REGISTER;
	const unsigned base = has_base ? number_of(s->base) : 5, index = has_index ? number_of(s->index) : RSP;
	const unsigned scale = has_index ? (unsigned)__builtin_ctz(s->scale | 8u) : 0;
	const bool by_stack = has_base && base == RSP;

	if (s->base == OF_RIP) {
		at = PUT(at, 0x48, 0xb8); /* movabs, %rax */
		return put64(at, (uint64_t)place_of(s) + s->length + (uint64_t)s->disp);
	}
	at = PUT(at, (uint8_t)(0x48 | (index >> 3) << 1 | base >> 3), 0x8d, has_base ? 0x84 : 0x04,
	         (uint8_t)(scale << 6 | (index & 7) << 3 | (base & 7)));
	return put32(at, s->disp + (by_stack ? RED_ZONE + SAVED : 0));
}

static uint8_t *put_call(uint8_t *at, const struct vtb_wire_blind *s, unsigned entry)
{
	at = PUT(at, 0xb9); /* mov, %ecx */
	at = put32(at, s->info);
	at = PUT(at, 0x48, 0xba); /* movabs, %rdx */
	at = put64(at, (uint64_t)place_of(s) + s->length);
	at = PUT(at, 0xff, 0x15); /* call *(%rip) */
	return put32(at, (int64_t)(blind.room + entry * sizeof(void *)) - (int64_t)(at + 4));
}

static uint8_t *put_instruction(uint8_t *at, const struct vtb_wire_blind *s)
{
	uint8_t *end = put(at, s->bytes, s->length);

	if (s->moved)
		put32(at + s->moved, s->disp + (int64_t)(place_of(s) + s->length) - (int64_t)end);
	return end;
}

static uint8_t *put_jump(uint8_t *at, const uint8_t *to)
{
	at = PUT(at, 0xe9);
	return put32(at, (int64_t)to - (int64_t)(at + 4));
}

static bool is_atomic(const struct vtb_wire_blind *s)
{
	return vtb_pad_kind(s->info) == VTB_PAD_ATOMIC || vtb_pad_kind(s->info) == VTB_PAD_CAS;
}

static void write_stub(uint8_t *at, const struct vtb_wire_blind *s)
{
	at = put_address(save(at), s);
	at = restore(put_call(at, s, is_atomic(s) ? VTB_PAD_BEGIN : VTB_PAD_ENTER));
	at = put_instruction(at, s);
	if (is_atomic(s))
		at = restore(put_call(save(at), s, VTB_PAD_END));
	put_jump(at, place_of(s) + s->length);
}

/* ---- at the instruction */

static bool is_there(const struct vtb_wire_blind *s)
{
	const struct vtb_rt_program *p = vtb_rt_program();
	const uint64_t at = p->bias + s->addr;

	return s->length && s->length <= sizeof(s->bytes) && at >= p->lo && at + s->length <= p->hi &&
	       !memcmp((const void *)at, s->bytes, s->length);
}

static void lead_away(uint32_t i)
{
	const struct vtb_wire_blind *s = &sites()[i];

	if (s->length < JUMP) {
		*place_of(s) = HLT;
		blind.faulting++;
		return;
	}
	memset(put_jump(place_of(s), stub_of(i)), 0x90, s->length - JUMP);
}

/* Sites are sorted. The last one that is not behind pc; UINT32_MAX: there is none. */
static uint32_t find(uint64_t pc)
{
	uint32_t low = 0, high = blind.n;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if ((uint64_t)place_of(&sites()[middle]) <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

static void release(void)
{
	if (!blind.faulting || !vtb_rt_program_writable(true))
		return;
	for (uint32_t i = 0; i < blind.n; i++)
		if (sites()[i].length < JUMP)
			*place_of(&sites()[i]) = sites()[i].bytes[0];
	vtb_rt_program_writable(false);
	blind.faulting = 0;
	vtb_rt_uncontrolled(VTB_UNC_BLIND);
}

static bool to_stub(greg_t *g)
{
	const uint64_t pc = (uint64_t)g[REG_RIP];
	const uint32_t i = find(pc);

	if (i >= blind.n || (uint64_t)place_of(&sites()[i]) != pc || sites()[i].length >= JUMP)
		return false;
	if (blind.faulting && ++blind.faults > FAULTS_MOST)
		release();
	if (blind.faulting) /* else the instruction is there again, perhaps since this thread was on its way */
		g[REG_RIP] = (greg_t)stub_of(i);
	return true;
}

/* The instruction itself, in its stub. */
static void from_stub(greg_t *g)
{
	const uint64_t at = (uint64_t)g[REG_RIP] - (uint64_t)stub_of(0);

	if ((uint64_t)g[REG_RIP] >= (uint64_t)stub_of(0) && at < (uint64_t)blind.n * STUB_MOST)
		g[REG_RIP] = (greg_t)place_of(&sites()[at / STUB_MOST]);
}

/* ---- all of them */

static bool write_stubs(uint32_t n)
{
	void **entries;

	blind.size = (VTB_PAD_ENTRIES * sizeof(void *) + (uint64_t)n * STUB_MOST + PAGE - 1) & ~(PAGE - 1);
	blind.room = (uint8_t *)vtb_rt_room_near(blind.size);
	if (!blind.room)
		return false;
	vtb_vectors_find();
	entries = (void **)blind.room;
	entries[VTB_PAD_ENTER] = (void *)vtb_pads_enter;
	entries[VTB_PAD_BEGIN] = (void *)vtb_pads_begin;
	entries[VTB_PAD_END] = (void *)vtb_pads_end;
	for (uint32_t i = 0; i < n; i++)
		write_stub(stub_of(i), &sites()[i]);
	return sys3(SYS_mprotect, (long)blind.room, (long)blind.size, PROT_READ | PROT_EXEC) == 0;
}

void vtb_blind_hook(void)
{
	const struct vtb_wire_area *a = &vtb_rt.block->blinds;
	const uint32_t n = a->used <= a->size / sizeof(struct vtb_wire_blind) ? (uint32_t)a->used : 0;

	if (!n || !(vtb_rt.options & VTB_OPT_ACCESSES) || !vtb_rt_program()->lo)
		return;
	for (uint32_t i = 0; i < n; i++)
		if (!is_there(&sites()[i]))
			return;
	if (!write_stubs(n) || !vtb_rt_program_writable(true))
		return;
	blind.n = n;
	for (uint32_t i = 0; i < n; i++)
		lead_away(i);
	vtb_rt_program_writable(false);
	vtb_elsewhere = (struct vtb_elsewhere){ to_stub, from_stub, release };
	vtb_rt.block->blinds_taken = n;
}
