/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file syscalls.h
 * The program's system calls: every one that the runtime does not make itself traps (Syscall User Dispatch, Linux 5.11;
 * where that is missing some of them do, by seccomp) and is looked up in syscalls.def. The trap comes on the stack of
 * the thread that calls, so a wait can switch to another thread right there.
 */
#ifndef VTB_RT_SYSCALLS_H
#define VTB_RT_SYSCALLS_H

#include <ucontext.h>

#include "engine.h"
#include "models.h"

enum vtb_undo {
	UNDO_NONE,
	UNDO_HARMLESS,
	UNDO_FUTEX,
	UNDO_END,
	UNDO_OUTPUT,
	UNDO_MAP,
	UNDO_UNMAP,
	UNDO_PROTECT,
	UNDO_BREAK,
	UNDO_OPEN,
	UNDO_CLOSE,
	UNDO_USE,
	UNDO_SIGMASK,
	UNDO_SIGACTION,
	UNDO_LIMIT,
	UNDO_MODEL
};
enum vtb_wait {
	WAIT_NONE,
	WAIT_INPUT,
	WAIT_OUTPUT,
	WAIT_POLL,
	WAIT_SELECT,
	WAIT_EPOLL,
	WAIT_FUTEX,
	WAIT_SLEEP,
	WAIT_CHILD,
	WAIT_GETTID,
	WAIT_SIGNAL,
	WAIT_TIMER,
	WAIT_TRY,
	WAIT_RANDOM,
	WAIT_URING,
	WAIT_FAULTS,
	WAIT_PTRACE,
	WAIT_WAITV,
	WAIT_CHANGE,
	WAIT_LOOK,
	WAIT_NAMES,
	WAIT_AGAIN,
	WAIT_SIGRETURN
};
enum vtb_place {
	PLACE_NOT,
	PLACE_PATH,
	PLACE_PATH_AT,
	PLACE_ENTRY,
	PLACE_ENTRY_AT,
	PLACE_SECOND,
	PLACE_SECOND_AT,
	PLACE_TWO,
	PLACE_TWO_AT,
	PLACE_ADDRESS,
	PLACE_FD,
	PLACE_FD_3,
	PLACE_FD_5
};
enum vtb_deed {
	DEED_NONE,
	DEED_LOOK,
	DEED_CHANGE,
	DEED_RESIZE,
	DEED_WRITE,
	DEED_COPY,
	DEED_MAKE,
	DEED_LINK,
	DEED_MOVE,
	DEED_MOVE_FLAGS,
	DEED_OPEN,
	DEED_OPEN_HOW,
	DEED_CREATE,
	DEED_QUEUE,
	DEED_IPC
};

struct vtb_syscall {
	const char *name; /* NULL: not in the table */
	uint8_t undo, wait, place, deed;
};

/* syscall_table.c */
const struct vtb_syscall *vtb_syscall_row(long nr);
/** Make the call with the arguments in the registers. */
long vtb_syscall_make(const greg_t *g);
/* syscalls.c */
/** Catch the calls of this kernel thread from now on; once for each. `all`: not only those that a run may wait in.
 * NULL, or why it cannot be done. */
const char *vtb_syscalls_catch(bool all);
/** How that is done here: VTB_MEANS_* of vtb/wire.h. */
uint32_t vtb_syscalls_means(void);
/** Calls of this kernel thread pass from now on. */
void vtb_syscalls_release(void);
/** In a forked child: the parent's arrangements are not ours. */
void vtb_syscalls_forget(void);

/* syscalls_seccomp.c */
/** vtb_syscalls_catch() by a filter of this process. */
const char *vtb_seccomp_catch(void);
bool vtb_seccomp_is_there(void);
/** Has this kernel thread the filter without being in the run: a child process, or a thread of carrier fibers that has
 * got its stack back? */
bool vtb_seccomp_foreign(void);
/** execve, so that the filter does not catch the new program's calls. */
long vtb_seccomp_exec(const greg_t *g);

/* prim_try.c */
/** A call with a form that does not wait: flock, fcntl locks, semop, msgsnd and msgrcv, splice. False: make it. */
bool vtb_try_call(struct vtb_rt_thread *t, const greg_t *g, long *ret);
/** Does `call` stand where an attempt has failed? */
bool vtb_try_waits(const struct vtb_call *call);
/** What they wait for may have changed. */
void vtb_try_look_again(void);
/** The descriptor is about to be closed: so are its locks. */
void vtb_try_closed(int fd);

/* fifo.c */
/** open() and openat(): true if it was of a named pipe and had to wait for the other end, *ret its result; false: to be
 * made. */
bool vtb_fifo_open(struct vtb_rt_thread *t, const greg_t *g, long *ret);
/** Does `call` stand there? */
bool vtb_fifo_waits(const struct vtb_call *call);

/* io_object.c */
/** What stands for the descriptor in records: the lowest descriptor of the same pipe; of all sockets; else itself. */
const void *vtb_io_object(int fd);
struct stat;
/** The next descriptor behind fd (-1: the first) and what it is; INT_MAX: there is none. */
int vtb_io_next(int fd, struct stat *ret);
/** enum vtb_io_what. */
unsigned vtb_io_what(int fd);
/** An object that is no descriptor, for records (vtb/wire.h). */
static inline const void *vtb_io_name(unsigned kind, uint64_t payload)
{
	return (const void *)(VTB_IO_NAMED | (uint64_t)kind << VTB_IO_KIND_SHIFT |
	                      (payload & ((1ull << VTB_IO_KIND_SHIFT) - 1)));
}
/** Can anything come from outside the process? Not if all that could be read is pipes, sockets and counters of its own,
 * or nobody asks for it; a child may change memory. */
bool vtb_io_from_outside(bool asks);

/** Is there somebody outside who holds the other end of this descriptor? Listening sockets and unconnected ones: no,
 * nobody need ever come. */
bool vtb_io_awaits_outside(int fd);
/** Of any descriptor but the standard ones. O(descriptors). */
bool vtb_io_any_awaits_outside(void);
/** Child processes that run by themselves. */
bool vtb_io_has_children(void);

/* random.c */
/** getrandom(): true if it is done, *ret its result; false: to be made. */
bool vtb_random_call(struct vtb_rt_thread *t, const greg_t *g, long *ret);
/** The same for read(), if the descriptor is one of the devices of random numbers. */
bool vtb_random_read(struct vtb_rt_thread *t, const greg_t *g, long *ret);
/** Before main: what the kernel has put down for the process is the same each time as well. */
void vtb_random_begin(void);

/* syscall_wait.c */
/** The call may have to wait for other threads: do so in the model. True if that was all, *ret_result is its result;
 * false if it can be made now without waiting. */
bool vtb_syscall_wait(const struct vtb_syscall *row, greg_t *g, long *ret_result);
/** What a thread at this operation waits for: WAIT_INPUT (call->data: the descriptor), WAIT_POLL, WAIT_CHILD, WAIT_TRY;
 * else WAIT_NONE. */
enum vtb_wait vtb_syscall_waits_for(const struct vtb_call *call);

/* outside.c */
/** Nobody can go on before the clock moves, but somebody waits for an answer from outside: give it, by the system's
 * clock, the time that would pass. True if somebody can go on now. */
bool vtb_syscall_patience(void);
/** Nobody can go on, but somebody waits for input from outside: wait for it. False if nobody does or none comes. */
bool vtb_syscall_outside(void);

#endif /* VTB_RT_SYSCALLS_H */
