/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads read a table, and look into the journal meanwhile; a third one has the journal and changes the table. A
 * reader belongs to the circle, though no single thread holds the lock. */
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both_read;
static int entries, rows;

static void *look(void *arg)
{
	int seen;

	pthread_rwlock_rdlock(&table);
	pthread_barrier_wait(&both_read);
	pthread_mutex_lock(&journal);
	seen = rows + entries;
	pthread_mutex_unlock(&journal);
	pthread_rwlock_unlock(&table);
	return seen < 0 ? NULL : arg;
}

static void *change(void *arg)
{
	pthread_mutex_lock(&journal);
	pthread_rwlock_wrlock(&table);
	rows++;
	entries++;
	pthread_rwlock_unlock(&table);
	pthread_mutex_unlock(&journal);
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	pthread_barrier_init(&both_read, NULL, 2);
	pthread_create(&threads[0], NULL, look, NULL);
	pthread_create(&threads[1], NULL, look, NULL);
	pthread_create(&threads[2], NULL, change, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return entries == 1 ? 0 : 1;
}
