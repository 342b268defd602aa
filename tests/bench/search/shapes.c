/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shapes SHAPE N: bugs of well-known shapes among about N threads. Some order of what they do breaks an assertion, or
 * leaves all of them waiting. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST 101
#define ALL(i) for (int i = 0; i < n; i++)

static int n;
static pthread_t threads[2 * MOST];
static int started;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, locks[MOST];
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static volatile int a, b, count, ready, cells[MOST];
static int *volatile shared;

static void start(void *(*f)(void *), long i)
{
	pthread_create(&threads[started++], NULL, f, (void *)i);
}
static void join_all(void)
{
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}
static void hold(void)
{
	pthread_mutex_lock(&lock);
}
static void drop(void)
{
	pthread_mutex_unlock(&lock);
}

/* Two variables that belong together are set one after the other. */
static void *sets(void *x)
{
	a = 1;
	b = -1;
	return x;
}
static void *checks(void *x)
{
	int p = a, q = b;
	assert(p == -q);
	return x;
}
static void setters(void)
{
	ALL(i) start(sets, i);
	start(checks, 0);
	join_all();
}
static void checkers(void)
{
	start(sets, 0);
	ALL(i) start(checks, i);
	join_all();
}
static void setters_checkers(void)
{
	ALL(i) start(sets, i);
	ALL(i) start(checks, i);
	join_all();
}

/* The second stage is told before the first one is whole, each under the lock. */
static void *stages(void *x)
{
	hold();
	a = 1;
	drop();
	hold();
	b = a + 1;
	drop();
	return x;
}
static void *reads_stages(void *x)
{
	int p, q;
	hold();
	p = a;
	drop();
	if (!p)
		return x;
	hold();
	q = b;
	drop();
	assert(q == p + 1);
	return x;
}
static void publish(void)
{
	ALL(i) start(stages, i);
	start(reads_stages, 0);
	join_all();
}

/* A token goes round; who has it sees that by one variable, and where it goes by another. */
static void *passes(void *x)
{
	long i = (long)x;
	if (a == i) {
		a = (int)((i + 1) % n);
		count++;
		assert(b == i);
		b = (int)((i + 1) % n);
	}
	return x;
}
static void ring(void)
{
	n = n < 2 ? 2 : n;
	ALL(i) start(passes, i);
	join_all();
}

/* The length is read under the lock, and the characters are copied under it another time. */
static void *erases(void *x)
{
	hold();
	count = 0;
	drop();
	return x;
}
static void *copies(void *x)
{
	int length;
	hold();
	length = count;
	drop();
	hold();
	assert(length <= count);
	drop();
	return x;
}
static void buffer(void)
{
	count = 5;
	ALL(i) start(copies, i);
	start(erases, 0);
	join_all();
}

/* The owner takes from one end without the lock as long as there seems to be more than one. */
static void *steals(void *x)
{
	hold();
	if (a < b) {
		assert(!cells[a]);
		cells[a] = 1;
		a++;
	}
	drop();
	return x;
}
static void *takes(void *x)
{
	int last = b - 1;
	if (a < last + 1) {
		b = last;
		assert(!cells[last]);
		cells[last] = 1;
	}
	return x;
}
static void stealing(void)
{
	b = n < 3 ? n : 3;
	ALL(i) start(steals, i);
	start(takes, 0);
	join_all();
}

/* Checked, then used; the third one puts something else in between. */
static void *uses(void *x)
{
	if (shared)
		assert(*shared == 7);
	return x;
}
static void *clears(void *x)
{
	static int other = 3;
	shared = &other;
	return x;
}
static void *nothing(void *x)
{
	cells[(long)x] = 1;
	return x;
}
static void check_use(void)
{
	static int seven = 7;
	shared = &seven;
	start(uses, 0);
	ALL(i) start(nothing, i);
	start(clears, 0);
	join_all();
}

