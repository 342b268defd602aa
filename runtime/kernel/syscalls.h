/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file syscalls.h
 * The program's system calls: every one that the runtime does not make itself traps (Syscall User Dispatch, Linux 5.11;
 * where that is missing some of them do, by seccomp) and is looked up in syscalls.def. The trap comes on the stack of
 * the thread that calls, so a wait can switch to another thread right there.
 */
#ifndef VTB_RT_SYSCALLS_H
#define VTB_RT_SYSCALLS_H

#include "scheduler.h"
#include "kernel.h"

/* syscalls.c */
/** In a forked child: the parent's arrangements are not ours. */
void vtb_syscalls_forget(void);

/* processes/mapped.c */
/** A mapping of the process, as the kernel tells it. */
struct vtb_map_line {
	uint64_t lo, hi;        /* [lo, hi) */
	uint64_t offset;        /* in the file */
	uint64_t device, inode; /* the file; 0: none */
	bool written, shared;   /* may be written to; MAP_SHARED */
};
/** Call `each` for all of them, from the lowest address up. Nothing is called if they cannot be read. */
void vtb_each_mapping(void (*each)(const struct vtb_map_line *line, void *arg), void *arg);
/** The program has made mmap, mremap or shmat (`nr`) with these arguments: list a library that it loads, and note if
 * one piece of memory is at two addresses from now on. */
void vtb_mapped(const greg_t *g, long nr, long result);
/** It has made munmap, shmdt or one of those: nothing is any more where something was before. */
void vtb_unmapped(const greg_t *g, long nr, long result);
/** t is about to read or write this descriptor: note if its file is memory that this changes, or that others change,
 * and there are other threads. */
void vtb_mapped_file_used(const struct vtb_rt_thread *t, int fd, bool writes);
/** Likewise of a call that does so without being a read or write: it gives a file another size, or copies. */
void vtb_mapped_file_call(const struct vtb_rt_thread *t, const struct vtb_syscall *row, const greg_t *g);

/** Has the program memory that other processes may have, too (MAP_SHARED)? */
bool vtb_memory_is_shared(void);

/* processes/shared_memory.c */
/** A call of futex() has been made in the model: if other processes may have the word, too, those who wait there are
 * woken as well. True. */
bool vtb_shared_futex(const greg_t *g, long *ret);
/** Nobody can go on. Ends the run as undecided if somebody waits in memory that a forked process shares; else false. */
bool vtb_shared_memory_waits(void);

/* processes/child_signal.c */
/** Is there a child process, and does somebody wait for a signal? */
bool vtb_child_signal_expected(void);
/** From now on the kernel keeps it; the mask that was. Until then. */
uint64_t vtb_child_signal_hold(void);
void vtb_child_signal_release(uint64_t before);
/** The kernel has SIGCHLD: it comes to be in the model. False: it has not. */
bool vtb_child_signal_take(void);

/* processes/vfork_call.c */
/** Does the call in the registers make a process in this one's memory, on a stack of its own? */
bool vtb_vfork_has_stack(const greg_t *g);
/** Make that call for the program; the calls that follow are caught. Returns in the parent; the child goes on in the
 * program. */
long vtb_vfork_call(const ucontext_t *at);

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
/** What they wait for may have changed; what locks of files wait for only if `locks`. */
void vtb_try_look_again(bool locks);
/** A descriptor is about to be closed: if locks of its file end with it, their end is an operation, and made. */
void vtb_try_ends_locks(struct vtb_rt_thread *t, int fd);
/** It is closed. */
void vtb_try_closed(int fd);

/* files/held_locks.c */
/** Locks of its file that the descriptor has. */
enum { VTB_HELD_FLOCK = 1, VTB_HELD_RANGES = 2 };
unsigned vtb_locks_held(int fd);
/** Is this file among those that the epoll descriptor looks at? True if it is not known. */
bool vtb_epoll_may_look_at(int epoll, int fd);

/* fifo.c */
/** open() or openat() of a named pipe, which may have to wait for the other end? */
bool vtb_fifo_is_opened(const greg_t *g);
/** open() and openat(): true if it was of a named pipe and had to wait for the other end, *ret its result; false: to be
 * made. */
bool vtb_fifo_open(struct vtb_rt_thread *t, const greg_t *g, long *ret);
/** Does `call` stand there? */
bool vtb_fifo_waits(const struct vtb_call *call);

/* processes/child_wait.c */
extern const struct vtb_primitive vtb_primitive_child;
/** A call about descriptor vtb_call.data that does not wait; its value says whether that is open when its turn comes.
 */
