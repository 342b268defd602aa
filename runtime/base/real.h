/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file real.h
 * The functions behind the ones we interpose: vtb_real.NAME(...). Filled by vtb_real_init(), which the first interposed
 * call or our constructor makes, whichever comes first; NULL where the process has no such function.
 */
#ifndef VTB_RT_REAL_H
#define VTB_RT_REAL_H

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct vtb_real {
#define VTB_REAL(ret, name, params, version) ret(*name) params;
#include "real.def"
#undef VTB_REAL
};
extern struct vtb_real vtb_real;

void vtb_real_init(void);
void vtb_real_begin_to_keep(void); /* symbol.c; part of vtb_real_init() */
/** Any function behind ours, NULL if there is none. `name` stands in our own text: it is told from others by its
 * address. Looked up once for all runs of the process, if what has it was there before the first one. */
void *vtb_real_symbol(const char *name);
/** One that no library behind ours has, of one that was loaded late for itself alone (RTLD_LOCAL); NULL: none has it.
 */
void *vtb_real_late(const char *name);
/** The same. `known`, NULL at first, keeps it where no run is rolled back: of those that are, each would write to
 * `known`, and its page be put back. Threads may be here at once. */
static inline void *vtb_real_kept(void **known, const char *name);
void *vtb_real_find(void **known, const char *name);

/** A variable `call`: the function behind ours of this name. May come before our constructor. */
#define VTB_BEHIND(ret, call, params, name) \
	static void *behind;                \
	ret(*call) params = (ret(*) params)vtb_real_kept(&behind, name)

/** The real function, also before our constructor has run. */
#define VTB_CALL_REAL(name) (vtb_real.name ? vtb_real.name : (vtb_real_init(), vtb_real.name))

static inline void *vtb_real_kept(void **known, const char *name)
{
	void *symbol = __atomic_load_n(known, __ATOMIC_RELAXED);

	return symbol ? symbol : vtb_real_find(known, name);
}

#endif /* VTB_RT_REAL_H */
