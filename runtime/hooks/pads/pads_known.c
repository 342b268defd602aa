/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Engine snapshot: atomic operations of which is known what they will do, since nobody else runs until their thread
 * comes in again. Such a one is told in full before it is made, where it stands in the program, as if it were a plain
 * access. While it is told memory is as it will be, and then as it was. That nobody must see: other engines let a
 * program share memory with processes that are not controlled, and there a pad comes in twice.
 *
 *     stub:  call *BEGIN ── restore ── operation ── save ── call *END ── restore ── jmp behind the operation
 *            call *entry ── restore ── jmp behind the pad ── entry, does
 */
#include "pads.h"

#include "base.h"
#include "instr.h"
#include "scheduler.h"

/* ---- the stub */

#define CALL 12u /* from where vtb_pads_call() finds it */
#define BEHIND_CALL 18u
#define JUMP 5u

static const uint8_t restore[] = { 0x5a, 0x59, 0x58, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0 };

/* In the place of the operation and of what comes behind it. */
struct known {
	void (*entry)(void);
	uint32_t does;
};

static struct known *known_behind(uint64_t call)
{
	return (struct known *)((call + sizeof(restore) + JUMP + 7) & ~7ull);
}

void vtb_pads_shorten(const struct vtb_pad_site *s)
{
	const uint32_t kind = vtb_pad_kind(s->info);
	const uint8_t *end = (const uint8_t *)vtb_pad_at(&s->pad) + VTB_PAD_SIZE;
	uint8_t *at, *back;
	struct known *known;
	int32_t to_entry, to_end;

	if (vtb_pad_log2(s->info) > 3 ||
	    (kind != VTB_PAD_LOAD && (kind < VTB_PAD_ATOMIC || kind > VTB_PAD_STORE || !s->does)))
		return;
	at = vtb_pads_call(vtb_pad_at(&s->stub), end, s->info);
	if (!at)
		return;
	back = at + BEHIND_CALL;
	for (uint32_t i = 0; i < sizeof(restore); i++)
		if (*back++ != restore[i])
			return;
	known = known_behind((uint64_t)at + BEHIND_CALL);
	*known = (struct known){ kind == VTB_PAD_LOAD ? vtb_pads_load : vtb_pads_known, s->does };
	to_entry = (int32_t)((uint8_t *)&known->entry - (at + BEHIND_CALL));
	memcpy(at + CALL + 2, &to_entry, 4);
	to_end = (int32_t)(end - (back + JUMP));
	back[0] = 0xe9; /* jmp */
	memcpy(back + 1, &to_end, 4);
}

/* ---- the operation */

/* Registers that a C function keeps, as pads_entry.c leaves them. */
struct vtb_pad_more {
	uint64_t none, r15, r14, r13, r12, rbx;
};

/* Words from vtb_pad_regs on, and from vtb_pad_more on. */
#define REGS(name) ((int8_t)(offsetof(struct vtb_pad_regs, name) / 8))
#define MORE(name) ((int8_t)(KEPT_BY_C + offsetof(struct vtb_pad_more, name) / 8))
#define KEPT_BY_C 64
#define RBP (-2) /* pads_entry.c */

static uint64_t of_register(uint32_t number, const struct vtb_pad_regs *regs, const struct vtb_pad_more *more)
{
	static const int8_t places[] = { REGS(rax), REGS(rcx), REGS(rdx), MORE(rbx), MORE(none), RBP,
		                         REGS(rsi), REGS(rdi), REGS(r8),  REGS(r9),  REGS(r10),  REGS(r11),
		                         MORE(r12), MORE(r13), MORE(r14), MORE(r15) };
	const int at = places[number];

	return at < KEPT_BY_C ? ((const uint64_t *)regs)[at] : ((const uint64_t *)more)[at - KEPT_BY_C];
}

static uint64_t becomes(uint32_t does, uint64_t before, uint64_t by)
{
	switch (does & 15u) {
	case VTB_PAD_DOES_ADD:
		return before + by;
	case VTB_PAD_DOES_SUB:
		return before - by;
	case VTB_PAD_DOES_AND:
		return before & by;
	case VTB_PAD_DOES_OR:
		return before | by;
	case VTB_PAD_DOES_XOR:
		return before ^ by;
	default:
		return by;
	}
}

/* False: it cannot be written. */
static VTB_ALWAYS_INLINE bool store_if(uint64_t addr, unsigned size_log2, uint64_t value)
{
	uint32_t there = 0;

	switch (size_log2) {
	case 0:
		__asm__ volatile(VTB_MAY_FAULT("movb %b2, (%1)\n	movl $1, %0")
		                 : "+r"(there)
		                 : "r"(addr), "r"(value)
		                 : "memory");
		break;
	case 1:
		__asm__ volatile(VTB_MAY_FAULT("movw %w2, (%1)\n	movl $1, %0")
		                 : "+r"(there)
		                 : "r"(addr), "r"(value)
		                 : "memory");
		break;
	case 2:
		__asm__ volatile(VTB_MAY_FAULT("movl %k2, (%1)\n	movl $1, %0")
		                 : "+r"(there)
		                 : "r"(addr), "r"(value)
		                 : "memory");
		break;
	default:
		__asm__ volatile(VTB_MAY_FAULT("movq %2, (%1)\n	movl $1, %0")
		                 : "+r"(there)
		                 : "r"(addr), "r"(value)
		                 : "memory");
		break;
	}
	return there;
}