extern const struct vtb_primitive vtb_primitive_of_descriptor;
/** wait4() and waitid(): true if the call is not to be made any more, *ret the result. */
bool vtb_child_wait(struct vtb_rt_thread *t, const greg_t *g, long *ret);

/* processes/at_rest.c */
extern bool vtb_children_made;  /* the program has made processes */
extern bool vtb_children_fresh; /* one since they last came to rest */
extern bool vtb_children_late;  /* some go on by themselves, while the program has one thread only */
/** The program is about to make a process. */
void vtb_children_begin(void);
/** Something may have let child processes go on: wait until they have come as far as they can. True: one has moved. */
bool vtb_children_rest(void);
/** Do some go on by themselves, or may they, as they were not waited for? `timers`: or as they may have set a timer? */
bool vtb_children_go_by_themselves(bool timers);
/** What they do now is decided by time, or by what nobody sees: nothing is proved. */
void vtb_children_not_decided(void);

/* processes/children_moved.c */
/** Let them come to rest; then the last operation that t has told, which has let them go on, depends on what they may
 * have done. `by_call`: it is the system call's that t is in. If that has told none, another thread had no turn before
 * it, and no claim holds. */
void vtb_children_go_on(struct vtb_rt_thread *t, bool by_call);
/** Who is alone makes a call that looks at what they may have done. */
void vtb_children_look_late(const struct vtb_syscall *row);

/* io_object.c */
struct stat;
/** The next descriptor behind fd (-1: the first) and what it is; INT_MAX: there is none. */
int vtb_io_next(int fd, struct stat *ret);
/** Are both for the same opening of one file, as dup() makes them? */
bool vtb_io_is_same_opening(int a, int b);
/** Another one for the same opening as fd's, but not `but`; of the program's, or held for who waits there. -1: none. */
int vtb_io_other_number(int fd, int but);
/** Is there no other one? */
bool vtb_io_opened_once(int fd);
/** How long a socket waits at most (SO_RCVTIMEO, SO_SNDTIMEO), in nanoseconds; 0: for ever. */
uint64_t vtb_io_span(int fd, bool reads);
/** select() is told what is left of its time; a struct timeval has the same words, the second one in another unit. */
void vtb_io_tell_left(const struct vtb_rt_thread *t, struct timespec *to, uint64_t unit);
/** enum vtb_io_what. */
unsigned vtb_io_what(int fd);

/* told/told_calls.c */
/** What the program asks the system about itself: true if it is answered, *ret the result; false: to be made. */
bool vtb_told_call(enum vtb_wait about, struct vtb_rt_thread *t, const greg_t *g, long *ret);

/* ids.c */
/** getpid() and the like. */
long vtb_ids_call(struct vtb_rt_thread *t, const greg_t *g);
/** The call is about to be made: told ids in its arguments become the kernel's. */
void vtb_ids_replace(greg_t *g);
/** The program comes to know its id, or that of its parent: what it is told. */
long vtb_ids_tell_process(void);
long vtb_ids_tell_parent(void);
/** Write `number`, which is not negative, in decimal from `to` on. Returns the place behind it; no 0 is put there. */
char *vtb_ids_put(char *to, long number);
/** The program is about to start a process. Does not return if that could come to know told ids. */
void vtb_ids_start_process(void);

/* affinity.c */
/** sched_getaffinity() and sched_setaffinity(): true if it is done, *ret its result; false: to be made. */
bool vtb_affinity_call(struct vtb_rt_thread *t, const greg_t *g, long *ret);
void vtb_affinity_inherit(struct vtb_rt_thread *child, const struct vtb_rt_thread *creator);

/* thread_names.c */
/** prctl(PR_SET_NAME) and prctl(PR_GET_NAME): true if it is done, *ret its result; false: to be made. */
bool vtb_thread_names_call(struct vtb_rt_thread *t, const greg_t *g, long *ret);
void vtb_thread_names_inherit(struct vtb_rt_thread *child, const struct vtb_rt_thread *creator);

/* settings.c */
/** A call that sets or asks for a setting of the process is about to be made: an operation on it. */
void vtb_settings_call(struct vtb_rt_thread *t, const greg_t *g);
/** Likewise: one that does not trap sets something other than what a signal does. */
void vtb_settings_change(struct vtb_rt_thread *t);

/* counted.c */
/** Times, usage, sysinfo(): true if it is done, *ret its result; false: to be made. */
bool vtb_counted_call(const greg_t *g, long *ret);
/** The program has opened this: a file whose content the kernel makes up at this moment is noted. */
void vtb_counted_opened(long fd);

