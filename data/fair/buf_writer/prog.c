/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BufWriter: writers fill a buffer; a checker compares what they say they have written with what is there, and takes another lock than they do. */
#include "../fair.h"

#define WRITERS 3
#define EACH 4
#define ROOM (WRITERS * EACH)

struct buffer {
	pthread_mutex_t write_lock, check_lock;
	int text[ROOM];
	int used;
};

static struct buffer buffer = { .write_lock = PTHREAD_MUTEX_INITIALIZER, .check_lock = PTHREAD_MUTEX_INITIALIZER };
static int written[WRITERS];
static int checked;

static bool put(struct buffer *b, int writer, int letter)
{
	bool room;

	pthread_mutex_lock(&b->write_lock);
	room = b->used < ROOM;
	if (room) {
		b->text[b->used++] = letter;
		written[writer]++;
	}
	pthread_mutex_unlock(&b->write_lock);
	return room;
}

static void *writer(void *arg)
{
	const int me = (int)(intptr_t)arg;

	for (int i = 0; i < EACH; i++)
		if (!put(&buffer, me, 'a' + me))
			break;
	return NULL;
}

static int count(const struct buffer *b, int letter)
{
	int n = 0;

	for (int i = 0; i < ROOM; i++)
		n += b->text[i] == letter;
	return n;
}

static void *checker(void *arg)
{
	(void)arg;
	linger(400);
	pthread_mutex_lock(&buffer.check_lock); /* here: the writers' lock is the other one */
	for (int i = 0; i < WRITERS; i++) {
		assert(count(&buffer, 'a' + i) == written[i]);
		assert(written[i] == EACH);
	}
	checked++;
	pthread_mutex_unlock(&buffer.check_lock);
	return NULL;
}

static void *worker(void *arg)
{
	return (intptr_t)arg == WRITERS ? checker(arg) : writer(arg);
}

int main(int argc, char **argv)
{
	pthread_t workers[WRITERS + 1];

	table1_begin(argc, argv);
	start_all(workers, WRITERS + 1, worker);
	join_all(workers, WRITERS + 1);
	assert(checked == 1 && buffer.used == ROOM);
	return 0;
}
