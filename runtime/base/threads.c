/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads by slot, named by creation path; the destructors that belong to a thread's life. */
#include <dlfcn.h>
#include <string.h>
#include <sys/resource.h>

#include "fast.h"
#include "real.h"
#include "rt.h"
#include "stance.h"
#include "sys.h"

struct vtb_heap vtb_heap;

__thread struct vtb_rt_thread *vtb_self __attribute__((tls_model("initial-exec")));

struct entry {
	struct vtb_rt_thread thread;
	struct vtb_rt_frame few[VTB_RT_FRAMES_FEW];
};

static struct entry *prepared; /* of the first slots */
static uint32_t n_prepared;

/* Entries are never freed. */
static struct entry *new_entries(uint32_t n)
{
	struct entry *e = vtb_rt_alloc(n * sizeof(*e));

	for (uint32_t i = 0; e && i < n; i++) {
		e[i].thread.base.frames = e[i].few;
		e[i].thread.base.frames_room = VTB_RT_FRAMES_FEW;
	}
	return e;
}

void vtb_rt_threads_prepare(uint32_t n)
{
	prepared = new_entries(n);
	n_prepared = prepared ? n : 0;
}

struct vtb_rt_thread *vtb_rt_thread_prepared(uint32_t slot)
{
	return slot < n_prepared ? &prepared[slot].thread : NULL;
}

/* Entries are prepared in mode control only, where one thread runs at a time and takes the next slot. */
static struct vtb_rt_thread *next_entry(uint32_t slot)
{
	struct vtb_rt_thread *t = vtb_rt_thread_prepared(slot);
	struct entry *e = t ? NULL : new_entries(1);

	return e ? &e->thread : t;
}

bool vtb_rt_frames_grow(struct vtb_rt_thread *t)
{
	const uint32_t room = t->base.frames_room < VTB_RT_FRAMES_MANY ? VTB_RT_FRAMES_MANY : 2 * t->base.frames_room;
	struct vtb_rt_frame *all = vtb_rt_alloc(room * sizeof(*all));

	if (!all)
		return false;
	memcpy(all, t->base.frames, t->base.frames_room * sizeof(*all));
	__atomic_store_n(&t->base.frames, all, __ATOMIC_RELEASE);
	__atomic_store_n(&t->base.frames_room, room, __ATOMIC_RELEASE);
	return true;
}

/* The thread's line in the block, record mode: who it is, for readers of a recording. */
static struct vtb_wire_thread *new_line(const struct vtb_rt_thread *t)
{
	struct vtb_wire_area *a = &vtb_rt.block->threads;
	struct vtb_wire_thread *line;

	if ((t->base.slot + 1ull) * sizeof(*line) > a->size)
		return NULL;
	line = (struct vtb_wire_thread *)((char *)vtb_rt.block + a->offset) + t->base.slot;
	line->parent = t->base.parent;
	line->nth = t->base.nth;
	line->state = 1;
	for (uint64_t used = a->used; used <= t->base.slot; used = a->used)
		__atomic_compare_exchange_n(&a->used, &used, t->base.slot + 1, false, __ATOMIC_RELEASE,
		                            __ATOMIC_RELAXED);
	return line;
}

struct vtb_rt_thread *vtb_rt_thread_new(struct vtb_rt_thread *parent)
{
	struct vtb_rt_thread *t;
	uint32_t slot;

	slot = __atomic_load_n(&vtb_rt.n_threads, __ATOMIC_RELAXED);
	if (slot >= VTB_RT_THREADS_MAX)
		return NULL;
	t = next_entry(slot);
	if (!t)
		return NULL;
	slot = __atomic_fetch_add(&vtb_rt.n_threads, 1, __ATOMIC_ACQ_REL);
	if (slot >= VTB_RT_THREADS_MAX)
		return NULL;
	t->base.slot = slot;
	t->base.parent = parent ? parent->base.slot : VTB_NO_PATH;
	t->base.nth = parent ? parent->base.children++ : 0;
	t->base.state = VTB_T_ALIVE;
	if (vtb_rt.mode == VTB_MODE_RECORD)
		t->base.entry = new_line(t);
	__atomic_store_n(&vtb_rt.threads[slot], t, __ATOMIC_RELEASE);
	return t;
}

static uint32_t stacks_known VTB_HISTORY; /* grows when there is another */

void vtb_rt_tell_special(struct vtb_rt_thread *t)
{
	uint64_t lo = vtb_rt.stacks_lo, hi = vtb_rt.stacks_hi;

	if (vtb_heap.size) {
		lo = vtb_heap.lo < lo ? vtb_heap.lo : lo;
		hi = vtb_heap.lo + vtb_heap.size > hi ? vtb_heap.lo + vtb_heap.size : hi;
	}
	if (t->base.stream.special_lo != lo || t->base.stream.special_size != hi - lo)
		t->base.stream.clear_size = 0;
	t->base.stream.special_lo = lo;
	t->base.stream.special_size = hi - lo;
}