/* proc_stat.c */
/** The program has opened this. If it is what the kernel says of the program or of its parent: what it reads there is
 * the same in every run. False: it is another file. */
bool vtb_proc_stat_opened(long fd, const char *path);
/** Put a file in memory with this text in the place of the descriptor. */
bool vtb_proc_replace(long fd, const char *text, size_t n);

/* proc_meminfo.c */
/** Likewise what the kernel says of the machine's memory. */
bool vtb_proc_meminfo_opened(long fd, const char *path);

/* random.c */
/** getrandom(): true if it is done, *ret its result; false: to be made. */
bool vtb_random_call(struct vtb_rt_thread *t, const greg_t *g, long *ret);
/** The same for read(), if the descriptor is one of the devices of random numbers. */
bool vtb_random_read(struct vtb_rt_thread *t, const greg_t *g, long *ret);
/* told/message_queue.c */
uint64_t vtb_mq_deadline(const greg_t *g); /* 0: none */
bool vtb_mq_refuses(const greg_t *g);      /* at once, whoever waits */

/* syscall_wait.c */
/** What a thread at this operation waits for: WAIT_INPUT (call->data: the descriptor), WAIT_POLL, WAIT_CHILD, WAIT_TRY;
 * else WAIT_NONE. */
enum vtb_wait vtb_syscall_waits_for(const struct vtb_call *call);
struct pollfd;
/** poll() that does not wait; a negative error number. */
long vtb_poll_now(struct pollfd *fds, uint64_t n);
/** Is the time for which t waits over? */
static inline bool vtb_wait_is_over(const struct vtb_rt_thread *t)
{
	return t->sched.until && vtb_sched.now >= t->sched.until;
}
/** Calls that wait are cancellation points: does t go on, to its end? */
bool vtb_cancel_wakes(const struct vtb_rt_thread *t);

/* files/wait_many.c */
/** poll(), select(), epoll_wait() and the like: the result. */
long vtb_many_call(enum vtb_wait wait, struct vtb_rt_thread *t, const greg_t *g);
/** Is it such a call? Is it about that descriptor, or about others in its place from now on? */
bool vtb_many_waits(const struct vtb_call *call);
bool vtb_many_waits_at(const struct vtb_call *call, int fd);
/** Likewise, or about others that an epoll descriptor may look at. */
bool vtb_many_may_wait_at(const struct vtb_call *call, int fd);
void vtb_many_goes_on_at(struct vtb_call *call, int fd, int ours);

/* files/closed_under.c */
/** Of calls that wait: is the descriptor one of those that it waits at; it waits at `ours` in its place. */
struct vtb_waits {
	bool (*at)(const struct vtb_call *call, int fd);
	void (*go_on)(struct vtb_call *call, int fd, int ours);
};
extern const struct vtb_waits vtb_syscall_waits; /* syscall_wait.c */
/** The descriptor is about to be closed: others that wait at it go on waiting, at a descriptor of ours. */
void vtb_closed_under(int fd, const struct vtb_waits *waits);
/** Does the wait that has come to its end lie at such a one? Then the call (registers g) was made, by `make`, or
 * interrupted: *ret is its result. */
bool vtb_closed_goes_on(const struct vtb_rt_thread *t, const struct vtb_call *call, const greg_t *g,
                        long (*make)(const greg_t *g), long *ret);
/** The wait of t has come to its end: `each` of its descriptors that are ours, and whose place it had, and let go. */
void vtb_closed_let_go(const struct vtb_rt_thread *t, void (*each)(void *arg, int fd, int ours), void *arg);
/** Descriptor number i of ours at which somebody waits so; -1: there are no more. */
int vtb_closed_held(uint32_t i);
/** At the end of a run. */
void vtb_closed_ends(void);

/* syscall_tell.c */
/** The call is about to be made and does not wait: an operation, if other threads can tell. */
void vtb_syscall_tell(struct vtb_rt_thread *t, const struct vtb_syscall *row, const greg_t *g);

/* outside.c */
/** Can anything come from outside the process? Not if all that could be read is pipes, sockets and counters of its own,
 * or nobody asks for it; a child may change memory. */
bool vtb_io_from_outside(bool asks);
/** Child processes that run by themselves. */
bool vtb_io_has_children(void);
/** Nobody can go on before the clock moves, but somebody waits for an answer from outside: give it, by the system's
 * clock, the time that would pass. True if somebody can go on now. */
bool vtb_syscall_patience(void);
/** Nobody can go on, but somebody waits for input from outside: wait for it. False if nobody does or none comes. */
bool vtb_syscall_outside(void);

#endif /* VTB_RT_SYSCALLS_H */
