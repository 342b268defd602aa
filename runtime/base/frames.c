/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call stacks. Where functions are hooked, from the shadow stack that their entry and exit hooks keep. It
 * resynchronises by the stack pointer, since longjmp and exceptions may skip exits: stacks grow down, so every frame
 * above the new one must have a larger sp.
 *
 * Else (pads) from the frame pointers, which `vtb cc` has the compiler keep:
 *
 *      fp ──► [ fp of the caller | return address ] top of the caller's part: its sp at the return address is fp + 16
 */
#include <errno.h>

#include "fast.h"

#define WALK_MAX 256u  /* frames, also those of libraries and our own */
#define RED_ZONE 128u  /* below a function's stack pointer at a pad, where it may have variables */
#define PAD_FRAME 232u /* from the frame of a pad's entry up to the program's stack pointer (pads_entry.c) */

/* ---- frame pointers */

struct vtb_rt_span vtb_rt_pads;

struct walk {
	const struct vtb_rt_thread *t;
	uint64_t fp, inner; /* frame to look at next; return address of the one before */
	uint32_t steps;
	uint64_t pc, sp, top; /* out: a function of the program, its stack pointer there, where its frame ends */
};

static bool has_no_shadow(const struct vtb_rt_thread *t)
{
	return !t->base.depth && vtb_rt.hooks & VTB_HOOK_PADS;
}

/* The next function of the program outwards; false: no more. */
static bool step_out(struct walk *w)
{
	while (w->steps++ < WALK_MAX && vtb_rt_own_stack(w->t, w->fp) && w->t->base.stack_hi - w->fp >= 16 &&
	       w->fp % 8 == 0) {
		const uint64_t *frame = (const uint64_t *)w->fp, ra = frame[1];

		w->pc = ra;
		w->sp = w->fp + (w->inner - vtb_rt_pads.lo < vtb_rt_pads.size ? PAD_FRAME : 16);
		w->inner = ra;
		w->fp = frame[0] > w->fp ? frame[0] : 0;
		w->top = w->fp + 16;
		if (!vtb_rt_is_ours(ra) && vtb_rt_is_code(ra))
			return true;
	}
	return false;
}

/* Our own functions on the way of an access use rbp as they like: a pad leaves its frame in `fp`. */
static inline __attribute__((always_inline)) uint64_t own_frame(const struct vtb_rt_thread *t)
{
	return t->base.in_pad ? t->base.fp : (uint64_t)__builtin_frame_address(0);
}

static struct walk walk_from(const struct vtb_rt_thread *t, uint64_t fp)
{
	return (struct walk){ .t = t, .fp = fp & ~(uint64_t)VTB_FP_PAD, .inner = fp & VTB_FP_PAD ? vtb_rt_pads.lo : 0 };
}

static uint32_t walk_stack(const struct vtb_rt_thread *t, uint64_t first, uint64_t *pcs, uint32_t n, uint32_t max)
{
	struct walk w = walk_from(t, t == vtb_self ? own_frame(t) : t->base.fp);

	while (n < max && step_out(&w))
		if (n > 1 || w.pc != first)
			pcs[n++] = w.pc;
	return n;
}

/* Bytes of a call stand before a return address. */
static bool follows_a_call(uint64_t ra)
{
	const unsigned char *code = (const unsigned char *)ra;

	if (code[-5] == 0xe8)
		return true;
	for (int n = 2; n <= 7; n++) /* call through a register or memory: ff /2 */
		if (code[-n] == 0xff && (code[1 - n] & 0x38) == 0x10)
			return true;
	return false;
}

/*
 * Where a hooked function is, if it has called code without hooks, which its shadow does not tell: the stack pointer of
 * its calls is that of its entry hook, so below it stands where the one under way goes on. 0: that is `known`, or not
 * to be had.
 *
 *      sp of the function ──► [ its variables ]
 *                             [ return address of the call under way ]
 */
static uint64_t call_under_way(const struct vtb_rt_thread *t, const struct vtb_rt_frame *f, uint64_t known)
{
	const uint64_t at = f->sp - 8;
	uint64_t ra;

	if (!vtb_rt_own_stack(t, at) || at % 8)
		return 0;
	ra = *(const uint64_t *)at;
	return ra != known && vtb_rt_is_code(ra) && !vtb_rt_is_ours(ra) && follows_a_call(ra) ? ra : 0;
}

static uint32_t add_callers(const struct vtb_rt_fault *fault, uint64_t *pcs, uint32_t n, uint32_t max)
{
	for (uint32_t i = 0; i < fault->n && n < max; i++)
		pcs[n++] = fault->pcs[i];
	return n;
}