/* Make the gap [*lo, *hi) around addr smaller by [from, to). False: addr is in there. */
static bool shrink(uint64_t addr, uint64_t from, uint64_t to, uint64_t *lo, uint64_t *hi)
{
	if (addr >= to)
		*lo = to > *lo ? to : *lo;
	else
		*hi = from < *hi ? from : *hi;
	return addr < from || addr >= to;
}

/* Threads that are made meanwhile tell this one (widen()): then the gap does not count. */
bool vtb_rt_clear(struct vtb_rt_thread *t, uint64_t addr)
{
	const uint32_t known = __atomic_load_n(&stacks_known, __ATOMIC_ACQUIRE),
	               n = __atomic_load_n(&vtb_rt.n_threads, __ATOMIC_ACQUIRE);
	uint64_t lo = 0, hi = UINT64_MAX, end;

	for (uint32_t i = 0; i < n; i++) {
		const struct vtb_rt_thread *other = vtb_rt.threads[i];

		if (other && !shrink(addr, other->base.stack_lo, other->base.stack_hi, &lo, &hi))
			return false;
	}
	if (n && t != vtb_rt.threads[0]) {
		const uint64_t own = vtb_rt_libc_own(vtb_rt.threads[0], &end);

		if (!shrink(addr, own, end, &lo, &hi))
			return false;
	}
	if (vtb_heap.size && !shrink(addr, vtb_heap.lo, vtb_heap.lo + vtb_heap.size, &lo, &hi))
		return false;
	t->base.stream.clear_size = 0;
	t->base.stream.clear_lo = lo;
	t->base.stream.clear_size = hi - lo;
	if (__atomic_load_n(&stacks_known, __ATOMIC_SEQ_CST) != known)
		t->base.stream.clear_size = 0;
	return true;
}

