/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PingPong: sixteen players hand a ball around; the umpire takes it away. One player looks whether there is a ball and then hits it. */
#include <assert.h>
#include <stddef.h>

#include "../table1.h"

#define PLAYERS 16

static struct ball {
	int hits;
} the_ball;
static struct ball *volatile ball = &the_ball;
static int scores[PLAYERS];

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	work(me, PLAYERS + 1, 7);
	if (me == PLAYERS) { /* the umpire */
		linger(20);
		ball = NULL;
		return NULL;
	}
	scores[me]++;
	if (me == 0 && ball)
		ball->hits++;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[PLAYERS + 1];

	table1_begin(argc, argv);
	start_all(workers, PLAYERS + 1, worker);
	join_all(workers, PLAYERS + 1);
	return 0;
}
