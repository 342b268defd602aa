/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three threads print with no lock but those of the streams, for which they wait, and ask what they print to. */
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

static void *prints(void *name)
{
	struct stat st;

	for (int i = 0; i < 3; i++) {
		printf("%s has come to %d\n", (char *)name, i);
		fprintf(stderr, "%s\n", (char *)name);
		puts(name);
	}
	if (fstat(1, &st) == 0)
		printf("%s: %ld bytes\n", (char *)name, (long)st.st_size);
	return NULL;
}

int main(void)
{
	static char names[3][8] = {"one", "two", "three"};
	pthread_t t[3];
	struct stat st;

	fstat(1, &st);
	setvbuf(stdout, NULL, _IOLBF, 64);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, prints, names[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("at first %ld bytes\n", (long)st.st_size);
	return 0;
}
