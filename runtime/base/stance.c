/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a thread stands in the program, for fingerprints: which registers and which part of its stack are its own. */
#include "stance.h"

#include <string.h>

#include "guest.h"

#define WIPED 2048u        /* bytes of dead stack in which the runtime's next frames will lie */
#define LEGACY 512u        /* bytes of fxsave; then the header of xsave */
#define FLAGS_OF_MXCSR 63u /* say what has happened, not how to compute */

__asm__(
    ".text\n	.globl vtb_stance_note\n	.hidden vtb_stance_note\n	.type vtb_stance_note,@function\n"
    "vtb_stance_note:\n"
    "	movq %rbx, 0(%rdi)\n	movq %rbp, 8(%rdi)\n	movq %r12, 16(%rdi)\n	movq %r13, 24(%rdi)\n	movq %r14, "
    "32(%rdi)\n	movq %r15, 40(%rdi)\n"
    "	leaq 8(%rsp), %rax\n	movq %rax, 48(%rdi)\n"
    "	stmxcsr 56(%rdi)\n	fnstcw 60(%rdi)\n"
    "	ret\n	.size vtb_stance_note, .-vtb_stance_note\n");

/* What deeper frames have left behind would stand in the gaps of those to come. */
__attribute__((noinline)) void vtb_stance_wipe(void)
{
	char room[WIPED];

	memset(room, 0, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
}

__attribute__((noinline)) void vtb_stance_wipe_in_function(void)
{
	char room[WIPED] __attribute__((aligned(VTB_VECTOR)));

	vtb_vectors_zero(room, sizeof(room));
}

void vtb_stance_done(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const bool function = !t->base.in_pad && call->kind >= VTB_E_THREAD_BEGIN && call->kind < VTB_E_FUTEX_WAIT;

	if (!function) { /* it may stand at an instruction */
		vtb_stance_wipe();
		return;
	}
	vtb_stance_wipe_in_function();
	vtb_vectors_clear();
}

__attribute__((noinline)) static void note_vectors(struct vtb_view *v)
{
	char *room = __builtin_alloca_with_align(vtb_vectors_bytes, 64 * 8);
	struct vtb_state_hash h;

	memset(room, 0, vtb_vectors_bytes);
	vtb_vectors_keep_all(room);
	memset(room + 2, 0, 22); /* status and places of the last x87 instruction */
	*(uint32_t *)(room + 24) &= ~FLAGS_OF_MXCSR;
	if (vtb_vectors_bytes > LEGACY)
		memset(room + LEGACY, 0, 64); /* which parts the processor takes to be in use: a switch by the kernel
		                                 alters it, the parts are all written */
	h = vtb_state_of(room, vtb_vectors_bytes & ~7u, 1);
	v->vectors[0] = h.lo;
	v->vectors[1] = h.hi;
}

struct vtb_view *vtb_stance_of(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	t->base.arrivals++;
	t->base.view.call = call;
	t->base.view.vectors[0] = t->base.view.vectors[1] = 0;
	if (VTB_UNLIKELY(t->base.in_vectors))
		note_vectors(&t->base.view);
	return &t->base.view;
}

/* glibc's descriptor of a thread stands at the upper end of its stack, and in it a list that alters when another thread
 * is made, and what the kernel notes of processors. Thread-locals are below. */
static uint64_t stack_end(const struct vtb_rt_thread *t)
{
	const uint64_t descriptor = (uint64_t)t->base.handle;

	return vtb_rt_own_stack(t, descriptor) && descriptor > t->base.view.sp ? descriptor : t->base.stack_hi;
}

/* Of t's stack, what is in use, up to `end`; 0: a stack that the program made for itself, and where it ends is not
 * known. */
static uint64_t stack_size(const struct vtb_rt_thread *t, uint64_t end)
{
	return vtb_rt_own_stack(t, t->base.view.sp) ? (end - t->base.view.sp) & ~7ull : 0;
}

/* Of that, what its functions have there. */
static uint64_t own_size(const struct vtb_rt_thread *t)
{
	return stack_size(t, t->base.stack_top > t->base.view.sp ? t->base.stack_top : stack_end(t));
}

static uint64_t print_of_value(uint64_t key, const void *value)
{
	const uint64_t words[] = { key, (uint64_t)value };

	return value ? vtb_state_finish(vtb_state_of(words, sizeof(words), VTB_STATE_K3)).lo : 0;
}

void vtb_stance_specific(struct vtb_rt_thread *t, uint64_t key, const void *before, const void *value)
{
	t->base.view.specific += print_of_value(key, value) - print_of_value(key, before);
}

static void take_view(const struct vtb_rt_thread *t, struct vtb_view *ret)
{
	*ret = t->base.view;
	ret->mxcsr &= ~FLAGS_OF_MXCSR;
	__asm__ volatile("" : : "r"(ret) : "memory"); /* it is read as words, whatever its members are */
}

/* `stack`: what is on it, or was. One whose end is not known is never the same again. */
static void add(struct vtb_state_hash *sum, const struct vtb_view *v, const void *stack, uint64_t size,
                uint64_t arrivals, uint64_t seed)
{
	vtb_state_add(sum, vtb_state_of(v, sizeof(*v), seed));
	vtb_state_add(sum, size ? vtb_state_of(stack, size, v->sp) : vtb_state_of(&arrivals, sizeof(arrivals), v->sp));
}

void vtb_stance_add(struct vtb_state_hash *sum, const struct vtb_rt_thread *t, uint64_t seed)
{
	struct vtb_view v;

	take_view(t, &v);
	add(sum, &v, (const void *)v.sp, stack_size(t, stack_end(t)), t->base.arrivals, seed);
}

/* ---- kept: a copy of a stack is made and compared in a fraction of the time that its fingerprint takes */

struct vtb_stood {
	struct vtb_view view;
	uint64_t arrivals;
	uint64_t size, room;         /* of the stack, and of what there is behind this */
	struct vtb_state_hash print; /* of a stack that has no room */
	uint64_t stack[];
};

#define ROOM_FIRST 1024u
#define ROOM_MAX 8192u

/* By general registers: at a pad vector registers are the program's. */
static void copy_words(uint64_t *to, const uint64_t *from, uint64_t n)
{
	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static struct vtb_stood *with_room(struct vtb_stood *old, uint64_t size)
{
	uint64_t room = ROOM_FIRST;
	struct vtb_stood *made;

	while (room < size && room < ROOM_MAX)
		room *= 2;
	if (old && old->room >= room)
		return old;
	made = vtb_rt_alloc_aside(sizeof(*made) + room);
	if (made)
		made->room = room;
	return made;
}

struct vtb_stood *vtb_stance_keep(struct vtb_stood *old, const struct vtb_rt_thread *t)
{
	const uint64_t size = own_size(t);
	struct vtb_stood *s = with_room(old, size);

	if (!s)
		return NULL;
	take_view(t, &s->view);
	s->arrivals = t->base.arrivals;
	s->size = size;
	if (size <= s->room)
		copy_words(s->stack, (const uint64_t *)s->view.sp, size / 8);
	else
		s->print = vtb_state_of((const void *)s->view.sp, size, s->view.sp);
	return s;
}

static bool same_words(const uint64_t *a, const uint64_t *b, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

static bool same_stack(const struct vtb_stood *s)
{
	struct vtb_state_hash now;

	if (s->size <= s->room)
		return same_words(s->stack, (const uint64_t *)s->view.sp, s->size / 8);
	now = vtb_state_of((const void *)s->view.sp, s->size, s->view.sp);
	return now.lo == s->print.lo && now.hi == s->print.hi;
}

bool vtb_stance_is(const struct vtb_stood *stood, const struct vtb_rt_thread *t)
{
	struct vtb_view v;

	take_view(t, &v);
	return same_words((const uint64_t *)&v, (const uint64_t *)&stood->view, sizeof(v) / 8) && stood->size &&
	       stood->size == own_size(t) && same_stack(stood);
}

struct vtb_state_hash vtb_stance_print(const struct vtb_stood *stood, uint64_t seed)
{
	struct vtb_state_hash sum = { 0, 0 };

	if (stood->size <= stood->room) {
		add(&sum, &stood->view, stood->stack, stood->size, stood->arrivals, seed);
		return sum;
	}
	vtb_state_add(&sum, vtb_state_of(&stood->view, sizeof(stood->view), seed));
	vtb_state_add(&sum, stood->print);
	return sum;
}
