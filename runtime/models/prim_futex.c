/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The futex system call: of libc where it is not modelled, the C++ library, libgomp, and locks of the program's own.
 *
 * WAIT is two operations: FUTEX_WAIT compares and joins the queue of the word, FUTEX_WOKEN leaves it; WAKE is one.
 * REQUEUE, WAKE_OP: two, at the second word, which only says whose order matters, and at the first, which does it all.
 * LOCK_PI: FUTEX_WAIT takes the word or joins its queue, LOCK owns it; UNLOCK hands it to the first of the queue.
 * WAIT_REQUEUE_PI: as WAIT; CMP_REQUEUE_PI gives the first of those who wait so the second word, or queues it there.
 *
 * A word is the program's memory and changes without us; only the queues are here. The kernel wakes only who is woken:
 * a word that has changed is no reason.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>

#include "base.h"
#include "models.h"

#define SECOND 1000000000ull
#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13 /* Linux 5.14: LOCK_PI on the monotonic clock unless it asks for the other */
#endif

/* One call; vtb_call.data of its operation points to it. */
struct futex {
	uint32_t *word, *second; /* uaddr, uaddr2 */
	uint32_t value, bits;    /* val; FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET: val3 */
	uint32_t most, move;     /* wake at most; wake or requeue at most of the second word's, or to there */
	uint32_t third;          /* val3: what CMP_REQUEUE compares with, what WAKE_OP does */
	int op;
	bool shared;
};

/** The 32 bits at a word that may not be there. */
static bool read_word(const uint32_t *word, uint32_t *ret)
{
	uint64_t value;

	if ((uint64_t)word % sizeof(*word) || !vtb_rt_peek(word, sizeof(*word), &value))
		return false;
	*ret = (uint32_t)value;
	return true;
}

static long bad_word(const uint32_t *word)
{
	return (uint64_t)word % sizeof(*word) ? -EINVAL : -EFAULT;
}

static uint64_t deadline_of(const greg_t *g, int op)
{
	const struct timespec *span = (const struct timespec *)g[REG_R10];
	const bool real = op == FUTEX_LOCK_PI || g[REG_RSI] & FUTEX_CLOCK_REALTIME;

	if (!span)
		return 0;
	if (op == FUTEX_WAIT) /* relative */
		return vtb_sched.now + (uint64_t)span->tv_sec * SECOND + (uint64_t)span->tv_nsec + 1;
	return vtb_time_at(real ? CLOCK_REALTIME : CLOCK_MONOTONIC, span);
}

static void tell(struct vtb_call *call, long result)
{
	call->result = result;
	call->value = result < 0 ? (uint64_t)-result : 0;
	call->has_value = true;
}

/* ---- WAIT */

static void join(struct vtb_rt_thread *t, struct vtb_call *call)
{
	const struct futex *f = (const struct futex *)call->data;
	uint32_t now;

	if (!read_word(f->word, &now)) {
		tell(call, bad_word(f->word));
	} else if (now != f->value) {
		tell(call, -EAGAIN);
	} else {
		t->models.futex_bits = f->bits;
		vtb_queue_join(t, f->word);
		tell(call, 0);
	}
}

static bool is_woken(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)call;
	return t->sched.signalled || vtb_time_over(t);
}

static void leave(struct vtb_rt_thread *t, struct vtb_call *call)
{
	tell(call, !t->sched.signalled && vtb_time_over(t) ? -ETIMEDOUT : 0);
	vtb_queue_leave(t);
}

static const struct vtb_primitive primitive_wait = { "futex wait", NULL, join, NULL, true, NULL };
static const struct vtb_primitive primitive_woken = { "futex woken", is_woken, leave, vtb_ctl_at_object, false, NULL };
static const struct vtb_primitive primitive_woken_owning = { "futex woken with lock", is_woken, leave,
	                                                     vtb_ctl_at_object,       false,    NULL };