/* The last one frees; who is last is decided in two steps. */
static void *releases(void *x)
{
	int left = count - 1;
	count = left;
	if (!left) {
		assert(!ready);
		ready = 1;
	}
	return x;
}
static void references(void)
{
	count = n;
	ALL(i) start(releases, i);
	join_all();
	assert(ready);
}

/* Made once, as long as nobody else looks meanwhile. */
static void *makes(void *x)
{
	if (!shared) {
		int *made = malloc(sizeof(int));
		a++;
		shared = made;
	}
	assert(a == 1);
	return x;
}
static void lazy(void)
{
	n = n < 2 ? 2 : n;
	ALL(i) start(makes, i);
	join_all();
}

/* Money is under way while somebody counts it. */
static void *transfers(void *x)
{
	long i = (long)x;
	hold();
	cells[i]--;
	drop();
	hold();
	cells[(i + 1) % n]++;
	drop();
	return x;
}
static void *audits(void *x)
{
	int sum = 0;
	hold();
	ALL(i) sum += cells[i];
	drop();
	assert(sum == n);
	return x;
}
static void bank(void)
{
	n = n < 2 ? 2 : n;
	ALL(i) cells[i] = 1;
	ALL(i) start(transfers, i);
	start(audits, 0);
	join_all();
}

/* Each takes its own lock, then its neighbour's. */
static void *dines(void *x)
{
	long i = (long)x, k = (i + 1) % n;
	pthread_mutex_lock(&locks[i]);
	pthread_mutex_lock(&locks[k]);
	count++;
	pthread_mutex_unlock(&locks[k]);
	pthread_mutex_unlock(&locks[i]);
	return x;
}
static void pairs(void)
{
	n = n < 2 ? 2 : n;
	ALL(i) pthread_mutex_init(&locks[i], NULL);
	start(dines, 0);
	ALL(i) if (i != 1) start(nothing, i);
	n = 2;
	start(dines, 1);
	join_all();
}

/* Who is told before he waits waits for ever. */
static void *waits(void *x)
{
	hold();
	if (!ready) {
		drop();
		hold();
		pthread_cond_wait(&cond, &lock);
	}
	drop();
	return x;
}
static void *tells(void *x)
{
	hold();
	ready = 1;
	pthread_cond_broadcast(&cond);
	drop();
	return x;
}
static void lost(void)
{
	ALL(i) start(waits, i);
	start(tells, 0);
	join_all();
}

/* Updates are lost only if the slowest one writes last. */
static void *adds(void *x)
{
	int seen = count;
	count = seen + 1;
	return x;
}
static void additions(void)
{
	n = n < 2 ? 2 : n;
	ALL(i) start(adds, i);
	join_all();
	assert(count == n);
}

/* The flag is set before the value that it speaks of. */
static void *produces(void *x)
{
	ready = 1;
	cells[0] = 42;
	return x;
}
static void *consumes(void *x)
{
	if (ready)
		assert(cells[0] == 42);
	return x;
}
static void flags(void)
{
	start(produces, 0);
	ALL(i) start(consumes, i);
	join_all();
}

static const struct {
	const char *name;
	void (*run)(void);
} shapes[] = {
	{ "setters", setters },   { "checkers", checkers },   { "setters_checkers", setters_checkers },
	{ "publish", publish },   { "ring", ring },           { "buffer", buffer },
	{ "stealing", stealing }, { "check_use", check_use }, { "references", references },
	{ "lazy", lazy },         { "bank", bank },           { "pairs", pairs },
	{ "lost", lost },         { "additions", additions }, { "flags", flags },
};

int main(int argc, char **argv)
{
	n = argc > 2 ? atoi(argv[2]) : 2;
	n = n < 1 ? 1 : n < MOST ? n : MOST - 1;
	for (size_t i = 0; argc > 1 && i < sizeof(shapes) / sizeof(*shapes); i++)
		if (!strcmp(argv[1], shapes[i].name)) {
			shapes[i].run();
			return 0;
		}
	return 2;
}
