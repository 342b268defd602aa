// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of the sanitizer's public interface, as libraries with locks and regions of their own make them.
#include <pthread.h>
#include <stddef.h>

void AnnotateHappensBefore(const char *file, int line, const volatile void *at);
void AnnotateHappensAfter(const char *file, int line, const volatile void *at);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *at, long size, const char *why);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void *__tsan_external_register_tag(const char *name);
void __tsan_external_write(void *object, void *caller, void *tag);
void __sanitizer_syscall_pre_impl_close(long fd);
int RunningOnValgrind(void);

static int n;

static void *work(void *tag)
{
	n++;
	__tsan_external_write(&n, NULL, tag);
	AnnotateHappensBefore(__FILE__, __LINE__, &n);
	return NULL;
}

int main(void)
{
	pthread_t t;

	AnnotateBenignRaceSized(__FILE__, __LINE__, &n, sizeof(n), "counter");
	__sanitizer_syscall_pre_impl_close(-1);
	pthread_create(&t, NULL, work, __tsan_external_register_tag("counter"));
	pthread_join(t, NULL);
	AnnotateHappensAfter(__FILE__, __LINE__, &n);
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
	return n != 1 || RunningOnValgrind();
}
