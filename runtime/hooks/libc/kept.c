/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * More that libraries keep from call to call and for all threads: which option of the command line comes next, tables
 * and trees of <search.h>, handlers of C++, which semaphores have names, how threads are scheduled. As in hidden.c:
 * what may be called by threads at once is an operation on a counter, the rest is an access, to the program's own
 * variable where that is known.
 */
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <search.h>

#include "hidden.h"
#include "instr_libc.h"
#include "rows.h"

/* Named as the report is to call them. */
static int table_of_hsearch, new_handler, terminate_handler, default_memory_resource, words_of_streams;
static int named_semaphores, scheduling_of_threads, concurrency;

void vtb_rt_names_semaphore(bool anew, uint64_t pc)
{
	if (anew)
		alters(&named_semaphores, pc);
	else
		asks(&named_semaphores, pc);
}

static void next_option(uint64_t pc)
{
	if (!vtb_rt_is_hooked(pc))
		return;
	changes(&optind, sizeof(optind), pc);
	changes(&optarg, sizeof(optarg), pc);
	changes(&optopt, sizeof(optopt), pc);
}

#define OPTION next_option(VTB_CALLER)
HIDDEN(int, getopt, (int n, char *const *args, const char *letters), (n, args, letters), OPTION)
HIDDEN(int, getopt_long, (int n, char *const *args, const char *letters, const struct option *all, int *which),
       (n, args, letters, all, which), OPTION)
HIDDEN(int, getopt_long_only, (int n, char *const *args, const char *letters, const struct option *all, int *which),
       (n, args, letters, all, which), OPTION)

#define TABLE races(&table_of_hsearch, VTB_CALLER)
HIDDEN(int, hcreate, (size_t n), (n), TABLE)
HIDDEN(ENTRY *, hsearch, (ENTRY item, ACTION action), (item, action), TABLE)
HIDDEN_VOID(hdestroy, (void), (), TABLE)

/* The program compares in between, and its threads may go on there. */
AROUND(void *, tsearch, (const void *key, void **root, int (*order)(const void *, const void *)), (key, root, order),
       true, changes(root, sizeof(*root), pc))
AROUND(void *, tdelete, (const void *restrict key, void **restrict root, int (*order)(const void *, const void *)),
       (key, root, order), true, changes(root, sizeof(*root), pc))
AROUND(void *, tfind, (const void *key, void *const *root, int (*order)(const void *, const void *)),
       (key, root, order), true, looks(root, sizeof(*root), pc))

/* ---- of libstdc++, by the names that they have there */

#define ALTERS(what) alters(&what, VTB_CALLER)
#define ASKS(what) asks(&what, VTB_CALLER)
typedef void (*handler)(void);
HIDDEN(handler, _ZSt15set_new_handlerPFvvE, (handler it), (it), ALTERS(new_handler))
HIDDEN(handler, _ZSt15get_new_handlerv, (void), (), ASKS(new_handler))
HIDDEN(handler, _ZSt13set_terminatePFvvE, (handler it), (it), ALTERS(terminate_handler))
HIDDEN(handler, _ZSt13get_terminatev, (void), (), ASKS(terminate_handler))
HIDDEN(void *, _ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE, (void *it), (it),
       ALTERS(default_memory_resource))
HIDDEN(void *, _ZNSt3pmr20get_default_resourceEv, (void), (), ASKS(default_memory_resource))
HIDDEN(int, _ZNSt8ios_base6xallocEv, (void), (), ALTERS(words_of_streams))

static void leaves(const void *to, size_t size, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		changes(to, size, pc);
}

/* ---- how threads are scheduled; of a thread itself, too: who it is that is asked for is not looked at */

HIDDEN(int, pthread_setschedparam, (pthread_t thread, int policy, const struct sched_param *to), (thread, policy, to),
       ALTERS(scheduling_of_threads))
HIDDEN(int, pthread_setschedprio, (pthread_t thread, int priority), (thread, priority), ALTERS(scheduling_of_threads))
HIDDEN(int, pthread_getschedparam, (pthread_t thread, int *policy, struct sched_param *to), (thread, policy, to),
       ASKS(scheduling_of_threads);
       leaves(policy, sizeof(*policy), VTB_CALLER); leaves(to, sizeof(*to), VTB_CALLER))
HIDDEN(int, pthread_getaffinity_np, (pthread_t thread, size_t size, cpu_set_t *to), (thread, size, to),
       leaves(to, size, VTB_CALLER))
HIDDEN(int, pthread_setconcurrency, (int to), (to), ALTERS(concurrency))
HIDDEN(int, pthread_getconcurrency, (void), (), ASKS(concurrency))
