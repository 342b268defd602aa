/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that wait for something that the kernel keeps, and have a form that does not wait: file locks, System V
 * semaphores and message queues, splice. Each attempt is an operation, made in that form. Who fails stands at the next
 * attempt until some call has been made that may have changed the answer; if nobody can make one, that is a deadlock
 * like any other.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/stat.h>

#include "scheduler.h"
#include "models.h"
#include "base.h"
#include "syscalls.h"

#define SECOND 1000000000ull
#ifndef SPLICE_F_NONBLOCK
#define SPLICE_F_NONBLOCK 2
#endif

#define COUNTS 256u

static uint64_t generation = 1;                           /* of what others may wait for */
static uint64_t lock_generation = 1, lock_counts[COUNTS]; /* of locks of files: of all, and by name */

void vtb_try_look_again(bool locks)
{
	generation++;
	lock_generation += locks;
}

/* ---- names: ids of the kernel differ from run to run, their order does not */

static int first_ids[VTB_IDS_ROOM], *ids = first_ids;
static uint32_t ids_room = VTB_IDS_ROOM;
static uint32_t n_ids;

static uint64_t ordinal(int id)
{
	uint32_t i = 0;

	while (i < n_ids && ids[i] != id)
		i++;
	if (i == n_ids) {
		ids = vtb_limit_grow(ids, &ids_room, i, sizeof(*ids), VTB_LIMIT_IDS);
		ids[n_ids++] = id;
	}
	return i;
}

/* ---- who has a file lock, so that a circle is called one */

static struct file_lock {
	uint64_t device, file;
	uint32_t slot;
	int fd,
	    name; /* which descriptor has the exclusive lock; after which one it is called, for the rest of the run */
} first_locks[VTB_FILE_LOCKS_ROOM], *locks = first_locks;
static uint32_t locks_room = VTB_FILE_LOCKS_ROOM, n_locks;

static struct file_lock *lock_of(int fd, bool make)
{
	struct stat st;

	if ((!make && !n_locks) || sys3(SYS_fstat, fd, (long)&st, 0) < 0)
		return NULL;
	for (uint32_t i = 0; i < n_locks; i++)
		if (locks[i].file == st.st_ino && locks[i].device == st.st_dev)
			return &locks[i];
	if (!make)
		return NULL;
	if (n_locks == locks_room)
		locks = vtb_limit_grow(locks, &locks_room, n_locks, sizeof(*locks), VTB_LIMIT_FILE_LOCKS);
	locks[n_locks] = (struct file_lock){
		.device = st.st_dev, .file = st.st_ino, .slot = VTB_NO_PATH, .name = (int)(uintptr_t)vtb_io_object(fd)
	};
	return &locks[n_locks++];
}

/* The name is that of the file: descriptors come and go. */
static const void *lock_name(int fd)
{
	const struct file_lock *l = lock_of(fd, true);

	return vtb_io_name(VTB_IO_FILE_LOCK, l ? (uint64_t)l->name : (uint64_t)(uintptr_t)vtb_io_object(fd));
}

/* Who has the exclusive lock, as far as it is known. An attempt that does not wait waits for nobody. */
static uint32_t file_holder(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const struct file_lock *l =
	    call->kind == VTB_E_RDLOCK || call->kind == VTB_E_WRLOCK ? lock_of((int)call->aux, false) : NULL;

	(void)t;
	return l ? l->slot : VTB_NO_PATH;
}

void vtb_try_closed(int fd)
{
	struct file_lock *l = lock_of(fd, false);

	vtb_try_look_again(false);
	if (l && l->fd == fd)
		l->slot = VTB_NO_PATH;
}

/* ---- one kind of call: what it waits for, its form that does not wait */

struct attempt {
	greg_t g[NGREG];   /* the form that does not wait */
	uint64_t tried_at; /* generation at the last attempt that would have waited; 0: none */
	bool waits;        /* the program asked to wait */
	struct sembuf sems[VTB_SEMBUFS_ROOM];
};

enum { ASKS_NOTHING, FREES, TAKES_SHARED, TAKES };

/* What a lock call does. */
static int lock_effect(const greg_t *g)
{
	if (g[REG_RAX] == SYS_flock)
		return g[REG_RSI] & LOCK_UN ? FREES : g[REG_RSI] & LOCK_EX ? TAKES : TAKES_SHARED;
	switch (((const struct flock *)g[REG_RDX])->l_type) {
	case F_UNLCK:
		return FREES;
	case F_RDLCK:
		return TAKES_SHARED;
	default:
		return TAKES;
	}
}

