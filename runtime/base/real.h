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
/** Any function behind ours, NULL if there is none. */
void *vtb_real_symbol(const char *name);
/** The same, looked up once: `known`, NULL at first, keeps it. Threads may be here at once. */
void *vtb_real_kept(void **known, const char *name);

/** The real function, also before our constructor has run. */
#define VTB_CALL_REAL(name) (vtb_real.name ? vtb_real.name : (vtb_real_init(), vtb_real.name))

#endif /* VTB_RT_REAL_H */
