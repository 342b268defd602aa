/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/event_words.h"

#include <stddef.h>

const char *const vtb_memory_orders[VTB_MEMORY_ORDERS] = {
	[VTB_ORDER_RELAXED] = "relaxed", [VTB_ORDER_CONSUME] = "consume", [VTB_ORDER_ACQUIRE] = "acquire",
	[VTB_ORDER_RELEASE] = "release", [VTB_ORDER_ACQ_REL] = "acq_rel", [VTB_ORDER_SEQ_CST] = "seq_cst",
};

const char *const vtb_deviation_words[VTB_DEVIATION_KINDS] = {
	[VTB_DEV_SWITCH] = "switch",     [VTB_DEV_DEMOTE] = "demote",   [VTB_DEV_WAITER] = "waiter",
	[VTB_DEV_SPURIOUS] = "spurious", [VTB_DEV_TIMEOUT] = "timeout", [VTB_DEV_CAS_FAIL] = "cas-fail",
	[VTB_DEV_SIGNAL] = "signal",
};

/* clang-format off */
static const struct vtb_event_words words[VTB_EVENT_KINDS] = { /* phrase, phrase if not done, verb, verb if it is
                                                                  still to come */
	[VTB_E_READ] = { "reads %s", NULL, "reads", "is about to read" },
	[VTB_E_WRITE] = { "writes %s", NULL, "writes", "is about to write" },
	[VTB_E_ATOMIC_LOAD] = { "loads atomic %s", NULL, "loads", "is about to load" },
	[VTB_E_ATOMIC_STORE] = { "stores atomic %s", NULL, "stores", "is about to store" },
	[VTB_E_ATOMIC_RMW] = { "updates atomic %s", NULL, "updates", "is about to update" },
	[VTB_E_ATOMIC_CAS_FAIL] = { "compare-exchange of %s fails", NULL, "compares", "is about to compare" },
	[VTB_E_FENCE] = { "memory fence", NULL, NULL, NULL },
	[VTB_E_THREAD_BEGIN] = { "begins", NULL, "begins", "has not begun" },
	[VTB_E_THREAD_END] = { "ends", NULL, "ends", "is about to end" },
	[VTB_E_THREAD_CREATE] = { "creates %s", NULL, "creates", "is about to create" },
	[VTB_E_THREAD_JOIN] = { "has joined %s", "joining %s gives up", "joins", "waits to join" },
	[VTB_E_THREAD_DETACH] = { "detaches %s", NULL, "detaches", "is about to detach" },
	[VTB_E_PROCESS_EXIT] = { "ends the process", NULL, "ends the process", "is about to end the process" },
	[VTB_E_FORK] = { "forks", NULL, "forks", "is about to fork" },
	[VTB_E_THREAD_CANCEL] = { "cancels %s", NULL, "cancels", "is about to cancel" },
	[VTB_E_LOCK] = { "locks %s", "locking %s fails", "locks", "waits for" },
	[VTB_E_TRYLOCK] = { "trylock gets %s", "trylock does not get %s", "tries to lock", "is about to try" },
	[VTB_E_TIMEDLOCK] = { "timed lock gets %s", "timed lock gives up on %s", "locks", "waits for" },
	[VTB_E_UNLOCK] = { "unlocks %s", "unlocking %s fails", "unlocks", "is about to unlock" },
	[VTB_E_MUTEX_INIT] = { "initialises %s", NULL, "initialises", "is about to initialise" },
	[VTB_E_MUTEX_DESTROY] = { "destroys %s", NULL, "destroys", "is about to destroy" },
	[VTB_E_RDLOCK] = { "read-locks %s", "read-locking %s fails", "read-locks", "waits to read-lock" },
	[VTB_E_WRLOCK] = { "write-locks %s", "write-locking %s fails", "write-locks", "waits to write-lock" },
	[VTB_E_TRYRDLOCK] = { "try-read-lock gets %s", "try-read-lock does not get %s",
	                      "tries to read-lock", "is about to try" },
	[VTB_E_TRYWRLOCK] = { "try-write-lock gets %s", "try-write-lock does not get %s",
	                      "tries to write-lock", "is about to try" },
	[VTB_E_RWUNLOCK] = { "unlocks %s", "unlocking %s fails", "unlocks", "is about to unlock" },
	[VTB_E_RWLOCK_INIT] = { "initialises %s", NULL, "initialises", "is about to initialise" },
	[VTB_E_RWLOCK_DESTROY] = { "destroys %s", NULL, "destroys", "is about to destroy" },
	[VTB_E_COND_WAIT] = { "starts to wait on %s", NULL, "waits on", "is about to wait on" },
	[VTB_E_COND_WAKE] = { "wakes up from %s", "times out on %s", "wakes from", "still waits on" },
	[VTB_E_COND_SIGNAL] = { "signals %s", NULL, "signals", "is about to signal" },
	[VTB_E_COND_BROADCAST] = { "broadcasts %s", NULL, "broadcasts", "is about to broadcast" },
	[VTB_E_COND_INIT] = { "initialises %s", NULL, "initialises", "is about to initialise" },
	[VTB_E_COND_DESTROY] = { "destroys %s", NULL, "destroys", "is about to destroy" },
	[VTB_E_SEM_WAIT] = { "takes from semaphore %s", "gives up on semaphore %s", "takes", "waits for" },
	[VTB_E_SEM_TRYWAIT] = { "takes from semaphore %s", "finds semaphore %s empty", "tries to take", "is about to try" },
	[VTB_E_SEM_POST] = { "posts semaphore %s", NULL, "posts", "is about to post" },
	[VTB_E_SEM_INIT] = { "initialises %s", NULL, "initialises", "is about to initialise" },
	[VTB_E_SEM_DESTROY] = { "destroys %s", NULL, "destroys", "is about to destroy" },
	[VTB_E_SEM_VALUE] = { "reads the value of semaphore %s", NULL, "reads the value of", "is about to read the value of" },
	[VTB_E_BARRIER_ARRIVE] = { "arrives at barrier %s", NULL, "arrives at", "is about to arrive at" },
	[VTB_E_BARRIER_LEAVE] = { "leaves barrier %s", NULL, "leaves", "waits at" },
	[VTB_E_BARRIER_INIT] = { "initialises %s", NULL, "initialises", "is about to initialise" },
	[VTB_E_BARRIER_DESTROY] = { "destroys %s", NULL, "destroys", "is about to destroy" },
	[VTB_E_ONCE_BEGIN] = { "comes to once %s", NULL, "enters", "waits for" },
	[VTB_E_ONCE_FOUND] = { "finds once %s done", NULL, "finds done", "waits for" },
	[VTB_E_ONCE_END] = { "has initialised once %s", NULL, "finishes", "is about to finish" },
	[VTB_E_FUTEX_WAIT] = { "waits on futex %s", "futex %s has changed, no wait", "waits on", "is about to wait on" },
	[VTB_E_FUTEX_WOKEN] = { "wakes up from futex %s", "gives up on futex %s", "wakes from", "still waits on" },
	[VTB_E_FUTEX_WAKE] = { "wakes futex %s", NULL, "wakes", "is about to wake" },
	[VTB_E_SLEEP] = { "has slept", NULL, "sleeps", "sleeps" },
	[VTB_E_YIELD] = { "yields", NULL, "yields", "is about to yield" },
	[VTB_E_CLOCK_READ] = { "reads the clock", NULL, NULL, NULL },
	[VTB_E_IO_WRITE] = { "writes to %s", NULL, "writes to", "is about to write to" },
	[VTB_E_IO_CLOSE] = { "closes %s", NULL, "closes", "is about to close" },
	[VTB_E_IO_READ] = { "reads from %s", NULL, "reads from", "waits to read from" },
	[VTB_E_SIGNAL_SEND] = { "sends a signal", NULL, "sends", "is about to send" },
	[VTB_E_SIGNAL_OPEN] = { "is still open to signals", NULL, "is still open to", "is still open to" },
	[VTB_E_SIGNAL_HANDLE] = { "handles a signal", NULL, "handles", "waits for" },
	[VTB_E_ALLOC] = { "allocates %s", NULL, NULL, NULL },
	[VTB_E_FREE] = { "frees %s", NULL, "frees", "is about to free" },
	[VTB_E_FAIL] = { "FAILS", NULL, "fails", "is about to fail" },
	[VTB_E_LOST] = { "events are missing here", NULL, NULL, NULL },
	[VTB_E_THREAD_NAME] = { "gets a name", NULL, NULL, NULL },
	[VTB_E_OWNED] = { "touches what is its own", NULL, NULL, NULL },
};
/* clang-format on */

const struct vtb_event_words *vtb_event_words(unsigned kind)
{
	static const struct vtb_event_words none;

	return kind < VTB_EVENT_KINDS ? &words[kind] : &none;
}