static bool is_lock_command(const greg_t *g)
{
	return g[REG_RSI] == F_SETLK || g[REG_RSI] == F_SETLKW || g[REG_RSI] == F_OFD_SETLK ||
	       g[REG_RSI] == F_OFD_SETLKW;
}

/* Fills in a->g; sets *ret_span to the time that it may wait at most, if it says. False: the call has no such form, or
 * is about something else. */
static bool prepare(struct attempt *a, const greg_t *g, const struct timespec **ret_span)
{
	memcpy(a->g, g, sizeof(a->g));
	a->waits = true;
	switch (g[REG_RAX]) {
	case SYS_flock:
		a->waits = !(g[REG_RSI] & LOCK_NB);
		a->g[REG_RSI] |= LOCK_NB;
		return true;
	case SYS_fcntl:
		a->waits = g[REG_RSI] == F_SETLKW || g[REG_RSI] == F_OFD_SETLKW;
		a->g[REG_RSI] = g[REG_RSI] == F_SETLKW       ? F_SETLK
		                : g[REG_RSI] == F_OFD_SETLKW ? F_OFD_SETLK
		                                             : g[REG_RSI];
		return is_lock_command(g) && g[REG_RDX];
	case SYS_semop:
	case SYS_semtimedop:
		if ((uint64_t)g[REG_RDX] > VTB_SEMBUFS_ROOM)
			return false;
		memcpy(a->sems, (const void *)g[REG_RSI], (size_t)g[REG_RDX] * sizeof(*a->sems));
		a->waits = false;
		for (long i = 0; i < g[REG_RDX]; i++) {
			a->waits |= !(a->sems[i].sem_flg & IPC_NOWAIT);
			a->sems[i].sem_flg |= IPC_NOWAIT;
		}
		a->g[REG_RSI] = (greg_t)a->sems;
		*ret_span = g[REG_RAX] == SYS_semtimedop ? (const struct timespec *)g[REG_R10] : NULL;
		a->g[REG_RAX] = SYS_semop;
		return true;
	case SYS_msgrcv:
		a->waits = !(g[REG_R8] & IPC_NOWAIT);
		a->g[REG_R8] |= IPC_NOWAIT;
		return true;
	case SYS_msgsnd:
	case SYS_splice: /* the flags of vmsplice and tee are there, too */
	case SYS_vmsplice:
	case SYS_tee: {
		const int reg = g[REG_RAX] == SYS_splice ? REG_R9 : REG_R10,
		          flag = g[REG_RAX] == SYS_msgsnd ? IPC_NOWAIT : SPLICE_F_NONBLOCK;

		a->waits = !(g[reg] & flag);
		a->g[reg] |= flag;
		return true;
	}
	default:
		return false;
	}
}

static bool would_wait(long r)
{
	return r == -EAGAIN || r == -ENOMSG || r == -EACCES;
}

/* ---- an attempt; call->data: struct attempt */

static bool is_lock(const greg_t *g)
{
	return g[REG_RAX] == SYS_flock || g[REG_RAX] == SYS_fcntl;
}

/* A lock of the whole process: it keeps other processes out, and none of its own threads. prepare() has made F_SETLK of
 * F_SETLKW. */
static bool is_of_process(const greg_t *g)
{
	return g[REG_RAX] == SYS_fcntl && g[REG_RSI] == F_SETLK;
}

static uint64_t *lock_count(const struct vtb_call *call)
{
	return &lock_counts[(uintptr_t)call->obj % COUNTS];
}

/* Other than before, whenever the answer may be. What is done to other files than the one that is to be locked does not
 * change it: to look again then would be operations that nothing in the records accounts for. */
static uint64_t generation_of(const struct attempt *a, const struct vtb_call *call)
{
	return is_lock(a->g) ? lock_generation + *lock_count(call) : generation;
}

static bool attempt_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const struct attempt *a = (const struct attempt *)call->data;

	return a->tried_at != generation_of(a, call) || vtb_time_over(t) ||
	       (t->sched.cancelled && t->sched.cancel_enabled);
}

static void note_lock(const struct vtb_rt_thread *t, const greg_t *g)
{
	struct file_lock *l;

	if (is_of_process(g))
		return;
	l = lock_of((int)g[REG_RDI], false);
	if (!l || (lock_effect(g) == FREES && l->fd != (int)g[REG_RDI]))
		return;
	l->slot = lock_effect(g) == TAKES ? t->base.slot : VTB_NO_PATH;
	l->fd = (int)g[REG_RDI];
}

