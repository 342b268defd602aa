/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flockfile holds a stream over several calls: lines of different threads do not mix, whoever runs in between. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define THREADS 3
#define LINES 4

static FILE *stream;

static void *writes(void *arg)
{
	const char letter = *(const char *)arg;

	for (int i = 0; i < LINES; i++) {
		flockfile(stream);
		for (int k = 0; k < 6; k++) {
			putc_unlocked(letter, stream);
			if (k % 2)
				sched_yield();
		}
		fputc('\n', stream); /* the lock is recursive */
		funlockfile(stream);
	}
	return NULL;
}

int main(void)
{
	static char text[4096];
	char letters[] = "abc";
	pthread_t t[THREADS];
	int whole = 0, lines = 0;

	stream = fmemopen(text, sizeof(text), "w");
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, writes, &letters[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	fclose(stream);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
		whole += strspn(line, (char[]){line[0], 0}) == 6 && strlen(line) == 6;
	printf("lines %d, whole %d\n", lines, whole);
	return 0;
}