static long futex_wait(struct vtb_rt_thread *t, const greg_t *g, struct futex *f)
{
	const bool owning = f->op == FUTEX_WAIT_REQUEUE_PI;
	struct vtb_call wait = {
		.prim = &primitive_wait, .kind = VTB_E_FUTEX_WAIT, .obj = f->word, .pc = t->base.pc, .data = (uint64_t)f
	};
	/* a handler that runs before it has joined the queue has run by then: it does not end the wait */
	struct vtb_call woken = { .prim = owning ? &primitive_woken_owning : &primitive_woken,
		                  .kind = VTB_E_FUTEX_WOKEN,
		                  .obj = f->word,
		                  .aux = f->value,
		                  .pc = t->base.pc,
		                  .data = (uint64_t)f,
		                  .interrupt = owning       ? VTB_INTERRUPT_NOT
		                               : g[REG_R10] ? VTB_INTERRUPT_ALWAYS
		                                            : VTB_INTERRUPT_RESTARTS,
		                  .masked = true };

	if (!f->bits || (owning && f->word == f->second) ||
	    (g[REG_R10] && !vtb_time_is_valid((const struct timespec *)g[REG_R10])))
		return -EINVAL;
	if (vtb_ctl_op(t, &wait) < 0)
		return wait.result;
	t->sched.deadline = deadline_of(g, f->op);
	vtb_ctl_op(t, &woken);
	t->sched.deadline = 0;
	return woken.result;
}

/* ---- WAKE, REQUEUE, WAKE_OP */

/* A waiter in libc's own models waits for any wake-up, one of WAIT_REQUEUE_PI for none but its own. */
static bool is_meant(const struct vtb_rt_thread *waiter, uint32_t bits)
{
	if (waiter->sched.call && waiter->sched.call->prim == &primitive_woken_owning)
		return false;
	return !waiter->sched.call || waiter->sched.call->prim != &primitive_woken || waiter->models.futex_bits & bits;
}

static uint32_t wake_at(const uint32_t *word, uint32_t most, uint32_t bits)
{
	struct vtb_rt_thread *waiter;
	uint32_t passed = 0, n = 0, now;

	while (n < most && (waiter = vtb_queue_waiter(word, passed))) {
		if (!is_meant(waiter, bits)) {
			passed++;
			continue;
		}
		waiter->sched.signalled = true;
		n++;
	}
	if (!n && most && read_word(word, &now))
		vtb_deadlock_note_lost(word, now);
	return n;
}

static void wake_kernels(const struct futex *f, uint32_t n)
{
	if (n < f->most && vtb_sched.kernel_waits) /* a thread in glibc's own exit path, which no model knows */
		sys3(SYS_futex, (long)f->word, FUTEX_WAKE | (f->shared ? 0 : FUTEX_PRIVATE_FLAG),
		     f->most - n > INT_MAX ? INT_MAX : (long)(f->most - n));
}

static void count(struct vtb_call *call, uint32_t woken)
{
	call->result = call->value = woken;
	call->has_value = true;
}

static void wake(struct vtb_rt_thread *t, struct vtb_call *call)
{
	const struct futex *f = (const struct futex *)call->data;
	const bool all = VTB_UNLIKELY(vtb_sched.schedule->flags & VTB_SCHED_WAKES) && f->most;
	const uint32_t n = wake_at(f->word, all ? UINT32_MAX : f->most, f->bits);

	(void)t;
	wake_kernels(f, n);
	count(call, n);
}

/* Those that are not woken wait at the other word from now on. */
static void requeue(struct vtb_rt_thread *t, struct vtb_call *call)
{
	const struct futex *f = (const struct futex *)call->data;
	struct vtb_rt_thread *waiter;
	uint32_t now, moved = 0, woken;

	(void)t;
	if (!read_word(f->word, &now) || !read_word(f->second, &call->aux)) {
		call->result = -EFAULT;
		return;
	}
	if (f->op == FUTEX_CMP_REQUEUE && now != f->third) {
		call->result = -EAGAIN;
		return;
	}
	woken = wake_at(f->word, f->most, FUTEX_BITSET_MATCH_ANY);
	for (; moved < f->move && (waiter = vtb_queue_waiter(f->word, 0)); moved++) {
		waiter->sched.queue = f->second;
		if (!waiter->sched.call || waiter->sched.call->prim != &primitive_woken)
			continue;
		waiter->sched.call->obj = f->second;
		waiter->sched.call->aux = call->aux;
	}
	count(call, woken);
	call->result += f->op == FUTEX_CMP_REQUEUE ? moved : 0;
}