static void widen(uint64_t lo, uint64_t hi)
{
	uint64_t old = sys_load64(&vtb_rt.stacks_lo);

	while ((old == 0 || lo < old) &&
	       !__atomic_compare_exchange_n(&vtb_rt.stacks_lo, &old, lo, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	old = sys_load64(&vtb_rt.stacks_hi);
	while (hi > old &&
	       !__atomic_compare_exchange_n(&vtb_rt.stacks_hi, &old, hi, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	__atomic_add_fetch(&stacks_known, 1, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < __atomic_load_n(&vtb_rt.n_threads, __ATOMIC_ACQUIRE); i++)
		if (vtb_rt.threads[i]) {
			vtb_rt.threads[i]->base.stream.clear_size = 0;
			vtb_rt_tell_special(vtb_rt.threads[i]);
		}
}

/* Accesses to main's, too, are then looked at. */
static void widen_by_libc_own(void)
{
	uint64_t end, lo;

	if (!vtb_rt.threads[0])
		return;
	lo = vtb_rt_libc_own(vtb_rt.threads[0], &end);
	if (!vtb_rt_some_stack(lo) || !vtb_rt_some_stack(end - 1))
		widen(lo, end);
}

/* Main's stack may grow to its limit; one without a limit is taken for a large one. */
static void main_stack(struct vtb_rt_thread *t)
{
	extern void *__libc_stack_end;
	static uint64_t size; /* asked once: not again in a run that is rolled back */
	struct rlimit limit;

	if (!size)
		size = sys3(SYS_getrlimit, RLIMIT_STACK, (long)&limit, 0) || limit.rlim_cur > (64u << 20)
		           ? 64u << 20
		           : limit.rlim_cur;
	t->base.stack_hi = ((uint64_t)__libc_stack_end | 0xfff) + 1;
	t->base.stack_lo = t->base.stack_hi - size;
	widen(t->base.stack_lo, t->base.stack_hi);
}

uint64_t vtb_rt_main_stack(void)
{
	struct vtb_rt_thread probe;

	main_stack(&probe);
	return probe.base.stack_lo;
}

void vtb_rt_stack_bounds(uint64_t *ret_lo, uint64_t *ret_hi)
{
	pthread_attr_t attr;
	void *base;
	size_t size;

	if (VTB_CALL_REAL(pthread_getattr_np)(pthread_self(), &attr))
		return;
	if (!VTB_CALL_REAL(pthread_attr_getstack)(&attr, &base, &size)) {
		*ret_lo = (uint64_t)base;
		*ret_hi = *ret_lo + size;
		widen(*ret_lo, *ret_hi);
		widen_by_libc_own();
	}
	VTB_CALL_REAL(pthread_attr_destroy)(&attr);
}

void vtb_rt_thread_here(struct vtb_rt_thread *t)
{
	t->base.inside++;
	vtb_rt_is_self(t);
	vtb_rt_takes_handle(t, pthread_self());
	if (t->base.parent == VTB_NO_PATH)
		main_stack(t);
	else
		vtb_rt_stack_bounds(&t->base.stack_lo, &t->base.stack_hi);
	if (t->base.entry) {
		t->base.entry->tid = (uint32_t)sys3(SYS_gettid, 0, 0, 0);
		t->base.entry->start = (uint64_t)t->base.start;
		t->base.entry->stack_lo = t->base.stack_lo;
		t->base.entry->stack_hi = t->base.stack_hi;
	}
	t->base.inside--;
}

struct vtb_rt_thread *vtb_rt_thread_by_handle(pthread_t handle)
{
	/* newest first: a handle is reused only after the older thread was joined or has ended detached */
	for (uint32_t i = __atomic_load_n(&vtb_rt.n_threads, __ATOMIC_ACQUIRE); i-- > 0;) {
		struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t && t->base.handle == handle && !vtb_rt_handle_is_over(t))
			return t;
	}
	return NULL;
}

#define NEWEST 256u
static uint16_t newest[NEWEST] VTB_RUN; /* by a handle's hash: slot of who took it last; 0: perhaps nobody */

static uint16_t *newest_of(pthread_t handle)
{
	return &newest[(uint64_t)handle * 0x9e3779b97f4a7c15ull >> 56];
}

void vtb_rt_takes_handle(struct vtb_rt_thread *t, pthread_t handle)
{
	t->base.handle = handle;
	*newest_of(handle) = (uint16_t)t->base.slot;
}

struct vtb_rt_thread *vtb_rt_thread_once_by_handle(pthread_t handle)
{
	uint32_t i = *newest_of(handle);

	if (i && i < vtb_rt.n_threads && vtb_rt.threads[i] && vtb_rt.threads[i]->base.handle == handle)
		return vtb_rt.threads[i];
	i = vtb_rt.n_threads;
	while (i-- > 0)
		if (vtb_rt.threads[i] && vtb_rt.threads[i]->base.handle == handle)
			return vtb_rt.threads[i];
	return NULL;
}

void vtb_rt_count_accesses(struct vtb_rt_thread *t)
{
	vtb_rt_stream_count(t);
	__atomic_add_fetch(&vtb_rt.block->accesses, t->base.accesses, __ATOMIC_RELAXED);
	t->base.accesses = 0;
}

/* ---- destructors of pthread keys: glibc would run them after our end of the thread, so we run them before */

#define KEYS_MAX 1024       /* glibc's PTHREAD_KEYS_MAX */
#define DESTRUCTOR_ROUNDS 4 /* glibc's PTHREAD_DESTRUCTOR_ITERATIONS */
static void (*key_destructors[KEYS_MAX])(void *);
static pthread_key_t keys_end; /* keys with destructors are below */

int vtb_rt_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	const int r = VTB_CALL_REAL(pthread_key_create)(key, destructor);

	if (r == 0 && *key < KEYS_MAX) {
		__atomic_store_n(&key_destructors[*key], destructor, __ATOMIC_RELEASE);
		if (destructor && *key >= keys_end)
			__atomic_store_n(&keys_end, *key + 1, __ATOMIC_RELEASE);
	}
	return r;
}

int vtb_rt_key_delete(pthread_key_t key)
{
	if (key < KEYS_MAX)
		__atomic_store_n(&key_destructors[key], NULL, __ATOMIC_RELEASE);
	return VTB_CALL_REAL(pthread_key_delete)(key);
}

int vtb_rt_key_set(pthread_key_t key, const void *value)
{
	const void *before = pthread_getspecific(key);
	const int r = VTB_CALL_REAL(pthread_setspecific)(key, value);

	if (r == 0 && vtb_self)
		vtb_stance_specific(vtb_self, key, before, value);
	return r;
}

static bool run_key_destructors(void)
{
	bool any = false;

	for (pthread_key_t key = 0; key < __atomic_load_n(&keys_end, __ATOMIC_ACQUIRE); key++) {
		void (*destructor)(void *) = __atomic_load_n(&key_destructors[key], __ATOMIC_ACQUIRE);
		void *value = destructor ? pthread_getspecific(key) : NULL;

		if (!value)
			continue;
		VTB_CALL_REAL(pthread_setspecific)(key, NULL);
		destructor(value);
		any = true;
	}
	return any;
}

static void (*call_tls_dtors)(void);

/* Before main: what a run finds out is forgotten at its end, and looked up again in the next one. */
__attribute__((constructor)) static void find_destructors(void)
{
	call_tls_dtors = (void (*)(void))dlvsym(RTLD_DEFAULT, "__call_tls_dtors", "GLIBC_PRIVATE");
}

void vtb_rt_run_destructors(void)
{
	if (call_tls_dtors)
		call_tls_dtors();
	for (int round = 0; round < DESTRUCTOR_ROUNDS && run_key_destructors(); round++)
		;
}