uint32_t vtb_rt_stack(const struct vtb_rt_thread *t, uint64_t first, uint64_t *pcs, uint32_t max)
{
	uint32_t n = 0, depth = vtb_rt_frames_stored(t);

	if (n < max)
		pcs[n++] = first;
	if (t->base.fault && !depth)
		return add_callers(t->base.fault, pcs, n, max);
	if (has_no_shadow(t))
		return walk_stack(t, first, pcs, n, max);
	while (depth && n < max) {
		const struct vtb_rt_frame *f = &t->base.frames[--depth];
		const uint64_t call = call_under_way(t, f, n ? pcs[n - 1] : 0);

		if (call)
			pcs[n++] = call;
		if (n < max)
			pcs[n++] = f->caller;
	}
	return n;
}

/* ---- variables on stacks */

static struct vtb_rt_thread *stack_owner(uint64_t addr)
{
	const uint32_t n = __atomic_load_n(&vtb_rt.n_threads, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++)
		if (vtb_rt.threads[i] && vtb_rt_own_stack(vtb_rt.threads[i], addr))
			return vtb_rt.threads[i];
	return NULL;
}

/* The owner's frame that holds addr: the innermost whose sp is not above it. Racy in record mode, where the owner runs:
 * a wrong answer there names no variable, since the decoder checks it against the function's layout. */
static struct vtb_rt_frame *frame_of(struct vtb_rt_thread *owner, uint64_t addr)
{
	const uint32_t depth = vtb_rt_frames_stored(owner);
	struct vtb_rt_frame *frames =
	    __atomic_load_n(&owner->base.frames, __ATOMIC_RELAXED); /* after its size: not smaller than that */

	for (uint32_t i = depth; i > 0; i--)
		if (frames[i - 1].sp <= addr && (i == 1 || frames[i - 2].sp > addr))
			return &frames[i - 1];
	return NULL;
}

/* Has this activation been told? Remembered by the top of its frame and its return address, outermost first; what lies
 * below the owner's innermost function is over. */
static bool remember_shown(struct vtb_rt_thread *owner, uint64_t innermost, uint64_t top)
{
	const uint64_t caller = top - 8 < owner->base.stack_hi - 8 ? *(const uint64_t *)(top - 8) : 0;
	struct vtb_rt_frame *f;

	while (owner->base.n_shown && owner->base.frames[owner->base.n_shown - 1].sp <= innermost) {
		owner->base.n_shown--;
		owner->base.own.fp = 0;
	}
	for (uint32_t i = owner->base.n_shown; i-- > 0;)
		if (owner->base.frames[i].sp == top) {
			const bool same = owner->base.frames[i].caller == caller;

			owner->base.frames[i].caller = caller;
			owner->base.own.fp = same ? owner->base.own.fp : 0;
			return same;
		}
	owner->base.own.fp = 0;
	if (owner->base.n_shown == owner->base.frames_room && !vtb_rt_frames_grow(owner))
		return false;
	f = &owner->base.frames[owner->base.n_shown++];
	for (; f > owner->base.frames && f[-1].sp < top; f--) /* kept from high to low */
		f[0] = f[-1];
	f->sp = top;
	f->caller = caller;
	return false;
}

/* At a pad, in the frame of the innermost function, which is as it was when it was last found to have been told? */
static bool is_own_again(const struct vtb_rt_thread *t, uint64_t addr)
{
	const struct vtb_own_frame *own = &t->base.own;

	return t->base.in_pad && own->fp && t->base.fp == own->fp && addr - own->lo < own->top - own->lo &&
	       *(const uint64_t *)(own->fp & ~(uint64_t)VTB_FP_PAD) + 16 == own->top &&
	       *(const uint64_t *)(own->top - 8) == own->caller;
}

static void note_own(struct vtb_rt_thread *t, const struct walk *innermost)
{
	if (t->base.in_pad && t->base.fp & VTB_FP_PAD && innermost->top - 8 < t->base.stack_hi - 8)
		t->base.own = (struct vtb_own_frame){ .fp = t->base.fp,
			                              .lo = innermost->sp,
			                              .top = innermost->top,
			                              .caller = *(const uint64_t *)(innermost->top - 8) };
}

/* The owner waits in our code, or is the caller. While it records, only main's stack is sure to stay. */
static void walked_access(struct vtb_rt_thread *t, struct vtb_rt_thread *owner, uint64_t addr)
{
	struct walk w = walk_from(owner, owner == t ? own_frame(t) : owner->base.fp);
	struct vtb_rec rec = {
		.kind = VTB_E_FRAME, .flags = VTB_REC_VALUE | VTB_REC_ARG, .addr = addr, .value = owner->base.slot
	};
	uint64_t innermost;

	if ((owner != t && !vtb_rt_controls() && owner->base.slot) || !step_out(&w))
		return;
	innermost = w.sp;
	while (addr >= w.top)
		if (!step_out(&w))
			return;
	rec.pc = w.pc;
	rec.arg = w.sp;
	if (addr < w.sp)
		return;
	if (!remember_shown(owner, innermost, w.top))
		vtb_rt_put(t, &rec);
	else if (owner == t && w.sp == innermost)
		note_own(t, &w);
}