static int32_t signed12(uint32_t bits)
{
	return (int32_t)(bits << 20) >> 20;
}

/* What WAKE_OP stores, by the four bits that say how. False: there is no such operation. */
static bool compute(uint32_t how, uint32_t old, uint32_t by, uint32_t *ret)
{
	const uint32_t results[] = { by, old + by, old | by, old & ~by, old ^ by };

	if ((how & 7) >= sizeof(results) / sizeof(*results))
		return false;
	*ret = results[how & 7];
	return true;
}

static bool compares(uint32_t how, int32_t old, int32_t with)
{
	const bool results[] = { old == with, old != with, old<with, old <= with, old> with, old >= with };

	return how < sizeof(results) / sizeof(*results) && results[how];
}

static void wake_op(struct vtb_rt_thread *t, struct vtb_call *call)
{
	const struct futex *f = (const struct futex *)call->data;
	const uint32_t how = f->third >> 28, given = (uint32_t)signed12(f->third >> 12 & 0xfff);
	const uint32_t by = how & FUTEX_OP_OPARG_SHIFT ? 1u << (given & 31) : given;
	uint32_t old, now, n;

	(void)t;
	if (!read_word(f->second, &old)) {
		call->result = bad_word(f->second);
		return;
	}
	if (!compute(how, old, by, &now)) {
		call->result = -ENOSYS;
		return;
	}
	__atomic_store_n(f->second, now, __ATOMIC_SEQ_CST);
	n = wake_at(f->word, f->most, FUTEX_BITSET_MATCH_ANY);
	wake_kernels(f, n);
	if (compares(f->third >> 24 & 15, (int32_t)old, signed12(f->third & 0xfff)))
		n += wake_at(f->second, f->move, FUTEX_BITSET_MATCH_ANY);
	count(call, n);
}

static const struct vtb_primitive primitive_wake = { "futex wake", NULL, wake, NULL, true, NULL };
static const struct vtb_primitive primitive_second = { "futex second word", NULL, NULL, NULL, true, NULL };
static const struct vtb_primitive primitive_requeue = { "futex requeue", NULL, requeue, NULL, false, NULL };
static const struct vtb_primitive primitive_wake_op = { "futex wake op", NULL, wake_op, NULL, false, NULL };

static long wakes(struct vtb_rt_thread *t, const struct vtb_primitive *prim, struct futex *f)
{
	struct vtb_call call = {
		.prim = prim, .kind = VTB_E_FUTEX_WAKE, .obj = f->word, .pc = t->base.pc, .data = (uint64_t)f
	};

	if (!f->bits)
		return -EINVAL;
	if (prim != &primitive_wake)
		vtb_op(t, &primitive_second, VTB_E_FUTEX_WAKE, f->second);
	return vtb_ctl_op(t, &call);
}

/* ---- priority inheritance: the word holds the owner's id as gettid() tells it, and FUTEX_WAITERS if somebody waits.
 * Priorities play no part here */

static uint32_t id_of(const struct vtb_rt_thread *t)
{
	return (uint32_t)vtb_told_thread(t) & FUTEX_TID_MASK;
}

/* Slot of the thread whose id stands in the word, or VTB_NO_PATH. */
static uint32_t owner_of(const void *word)
{
	uint32_t now;

	return read_word(word, &now) && now & FUTEX_TID_MASK ? vtb_carrier_slot(now & FUTEX_TID_MASK) : VTB_NO_PATH;
}

static uint32_t lock_holder(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)t;
	return owner_of(call->obj);
}

/* Take the word if it is free. 0, or why not: EDEADLK ours, ESRCH its owner is no more, EAGAIN somebody has it. */
static long take(const struct vtb_rt_thread *t, uint32_t *word)
{
	uint32_t now;

	if (!read_word(word, &now))
		return bad_word(word);
	if ((now & FUTEX_TID_MASK) == id_of(t))
		return -EDEADLK;
	if (now & FUTEX_TID_MASK && !(now & FUTEX_OWNER_DIED))
		return owner_of(word) == VTB_NO_PATH ? -ESRCH : -EAGAIN;
	__atomic_store_n(word, id_of(t) | (now & (FUTEX_OWNER_DIED | FUTEX_WAITERS)), __ATOMIC_SEQ_CST);
	return 0;
}