static void attempt(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct attempt *a = (struct attempt *)call->data;

	call->result = vtb_syscall_make(a->g);
	call->value = call->result < 0 ? (uint64_t)-call->result : 0;
	call->has_value = call->kind != VTB_E_IO_READ && call->kind != VTB_E_IO_WRITE;
	a->tried_at = would_wait(call->result) ? generation_of(a, call) : 0;
	if (a->tried_at && a->waits && is_lock(a->g)) /* it comes round to where it was, until something is otherwise */
		vtb_sched.slot->outcome.flags |= VTB_OUT_SPUN;
	if (call->result < 0)
		return;
	generation++;
	if (is_lock(a->g)) {
		++*lock_count(call);
		note_lock(t, a->g);
	}
}

static const struct vtb_primitive primitive_file_lock = { "lock of a file", attempt_ready, attempt, NULL, false,
	                                                  file_holder };
static const struct vtb_primitive primitive_attempt = { "attempt", attempt_ready, attempt, NULL, false, NULL };

static struct vtb_call call_of(const struct vtb_rt_thread *t, struct attempt *a)
{
	static const uint8_t
	    kinds[] = { [FREES] = VTB_E_RWUNLOCK, [TAKES_SHARED] = VTB_E_RDLOCK, [TAKES] = VTB_E_WRLOCK },
	    tries[] = { [FREES] = VTB_E_RWUNLOCK, [TAKES_SHARED] = VTB_E_TRYRDLOCK, [TAKES] = VTB_E_TRYWRLOCK };
	const long nr = a->g[REG_RAX];
	struct vtb_call call = { .prim = &primitive_attempt,
		                 .kind = VTB_E_IO_READ,
		                 .pc = t->base.pc,
		                 .data = (uint64_t)a,
		                 .interrupt = VTB_INTERRUPT_RESTARTS };

	if (is_lock(a->g)) {
		call.prim = &primitive_file_lock;
		call.kind = is_of_process(a->g) ? VTB_E_IO_WRITE : (a->waits ? kinds : tries)[lock_effect(a->g)];
		call.obj = lock_name((int)a->g[REG_RDI]);
		call.aux = (uint32_t)a->g[REG_RDI];
	} else if (nr == SYS_semop) {
		call.obj = vtb_io_name(VTB_IO_SEMAPHORES, ordinal((int)a->g[REG_RDI]));
	} else if (nr == SYS_msgrcv || nr == SYS_msgsnd) {
		call.obj = vtb_io_name(VTB_IO_QUEUE, ordinal((int)a->g[REG_RDI]));
	} else {
		call.obj = vtb_io_object((int)a->g[REG_RDI]);
	}
	return call;
}

bool vtb_try_waits(const struct vtb_call *call)
{
	return (call->prim == &primitive_file_lock || call->prim == &primitive_attempt) &&
	       ((const struct attempt *)call->data)->tried_at;
}

bool vtb_try_call(struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	const struct timespec *span = NULL;
	struct attempt a = { 0 };
	struct vtb_call call;

	if (!prepare(&a, g, &span))
		return false;
	t->sched.deadline =
	    span && a.waits ? vtb_sched.now + (uint64_t)span->tv_sec * SECOND + (uint64_t)span->tv_nsec + 1 : 0;
	do {
		call = call_of(t, &a);
		vtb_ctl_op(t, &call);
		if (!t->sched.deadline || !vtb_time_over(t))
			vtb_cancellation_point(t);
	} while (a.tried_at && a.waits && !call.interrupted && !(t->sched.deadline && vtb_time_over(t)));
	t->sched.deadline = 0;
	*ret = call.result;
	return true;
}

/* What the close would do, done before it: the close itself is told as an operation on the descriptor. Others may come
 * between the two; so they may between the moments at which the kernel does one and the other. */
void vtb_try_ends_locks(struct vtb_rt_thread *t, int fd)
{
	struct flock all = { .l_type = F_UNLCK, .l_whence = SEEK_SET };
	const unsigned held = n_locks && lock_of(fd, false) && vtb_io_opened_once(fd) ? vtb_locks_held(fd) : 0;
	greg_t g[NGREG] = { [REG_RDI] = fd, [REG_RSI] = F_OFD_SETLK, [REG_RDX] = (greg_t)&all };
	long result;

	if (held & VTB_HELD_RANGES) {
		g[REG_RAX] = SYS_fcntl;
		vtb_try_call(t, g, &result);
	}
	if (held & VTB_HELD_FLOCK) {
		g[REG_RAX] = SYS_flock;
		g[REG_RSI] = LOCK_UN;
		vtb_try_call(t, g, &result);
	}
}
