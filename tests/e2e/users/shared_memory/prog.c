// SPDX-License-Identifier: GPL-2.0-or-later
// Two processes with a mutex and a condition in shared memory; the parent has a thread that waits for the child.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int asked, answered;
};

static struct shared *make(void)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;

	assert(s != MAP_FAILED);
	pthread_mutexattr_init(&mutex);
	pthread_condattr_init(&cond);
	assert(pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED) == 0);
	assert(pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED) == 0);
	assert(pthread_mutex_init(&s->lock, &mutex) == 0 && pthread_cond_init(&s->changed, &cond) == 0);
	return s;
}

static void child(struct shared *s)
{
	pthread_mutex_lock(&s->lock);
	while (!s->asked)
		pthread_cond_wait(&s->changed, &s->lock);
	s->answered = s->asked * 2;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	_exit(0);
}

static void *waits(void *arg)
{
	int status;

	while (waitpid(*(pid_t *)arg, &status, 0) < 0)
		assert(errno == EINTR);
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return NULL;
}

int main(void)
{
	struct shared *s = make();
	pid_t pid = fork();
	pthread_t waiter;

	assert(pid >= 0);
	if (!pid)
		child(s);
	assert(pthread_create(&waiter, NULL, waits, &pid) == 0);
	pthread_mutex_lock(&s->lock);
	s->asked = 21;
	pthread_cond_broadcast(&s->changed);
	while (!s->answered)
		pthread_cond_wait(&s->changed, &s->lock);
	assert(s->answered == 42);
	pthread_mutex_unlock(&s->lock);
	pthread_join(waiter, NULL);
	munmap(s, sizeof(*s));
	return 0;
}