static void take_or_join(struct vtb_rt_thread *t, struct vtb_call *call)
{
	const struct futex *f = (const struct futex *)call->data;
	const long r = take(t, f->word);

	tell(call, r == -EAGAIN ? 0 : r);
	if (r != 0 && r != -EAGAIN)
		return;
	vtb_queue_join(t, f->word);
	t->sched.signalled = r == 0;
	if (!t->sched.signalled)
		__atomic_fetch_or(f->word, FUTEX_WAITERS, __ATOMIC_SEQ_CST);
}

/* To the first of those who wait, or to nobody. */
static void hand_over(uint32_t *word, uint32_t mark)
{
	struct vtb_rt_thread *next = vtb_queue_waiter(word, 0);
	uint32_t now = 0;

	if (next) {
		next->sched.signalled = true;
		now = id_of(next) | mark | (vtb_queue_length(word) ? FUTEX_WAITERS : 0u);
	}
	__atomic_store_n(word, now, __ATOMIC_SEQ_CST);
}

static void unlock(struct vtb_rt_thread *t, struct vtb_call *call)
{
	const struct futex *f = (const struct futex *)call->data;
	uint32_t now;

	tell(call, !read_word(f->word, &now) ? bad_word(f->word) : (now & FUTEX_TID_MASK) != id_of(t) ? -EPERM : 0);
	if (!call->result)
		hand_over(f->word, 0);
}

/* Who waited may have given up meanwhile. */
static void end(struct vtb_rt_thread *t, struct vtb_call *call)
{
	if (owner_of(call->obj) == t->base.slot && vtb_queue_length(call->obj))
		hand_over((uint32_t *)call->obj, FUTEX_OWNER_DIED);
}

static void try_lock(struct vtb_rt_thread *t, struct vtb_call *call)
{
	tell(call, take(t, ((const struct futex *)call->data)->word));
}

static bool any_waited VTB_HISTORY; /* in this run, at primitive_lock: mostly nobody, and then nobody is looked for */

static const struct vtb_primitive primitive_enter = { "futex lock enter", NULL, take_or_join, NULL, true, NULL };
static const struct vtb_primitive primitive_lock = {
	"futex lock", is_woken, leave, vtb_ctl_at_object, true, lock_holder
};
static const struct vtb_primitive primitive_try_lock = { "futex trylock", NULL, try_lock, NULL, true, NULL };
static const struct vtb_primitive primitive_end = { "futex end of holder", NULL, end, NULL, true, NULL };
static const struct vtb_primitive primitive_unlock = { "futex unlock", NULL, unlock, NULL, true, NULL };

static long one_pi(struct vtb_rt_thread *t, const struct vtb_primitive *prim, unsigned kind, struct futex *f)
{
	struct vtb_call call = {
		.prim = prim, .kind = (uint8_t)kind, .obj = f->word, .pc = t->base.pc, .data = (uint64_t)f
	};

	return vtb_ctl_op(t, &call);
}

static long lock_pi(struct vtb_rt_thread *t, const greg_t *g, struct futex *f)
{
	const long r = one_pi(t, &primitive_enter, VTB_E_FUTEX_WAIT, f);
	struct vtb_call lock = { .prim = &primitive_lock,
		                 .kind = g[REG_R10] ? VTB_E_TIMEDLOCK : VTB_E_LOCK,
		                 .obj = f->word,
		                 .pc = t->base.pc };

	if (r < 0)
		return r;
	t->sched.deadline = deadline_of(g, f->op);
	any_waited = true;
	vtb_ctl_op(t, &lock);
	t->sched.deadline = 0;
	return lock.result;
}

/* ---- WAIT_REQUEUE_PI, CMP_REQUEUE_PI */

/* Those who wait at the first word are here for the second one. */
static bool are_here_for(const struct futex *f)
{
	struct vtb_rt_thread *waiter;

	for (uint32_t place = 0; (waiter = vtb_queue_waiter(f->word, place)); place++)
		if (!waiter->sched.call || waiter->sched.call->prim != &primitive_woken_owning ||
		    ((const struct futex *)waiter->sched.call->data)->second != f->second)
			return false;
	return true;
}

