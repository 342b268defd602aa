/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PingPong: players hit the ball that lies on the table, in any order; the umpire ends the game and takes it away. Whoever plays looks whether there is a ball, and
 * then hits it. */
#include "../fair.h"

#define PLAYERS 16
#define ROUNDS 2

struct ball {
	int hits;
	int last;
};

struct table {
	pthread_mutex_t lock; /* of the score */
	struct ball *volatile ball;
	int score[2];
};

static struct table table = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void note_point(struct table *t, int player)
{
	pthread_mutex_lock(&t->lock);
	t->score[player % 2]++;
	pthread_mutex_unlock(&t->lock);
}

static bool hit(struct table *t, int player)
{
	if (!t->ball)
		return false;
	t->ball->hits++; /* here: the ball may be gone */
	t->ball->last = player;
	return true;
}

static void *player(void *arg)
{
	const int me = (int)(intptr_t)arg;

	for (int i = 0; i < ROUNDS; i++)
		if (hit(&table, me))
			note_point(&table, me);
	return NULL;
}

static void *umpire(void *arg)
{
	struct ball *ball = table.ball;

	(void)arg;
	linger(400);
	table.ball = NULL;
	linger(100);
	free(ball);
	return NULL;
}

static void *worker(void *arg)
{
	return (intptr_t)arg == PLAYERS ? umpire(arg) : player(arg);
}

/* 0 or 1, -1: a draw. When the game is over. */
static int winner(const struct table *t)
{
	if (t->score[0] == t->score[1])
		return -1;
	return t->score[1] > t->score[0];
}

int main(int argc, char **argv)
{
	pthread_t workers[PLAYERS + 1];

	table1_begin(argc, argv);
	table.ball = calloc(1, sizeof(*table.ball));
	start_all(workers, PLAYERS + 1, worker);
	join_all(workers, PLAYERS + 1);
	assert(table.score[0] + table.score[1] <= PLAYERS * ROUNDS);
	assert(winner(&table) < 0 || table.score[winner(&table)] > 0);
	return 0;
}
