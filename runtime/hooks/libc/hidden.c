/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of libc that keep something from call to call which other threads use: the environment, and numbers
 * that are drawn one after the other. What is kept is libc's own memory, or not to be found; so each is an access to
 * the variable of the standard (environ), or to a counter here. rand() and random() take a lock in libc and are
 * operations on their counter; the others take none, and two threads that call them race.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base.h"
#include "instr.h"

/* Named as the report is to call them. */
static int random_numbers, drand48_numbers;

static void environment(unsigned kind, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		vtb_rt_access(kind, &environ, 3, pc);
}

static void draws(int *numbers, uint64_t pc)
{
	if (!vtb_rt_is_hooked(pc))
		return;
	if (numbers == &random_numbers)
		vtb_rt_atomic_begin(VTB_E_ATOMIC_RMW, numbers, 2, pc);
	else
		vtb_rt_access(VTB_E_WRITE, numbers, 2, pc);
	__atomic_add_fetch(numbers, 1, __ATOMIC_RELAXED);
	if (numbers == &random_numbers)
		vtb_rt_atomic_end(false);
}

#define HIDDEN(ret, name, params, args, what)                            \
	VTB_EXPORT ret name params;                                      \
	VTB_EXPORT ret name params                                       \
	{                                                                \
		static void *real;                                       \
                                                                         \
		what;                                                    \
		return ((ret(*) params)vtb_real_kept(&real, #name))args; \
	}
#define HIDDEN_VOID(name, params, args, what)                       \
	VTB_EXPORT void name params;                                \
	VTB_EXPORT void name params                                 \
	{                                                           \
		static void *real;                                  \
                                                                    \
		what;                                               \
		((void(*) params)vtb_real_kept(&real, #name)) args; \
	}
/* clang-format off */
#define READS environment(VTB_E_READ, VTB_CALLER)
#define WRITES environment(VTB_E_WRITE, VTB_CALLER)
HIDDEN(char *, getenv, (const char *name), (name), READS)
HIDDEN(char *, secure_getenv, (const char *name), (name), READS)
HIDDEN(int, setenv, (const char *name, const char *value, int anew), (name, value, anew), WRITES)
HIDDEN(int, unsetenv, (const char *name), (name), WRITES)
HIDDEN(int, putenv, (char *text), (text), WRITES)
HIDDEN(int, clearenv, (void), (), WRITES)

#define DRAWS draws(&random_numbers, VTB_CALLER)
HIDDEN(int, rand, (void), (), DRAWS)
HIDDEN(long, random, (void), (), DRAWS)
HIDDEN_VOID(srand, (unsigned seed), (seed), DRAWS)
HIDDEN_VOID(srandom, (unsigned seed), (seed), DRAWS)
HIDDEN(char *, initstate, (unsigned seed, char *state, size_t size), (seed, state, size), DRAWS)
HIDDEN(char *, setstate, (char *state), (state), DRAWS)

#define DRAWS48 draws(&drand48_numbers, VTB_CALLER)
HIDDEN(double, drand48, (void), (), DRAWS48)
HIDDEN(long, lrand48, (void), (), DRAWS48)
HIDDEN(long, mrand48, (void), (), DRAWS48)
HIDDEN_VOID(srand48, (long seed), (seed), DRAWS48)
HIDDEN(unsigned short *, seed48, (unsigned short seed[3]), (seed), DRAWS48)
HIDDEN_VOID(lcong48, (unsigned short parameters[7]), (parameters), DRAWS48)
/* clang-format on */
