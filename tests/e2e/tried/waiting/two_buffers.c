/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A buffer pool by semaphores: each job takes two buffers, one by one. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define BUFFERS 2

static sem_t available;
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static char *pool[BUFFERS];
static int pooled;
#ifdef FIXED
static pthread_mutex_t pair_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static char *buffer_get(void)
{
    sem_wait(&available);
    pthread_mutex_lock(&pool_lock);
    char *b = pool[--pooled];
    pthread_mutex_unlock(&pool_lock);
    return b;
}

static void buffer_put(char *b)
{
    pthread_mutex_lock(&pool_lock);
    pool[pooled++] = b;
    pthread_mutex_unlock(&pool_lock);
    sem_post(&available);
}

static void *compress(void *arg)
{
    (void)arg;
#ifdef FIXED
    pthread_mutex_lock(&pair_lock);
#endif
    char *in = buffer_get();
    char *out = buffer_get();
#ifdef FIXED
    pthread_mutex_unlock(&pair_lock);
#endif
    in[0] = 'a';
    out[0] = in[0];
    buffer_put(out);
    buffer_put(in);
    return NULL;
}

int main(void)
{
    sem_init(&available, 0, BUFFERS);
    for (int i = 0; i < BUFFERS; i++) pool[pooled++] = malloc(64);
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, compress, NULL);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < BUFFERS; i++) free(pool[i]);
    return 0;
}