/* Is the activation of a function that has addr in its frame one that was told, as it was when it wrote there? */
static bool still_lasts(const struct vtb_rt_thread *t, uint64_t addr)
{
	const struct vtb_rt_frame *f;
	struct walk w;

	if (!(vtb_rt.hooks & (VTB_HOOK_FUNCS | VTB_HOOK_PADS)))
		return true; /* frames are not known */
	if (!has_no_shadow(t)) {
		f = t->base.depth ? frame_of((struct vtb_rt_thread *)t, addr) : NULL;
		return f && f->shown;
	}
	if (is_own_again(t, addr))
		return true;
	w = walk_from(t, own_frame(t));
	if (!step_out(&w) || addr + (t->base.in_pad ? RED_ZONE : 0) < w.sp)
		return false;
	while (addr >= w.top)
		if (!step_out(&w))
			return false;
	for (uint32_t i = t->base.n_shown; i-- > 0;)
		if (t->base.frames[i].sp == w.top)
			return t->base.frames[i].caller == *(const uint64_t *)(w.top - 8);
	return false;
}

/* The record is a long one, with a value and nothing else: 0 in the place of what a write has not instead. */
void vtb_note_not_written(struct vtb_rt_thread *t)
{
	uint64_t *word = t->base.written_word;

	t->base.written_word = NULL;
	t->base.written_log2 |= VTB_WRITTEN_GONE;
	word[-2] ^= VTB_REC_VALUE | VTB_REC_ARG;
	*word = 0;
}

/* What lies there now may be another function's, or ours. */
void vtb_note_own_written(struct vtb_rt_thread *t)
{
	const uint32_t log2 = t->base.written_log2 & (VTB_WRITTEN_OWN - 1);

	if (still_lasts(t, t->base.written_addr)) {
		*t->base.written_word = vtb_rt_load(t->base.written_addr, log2 < 3 ? log2 : 3);
		t->base.written_word = NULL;
		return;
	}
	vtb_note_not_written(t);
}

/* Main's does not lie on its stack. */
static void note_libc_own(const struct vtb_rt_thread *t, const struct vtb_rt_thread *owner, uint64_t addr)
{
	uint64_t end, lo = vtb_rt_libc_own(owner, &end);

	if (owner != t && addr - lo < end - lo)
		vtb_rt_uncontrolled(VTB_UNC_LIBC_OWN);
}

void vtb_rt_stack_access(struct vtb_rt_thread *t, uint64_t addr)
{
	struct vtb_rt_thread *owner;
	struct vtb_rt_frame *frame;
	struct vtb_rec rec = { .kind = VTB_E_FRAME, .flags = VTB_REC_VALUE | VTB_REC_ARG };

	if (t->base.written_word && t->base.written_log2 >= VTB_WRITTEN_OWN)
		vtb_note_own_written(t); /* before it looks as if another activation were the one that wrote */
	if (is_own_again(t, addr))
		return;
	owner = vtb_rt_own_stack(t, addr) ? t : stack_owner(addr);
	if (owner != t)
		note_libc_own(t, owner ? owner : vtb_rt.threads[0], addr);
	if (owner && has_no_shadow(owner)) {
		walked_access(t, owner, addr);
		return;
	}
	frame = owner ? frame_of(owner, addr) : NULL;
	if (!frame || frame->shown || __atomic_exchange_n(&frame->shown, 1, __ATOMIC_RELAXED))
		return;
	rec.addr = addr;
	rec.pc = frame->pc;
	rec.value = owner->base.slot;
	rec.arg = frame->sp;
	vtb_rt_put(t, &rec);
}

/* ---- before main */

#define EARLY_FRAMES 64u

/* Of who calls first, which is main's thread: others that run by then are left aside. */
static struct {
	const int *errno_of; /* by which a thread is told from others */
	uint32_t depth;      /* further ones are counted, not kept */
	struct {
		uint64_t caller, sp;
	} frames[EARLY_FRAMES];
} early;

static bool is_first(void)
{
	if (!early.errno_of)
		early.errno_of = &errno;
	return early.errno_of == &errno;
}

void vtb_rt_early_entry(uint64_t caller, uint64_t sp)
{
	if (!is_first())
		return;
	while (early.depth && early.depth <= EARLY_FRAMES && early.frames[early.depth - 1].sp <= sp)
		early.depth--; /* left without an exit */
	if (early.depth < EARLY_FRAMES) {
		early.frames[early.depth].caller = caller;
		early.frames[early.depth].sp = sp;
	}
	early.depth++;
}

void vtb_rt_early_exit(void)
{
	if (is_first() && early.depth)
		early.depth--;
}

uint32_t vtb_rt_early_stack(uint64_t first, uint64_t *pcs, uint32_t max)
{
	uint32_t n = 1, depth = early.depth < EARLY_FRAMES ? early.depth : EARLY_FRAMES;

	pcs[0] = first;
	while (is_first() && depth-- > 0 && n < max)
		pcs[n++] = early.frames[depth].caller;
	return n;
}
