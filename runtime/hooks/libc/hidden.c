/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of libc that keep something from call to call which other threads use: the environment, and numbers
 * that are drawn one after the other, the locale, keys of threads' own data, what is called at the end of the process.
 * What is kept is libc's own memory, or not to be found; so each is an access to the variable of the standard
 * (environ), or to a counter here. rand() and random() take a lock in libc and are operations on their counter, as are
 * those that threads may call at once by their standard; the others take none, and two threads that call them race.
 */
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base.h"
#include "engines.h"
#include "instr.h"
#include "hidden.h"
#include "instr_libc.h"
#include "steps.h"

/* Named as the report is to call them. */
static int random_numbers, drand48_numbers, handlers_at_exit, keys_of_threads;

static void environment(unsigned kind, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		vtb_rt_access(kind, &environ, 3, pc);
}

static void text(const char *of, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc) && !vtb_rt_is_constant((uint64_t)of))
		vtb_rt_range(VTB_E_READ, of, strlen(of) + 1, pc);
}

/* clang-format off */
#define NAMED text(name, VTB_CALLER)
#define READS environment(VTB_E_READ, VTB_CALLER)
#define WRITES environment(VTB_E_WRITE, VTB_CALLER)
HIDDEN(char *, getenv, (const char *name), (name), NAMED; READS)
HIDDEN(char *, secure_getenv, (const char *name), (name), NAMED; READS)
HIDDEN(int, setenv, (const char *name, const char *value, int anew), (name, value, anew), NAMED; text(value, VTB_CALLER); WRITES)
HIDDEN(int, unsetenv, (const char *name), (name), NAMED; WRITES)
HIDDEN(int, putenv, (char *text), (text), WRITES)
HIDDEN(int, clearenv, (void), (), WRITES)
HIDDEN(int, system, (const char *text), (text), READS)
HIDDEN(FILE *, popen, (const char *text, const char *mode), (text, mode), READS)

#define DRAWS alters(&random_numbers, VTB_CALLER)
HIDDEN(int, rand, (void), (), DRAWS)
HIDDEN(long, random, (void), (), DRAWS)
HIDDEN_VOID(srand, (unsigned seed), (seed), DRAWS)
HIDDEN_VOID(srandom, (unsigned seed), (seed), DRAWS)
HIDDEN(char *, initstate, (unsigned seed, char *state, size_t size), (seed, state, size), DRAWS)
HIDDEN(char *, setstate, (char *state), (state), DRAWS)

#define DRAWS48 races(&drand48_numbers, VTB_CALLER)
HIDDEN(double, drand48, (void), (), DRAWS48)
HIDDEN(long, lrand48, (void), (), DRAWS48)
HIDDEN(long, mrand48, (void), (), DRAWS48)
HIDDEN_VOID(srand48, (long seed), (seed), DRAWS48)
HIDDEN(unsigned short *, seed48, (unsigned short seed[3]), (seed), DRAWS48)
HIDDEN_VOID(lcong48, (unsigned short parameters[7]), (parameters), DRAWS48)

#define LOCALE asks(vtb_rt_locale(), VTB_CALLER)
static struct vtb_libc_step sets_locale(bool sets, uint64_t pc)
{
	if (sets)
		return vtb_libc_step(vtb_rt_locale(), pc);
	asks(vtb_rt_locale(), pc);
	return (struct vtb_libc_step){ 0 };
}
#define SETS_LOCALE VTB_LIBC_STEP(sets_locale(name, VTB_CALLER))
HIDDEN(char *, setlocale, (int category, const char *name), (category, name), SETS_LOCALE)
HIDDEN(struct lconv *, localeconv, (void), (), LOCALE)
HIDDEN(char *, nl_langinfo, (nl_item item), (item), LOCALE)
HIDDEN(size_t, __ctype_get_mb_cur_max, (void), (), LOCALE)

/* Who was told last is called first. */
static void tells_handler(const void *module, uint64_t pc)
{
	vtb_loader_end_handler(module);
	alters(&handlers_at_exit, pc);
}
#define AT_EXIT(module) tells_handler(module, VTB_CALLER)
HIDDEN(int, __cxa_atexit, (void (*handler)(void *), void *arg, void *module), (handler, arg, module), AT_EXIT(module))
HIDDEN(int, __cxa_at_quick_exit, (void (*handler)(void *), void *module), (handler, module), AT_EXIT(NULL))
HIDDEN(int, on_exit, (void (*handler)(int, void *), void *arg), (handler, arg), AT_EXIT(NULL))

/* clang-format on */

/* A key that is free again is given out again. */
void vtb_rt_alters_keys(uint64_t pc)
{
	alters(&keys_of_threads, pc);
}

void vtb_rt_asks_keys(uint64_t pc)
{
	asks(&keys_of_threads, pc);
}

VTB_EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
	vtb_rt_asks_keys(VTB_CALLER);
	return vtb_rt_key_set(key, value);
}

VTB_EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	const uint64_t pc = VTB_CALLER;
	pthread_key_t made;
	int r;

	vtb_rt_alters_keys(pc);
	r = vtb_rt_key_create(&made, destructor);
	if (!r)
		vtb_rt_leave_at(key, &made, sizeof(made), pc);
	return r;
}

VTB_EXPORT int pthread_key_delete(pthread_key_t key)
{
	vtb_rt_alters_keys(VTB_CALLER);
	return vtb_rt_key_delete(key);
}
