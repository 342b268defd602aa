/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Critical sections and locks. Each is a word in the program's memory, or here for those without a name: zeroed memory
 * is a free one, and whoever unlocks it makes it free, as with libgomp. Who locks what it has waits for ever, as there.
 */
#include "omp.h"

/* What reports call them. */
static uint32_t critical, atomic;

OMP_EXPORT void GOMP_critical_start(void);
OMP_EXPORT void GOMP_critical_start(void)
{
	vtb_library_lock(&critical);
}

OMP_EXPORT void GOMP_critical_end(void);
OMP_EXPORT void GOMP_critical_end(void)
{
	vtb_library_unlock(&critical);
}

OMP_EXPORT void GOMP_critical_name_start(void **name);
OMP_EXPORT void GOMP_critical_name_start(void **name)
{
	vtb_library_lock((uint32_t *)name);
}

OMP_EXPORT void GOMP_critical_name_end(void **name);
OMP_EXPORT void GOMP_critical_name_end(void **name)
{
	vtb_library_unlock((uint32_t *)name);
}

OMP_EXPORT void GOMP_atomic_start(void);
OMP_EXPORT void GOMP_atomic_start(void)
{
	vtb_library_lock(&atomic);
}

OMP_EXPORT void GOMP_atomic_end(void);
OMP_EXPORT void GOMP_atomic_end(void)
{
	vtb_library_unlock(&atomic);
}

/* ---- omp_lock_t */

OMP_OWN static void free_it(uint32_t *lock)
{
	*lock = 0;
}

OMP_EXPORT void omp_init_lock(uint32_t *lock);
OMP_EXPORT void omp_init_lock(uint32_t *lock)
{
	free_it(lock);
	vtb_library_lock_made(lock);
}

OMP_EXPORT void omp_destroy_lock(uint32_t *lock);
OMP_EXPORT void omp_destroy_lock(uint32_t *lock)
{
	vtb_library_lock_ends(lock);
}

OMP_EXPORT void omp_set_lock(uint32_t *lock);
OMP_EXPORT void omp_set_lock(uint32_t *lock)
{
	vtb_library_lock(lock);
}

OMP_EXPORT void omp_unset_lock(uint32_t *lock);
OMP_EXPORT void omp_unset_lock(uint32_t *lock)
{
	vtb_library_unlock(lock);
}

OMP_EXPORT int omp_test_lock(uint32_t *lock);
OMP_EXPORT int omp_test_lock(uint32_t *lock)
{
	return vtb_library_trylock(lock);
}

/* ---- omp_nest_lock_t: a task has it. Others look at `owner` without holding the lock, and find that it is not them.
 */

struct nest {
	uint32_t lock;
	int count;
	struct omp_task *owner;
};

OMP_OWN static bool is_mine(const struct nest *n)
{
	return __atomic_load_n(&n->owner, __ATOMIC_RELAXED) == omp_place()->task;
}

OMP_OWN static int took(struct nest *n)
{
	__atomic_store_n(&n->owner, omp_place()->task, __ATOMIC_RELAXED);
	return ++n->count;
}

OMP_OWN static bool gave(struct nest *n)
{
	if (--n->count > 0)
		return false;
	__atomic_store_n(&n->owner, NULL, __ATOMIC_RELAXED);
	return true;
}

OMP_OWN static void clear(struct nest *n)
{
	*n = (struct nest){ 0 };
}

OMP_EXPORT void omp_init_nest_lock(struct nest *n);
OMP_EXPORT void omp_init_nest_lock(struct nest *n)
{
	clear(n);
	vtb_library_lock_made(&n->lock);
}

OMP_EXPORT void omp_destroy_nest_lock(struct nest *n);
OMP_EXPORT void omp_destroy_nest_lock(struct nest *n)
{
	vtb_library_lock_ends(&n->lock);
}

OMP_EXPORT void omp_set_nest_lock(struct nest *n);
OMP_EXPORT void omp_set_nest_lock(struct nest *n)
{
	if (!is_mine(n))
		vtb_library_lock(&n->lock);
	took(n);
}

OMP_EXPORT void omp_unset_nest_lock(struct nest *n);
OMP_EXPORT void omp_unset_nest_lock(struct nest *n)
{
	if (gave(n))
		vtb_library_unlock(&n->lock);
}

OMP_EXPORT int omp_test_nest_lock(struct nest *n);
OMP_EXPORT int omp_test_nest_lock(struct nest *n)
{
	return is_mine(n) || vtb_library_trylock(&n->lock) ? took(n) : 0;
}
