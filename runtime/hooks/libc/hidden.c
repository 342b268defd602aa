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
static int random_numbers, handlers_at_exit, keys_of_threads;

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
void vtb_rt_asks_exit_handlers(uint64_t pc)
{
	asks(&handlers_at_exit, pc);
}
#define AT_EXIT(module) tells_handler(module, VTB_CALLER)
HIDDEN(int, __cxa_atexit, (void (*handler)(void *), void *arg, void *module), (handler, arg, module), AT_EXIT(module))
HIDDEN(int, __cxa_at_quick_exit, (void (*handler)(void *), void *module), (handler, module), AT_EXIT(NULL))
HIDDEN(int, on_exit, (void (*handler)(int, void *), void *arg), (handler, arg), AT_EXIT(NULL))

/* clang-format on */

/* ---- numbers of drand48() and its like: kept here as libc keeps them, whose functions take no lock */

static struct drand48_data drand48_numbers;

static struct drand48_data reads_numbers(uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		vtb_rt_access(VTB_E_READ, &drand48_numbers, 2, pc);
	return drand48_numbers;
}

static void leaves_numbers(const struct drand48_data *to, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		vtb_rt_access(VTB_E_WRITE, &drand48_numbers, 2, pc);
	drand48_numbers = *to;
}

#define NUMBER48(ret, name)                                          \
	VTB_EXPORT ret name(void)                                    \
	{                                                            \
		struct drand48_data now = reads_numbers(VTB_CALLER); \
		ret number = 0;                                      \
                                                                     \
		name##_r(&now, &number);                             \
		leaves_numbers(&now, VTB_CALLER);                    \
		return number;                                       \
	}
NUMBER48(double, drand48)
NUMBER48(long, lrand48)
NUMBER48(long, mrand48)

/* Of a state of the program's; how the next number is made of it is kept here. */
#define NUMBER48_OF(ret, name)                                          \
	VTB_EXPORT ret name(unsigned short seed[3])                     \
	{                                                               \
		const bool hooked = vtb_rt_is_hooked(VTB_CALLER);       \
		struct drand48_data now = reads_numbers(VTB_CALLER);    \
		unsigned short next[3];                                 \
		ret number = 0;                                         \
                                                                        \
		if (hooked)                                             \
			vtb_rt_range(VTB_E_READ, seed, 6, VTB_CALLER);  \
		memcpy(next, seed, sizeof(next));                       \
		name##_r(next, &now, &number);                          \
		if (hooked)                                             \
			vtb_rt_range(VTB_E_WRITE, seed, 6, VTB_CALLER); \
		memcpy(seed, next, sizeof(next));                       \
		return number;                                          \
	}
NUMBER48_OF(double, erand48)
NUMBER48_OF(long, nrand48)
NUMBER48_OF(long, jrand48)

VTB_EXPORT void srand48(long seed)
{
	struct drand48_data now = drand48_numbers;

	srand48_r(seed, &now);
	leaves_numbers(&now, VTB_CALLER);
}

VTB_EXPORT unsigned short *seed48(unsigned short seed[3])
{
	struct drand48_data now = reads_numbers(VTB_CALLER);

	seed48_r(seed, &now);
	leaves_numbers(&now, VTB_CALLER);
	return drand48_numbers.__old_x;
}

VTB_EXPORT void lcong48(unsigned short parameters[7])
{
	struct drand48_data now = drand48_numbers;

	lcong48_r(parameters, &now);
	leaves_numbers(&now, VTB_CALLER);
}

/* ---- keys of threads' own data */

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
		vtb_rt_hand_over(key, &made, sizeof(made), pc);
	return r;
}

VTB_EXPORT int pthread_key_delete(pthread_key_t key)
{
	vtb_rt_alters_keys(VTB_CALLER);
	return vtb_rt_key_delete(key);
}