/* From one queue to the other, there like any who asked for the lock. */
static void wait_for_lock(struct vtb_rt_thread *waiter, uint32_t *word)
{
	waiter->sched.queue = word;
	waiter->models.ticket = ++vtb_sched.ticket;
	waiter->sched.call->prim = &primitive_lock;
	any_waited = true;
	waiter->sched.call->obj = word;
	__atomic_fetch_or(word, FUTEX_WAITERS, __ATOMIC_SEQ_CST);
}

static long requeue_owning(const struct futex *f)
{
	struct vtb_rt_thread *waiter;
	uint32_t now;
	long n = 0, r;

	if (!read_word(f->second, &now) || !read_word(f->word, &now))
		return -EFAULT;
	if (now != f->third)
		return -EAGAIN;
	if (f->most != 1 || f->word == f->second || !are_here_for(f))
		return -EINVAL;
	for (; n < (long)f->move + 1 && (waiter = vtb_queue_waiter(f->word, 0)); n++) {
		r = take(waiter, f->second);
		if (r < 0 && r != -EAGAIN)
			return r;
		if (r == 0)
			waiter->sched.signalled = true;
		else
			wait_for_lock(waiter, f->second);
	}
	return n;
}

static void requeue_pi(struct vtb_rt_thread *t, struct vtb_call *call)
{
	const long n = requeue_owning((const struct futex *)call->data);

	(void)t;
	if (n < 0)
		call->result = n;
	else
		count(call, (uint32_t)n);
}

static const struct vtb_primitive primitive_requeue_pi = {
	"futex requeue to a lock", NULL, requeue_pi, NULL, false, NULL
};

void vtb_futex_holder_ends(struct vtb_rt_thread *t)
{
	const struct vtb_rt_thread *w;

	for (uint32_t i = 0; any_waited && i < vtb_rt.n_threads; i++) {
		w = vtb_rt.threads[i];
		if (w->base.state == VTB_T_ALIVE && w->sched.call && w->sched.call->prim == &primitive_lock &&
		    !w->sched.signalled && owner_of(w->sched.queue) == t->base.slot)
			vtb_op(t, &primitive_end, VTB_E_UNLOCK, w->sched.queue);
	}
}

/* ---- the call */

static struct futex arguments(const greg_t *g)
{
	struct futex f = { .word = vtb_one_address((void *)g[REG_RDI]),
		           .second = vtb_one_address((void *)g[REG_R8]),
		           .value = (uint32_t)g[REG_RDX],
		           .most = (uint32_t)g[REG_RDX],
		           .move = (uint32_t)g[REG_R10],
		           .third = (uint32_t)g[REG_R9] };

	f.op = (int)g[REG_RSI] & FUTEX_CMD_MASK;
	f.bits = f.op == FUTEX_WAIT_BITSET || f.op == FUTEX_WAKE_BITSET ? (uint32_t)g[REG_R9] : FUTEX_BITSET_MATCH_ANY;
	f.shared = !(g[REG_RSI] & FUTEX_PRIVATE_FLAG);
	return f;
}

bool vtb_futex_call(struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	struct futex f = arguments(g);

	switch (f.op) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
		*ret = futex_wait(t, g, &f);
		return true;
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		*ret = wakes(t, &primitive_wake, &f);
		return true;
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		*ret = wakes(t, &primitive_requeue, &f);
		return true;
	case FUTEX_CMP_REQUEUE_PI:
		*ret = wakes(t, &primitive_requeue_pi, &f);
		return true;
	case FUTEX_WAKE_OP:
		*ret = wakes(t, &primitive_wake_op, &f);
		return true;
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		*ret = lock_pi(t, g, &f);
		return true;
	case FUTEX_TRYLOCK_PI:
		*ret = one_pi(t, &primitive_try_lock, VTB_E_TRYLOCK, &f);
		return true;
	case FUTEX_UNLOCK_PI:
		*ret = one_pi(t, &primitive_unlock, VTB_E_UNLOCK, &f);
		return true;
	default: /* what is no operation of any kernel that we know */
		vtb_rt_uncontrolled(VTB_UNC_SYSCALL);
		*ret = -ENOSYS;
		return true;
	}
}
