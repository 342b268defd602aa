/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs here have in common: threads that main starts together and waits for. */
#ifndef VTB_TEST_TWO_H
#define VTB_TEST_TWO_H

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Start up to three of them, and wait for all. */
static inline void together(void *(*a)(void *), void *(*b)(void *), void *(*c)(void *))
{
	void *(*const all[])(void *) = { a, b, c };
	pthread_t threads[3];

	for (int i = 0; i < 3 && all[i]; i++)
		pthread_create(&threads[i], NULL, all[i], NULL);
	for (int i = 0; i < 3 && all[i]; i++)
		pthread_join(threads[i], NULL);
}

#endif /* VTB_TEST_TWO_H */
