// SPDX-License-Identifier: GPL-2.0-or-later
// asks SOURCE [broken]: how often each of two threads works depends on what the system says of the process.
// Broken: without the lock.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done, broken;
static unsigned long times_each[2];
static const char *source;

static unsigned long of_file(const char *path)
{
	const int fd = open(path, O_RDONLY);
	unsigned long sum = 0;
	char bytes[4096];
	ssize_t n;

	assert(fd >= 0);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n; i++)
			sum = sum * 31 + (unsigned char)bytes[i];
	close(fd);
	return sum;
}

static unsigned long on_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (unsigned long)now.tv_sec * 1000000000 + (unsigned long)now.tv_nsec;
}

static unsigned long getpid_says(void) { return (unsigned long)getpid(); }
static unsigned long getppid_says(void) { return (unsigned long)getppid(); }
static unsigned long gettid_says(void) { return (unsigned long)gettid(); }
static unsigned long raw_getpid_says(void) { return (unsigned long)syscall(SYS_getpid); }
static unsigned long getsid_says(void) { return (unsigned long)getsid(0); }
static unsigned long clock_says(void) { return (unsigned long)clock(); }
static unsigned long process_cputime_says(void) { return on_clock(CLOCK_PROCESS_CPUTIME_ID); }
static unsigned long thread_cputime_says(void) { return on_clock(CLOCK_THREAD_CPUTIME_ID); }
static unsigned long proc_stat_says(void) { return of_file("/proc/self/stat"); }
static unsigned long proc_parent_says(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)getppid());
	return of_file(path);
}

static unsigned long proc_meminfo_says(void) { return of_file("/proc/meminfo"); }
static unsigned long proc_schedstat_says(void) { return of_file("/proc/thread-self/schedstat"); }
static unsigned long rdtsc_says(void) { return __rdtsc(); }

static unsigned long cpuclock_says(void)
{
	clockid_t clock;

	pthread_getcpuclockid(pthread_self(), &clock);
	return on_clock(clock);
}

static unsigned long raw_clock_says(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (unsigned long)now.tv_nsec;
}

static unsigned long times_says(void)
{
	struct tms used;

	return (unsigned long)times(&used) * 1000 + (unsigned long)used.tms_utime;
}

static unsigned long getrusage_says(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return (unsigned long)(used.ru_utime.tv_usec + used.ru_stime.tv_usec + used.ru_minflt * 7 + used.ru_maxrss);
}

static unsigned long sysinfo_says(void)
{
	struct sysinfo info;

	sysinfo(&info);
	return info.freeram + info.loads[0] + (unsigned long)info.uptime;
}

static unsigned long rdtscp_says(void)
{
	unsigned processor;

	return __rdtscp(&processor) + processor;
}

#define ROW(name) { #name, name##_says }
static const struct {
	const char *name;
	unsigned long (*says)(void);
} sources[] = {
	ROW(getpid), ROW(getppid), ROW(gettid), ROW(raw_getpid),
	ROW(getsid), ROW(clock), ROW(process_cputime), ROW(thread_cputime),
	ROW(cpuclock), ROW(raw_clock), ROW(times), ROW(getrusage),
	ROW(sysinfo), ROW(rdtsc), ROW(rdtscp), ROW(proc_stat),
	ROW(proc_schedstat), ROW(proc_parent), ROW(proc_meminfo),
};

static unsigned long ask(void)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (!strcmp(sources[i].name, source))
			return sources[i].says();
	abort();
}

static void *work(void *arg)
{
	unsigned long *n = arg;

	*n = 2 + (ask() * 0x9e3779b97f4a7c15ul >> 62);
	for (unsigned long i = 0; i < *n; i++) {
		if (!broken)
			pthread_mutex_lock(&lock);
		done++;
		if (!broken)
			pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	source = argc > 1 ? argv[1] : "getpid";
	broken = argc > 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, &times_each[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(done == (int)(times_each[0] + times_each[1]));
	return 0;
}