/* As vtb_rt_atomic_begin(): false if nobody looks, it is passed over, or it will fault, and is what the thread was at.
 */
static VTB_ALWAYS_INLINE bool arrive(struct vtb_rt_thread *t, uint64_t addr, unsigned log2, uint32_t info, uint64_t pc,
                                     uint64_t *ret_before)
{
	struct vtb_atomic_op *op = &t->hooks.padded;

	if (t->hooks.padded_depth || !(vtb_rt.options & VTB_OPT_ACCESSES) || !vtb_rt_load_if(addr, log2, ret_before))
		return false;
	if (VTB_UNLIKELY(t->base.owned_left) && vtb_owned_pass(t, vtb_pad_event(info), addr, 1ull << log2, pc))
		return false;
	t->hooks.padded_depth = 1;
	t->base.accesses++;
	op->t = t;
	/* all members: else it is cleared first, in a loop */
	op->call = (struct vtb_call){ .prim = NULL,
		                      .obj = (const void *)addr,
		                      .pc = pc,
		                      .value = 0,
		                      .arg = 0,
		                      .data = 0,
		                      .aux = 0,
		                      .kind = (uint8_t)vtb_pad_event(info),
		                      .order = (uint8_t)vtb_rt_machine_order(vtb_pad_event(info)),
		                      .size_log2 = (uint8_t)log2,
		                      .has_value = false,
		                      .interrupt = 0,
		                      .masked = false,
		                      .interrupted = false,
		                      .idle = false,
		                      .same = false,
		                      .result = 0 };
	if (vtb_rt_some_stack(addr))
		vtb_rt_stack_access(t, addr);
	vtb_ctl_arrive(t, &op->call);
	return vtb_rt_load_if(addr, log2, ret_before);
}

static void done(struct vtb_rt_thread *t, uint64_t value, bool same)
{
	struct vtb_call *call = &t->hooks.padded.call;

	t->hooks.padded_depth = 0;
	call->value = value;
	call->has_value = true;
	call->same = same;
	vtb_ctl_done(t, call);
	vtb_ctl_check_alive(call);
}

static VTB_ALWAYS_INLINE void look(struct vtb_rt_thread *t, uint64_t addr, unsigned log2, uint32_t info, uint64_t pc)
{
	uint64_t value;

	if (arrive(t, addr, log2, info, pc, &value))
		done(t, value, true);
}

static VTB_ALWAYS_INLINE void change(struct vtb_rt_thread *t, uint64_t addr, unsigned log2, uint32_t info, uint64_t pc,
                                     const struct vtb_pad_regs *regs, const struct vtb_pad_more *more)
{
	const uint32_t does = known_behind(regs->stub)->does;
	const uint64_t mask = ~0ull >> (64 - (8u << log2));
	uint64_t before, now, by = (uint64_t)((int64_t)(int32_t)does >> 16);
	bool fails;

	if (!arrive(t, addr, log2, info, pc, &before))
		return;
	if (does & VTB_PAD_BY_REGISTER)
		by = of_register(does >> 8 & 15u, regs, more);
	fails = (does & 15u) == VTB_PAD_DOES_CAS && (regs->rax & mask) != before;
	now = fails ? before : becomes(does, before, by) & mask;
	if (!store_if(addr, log2, now))
		return;
	if (fails)
		t->hooks.padded.call.kind = VTB_E_ATOMIC_CAS_FAIL;
	done(t, now, now == before);
	store_if(addr, log2, before);
}

/* Each size has code of its own, in which nothing asks for it. */
#define BY_SIZE(info, what)           \
	switch (vtb_pad_log2(info)) { \
	case 0:                       \
		what(0);              \
		break;                \
	case 1:                       \
		what(1);              \
		break;                \
	case 2:                       \
		what(2);              \
		break;                \
	default:                      \
		what(3);              \
		break;                \
	}

VTB_FROM_ASSEMBLER void vtb_pads_do_load(uint64_t addr, uint32_t info, uint64_t pc, const struct vtb_pad_regs *regs);
VTB_FROM_ASSEMBLER void vtb_pads_do_load(uint64_t addr, uint32_t info, uint64_t pc, const struct vtb_pad_regs *regs)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (!t)
		return;
	vtb_pad_in(t, info, regs);
#define LOOK(log2) look(t, vtb_pad_linear(addr, info), log2, info, pc)
	BY_SIZE(info, LOOK)
	vtb_pad_out(t, info);
}

VTB_FROM_ASSEMBLER void vtb_pads_do_known(uint64_t addr, uint32_t info, uint64_t pc, const struct vtb_pad_regs *regs,
                                          const struct vtb_pad_more *more);
VTB_FROM_ASSEMBLER void vtb_pads_do_known(uint64_t addr, uint32_t info, uint64_t pc, const struct vtb_pad_regs *regs,
                                          const struct vtb_pad_more *more)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (!t)
		return;
	vtb_pad_in(t, info, regs);
#define CHANGE(log2) change(t, vtb_pad_linear(addr, info), log2, info, pc, regs, more)
	BY_SIZE(info, CHANGE)
	vtb_pad_out(t, info);
}
