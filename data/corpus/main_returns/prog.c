/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main returns without joining the thread that writes the record: the record can be half there. */
#include <pthread.h>
#include <stddef.h>

static volatile struct {
	int length;
	int checksum;
} record;

static void *writer(void *arg)
{
	(void)arg;
	record.length = 8;
	record.checksum = 8 ^ 0x55;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int length;

	pthread_create(&thread, NULL, writer, NULL);
	length = record.length;
	if (length && record.checksum != (length ^ 0x55))
		return 1;
	return 0;
}
