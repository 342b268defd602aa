#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""data_first.py BIN_DIR CC CXX: where orders of data make a program fail, these are the first cause, not orders in which threads take the locks around them, nor what a third
thread has to do with it."""
import shlex

from e2e import Place, check, hooked, main

# Whoever waits for an empty queue goes on while the last job is still being done.
BATCH = """#include <pthread.h>
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, results = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int waiting, finished, over;

static void *serve(void *arg)
{
	pthread_mutex_lock(&queue);
	while (1) {
		while (!waiting && !over)
			pthread_cond_wait(&filled, &queue);
		if (!waiting)
			break;
		if (--waiting == 0)
			pthread_cond_broadcast(&emptied);
		pthread_mutex_unlock(&queue);
		pthread_mutex_lock(&results);
		finished++;
		pthread_mutex_unlock(&results);
		pthread_mutex_lock(&queue);
	}
	pthread_mutex_unlock(&queue);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	int seen;

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, serve, NULL);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&queue);
		waiting++;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&queue);
	}
	pthread_mutex_lock(&queue);
	while (waiting)
		pthread_cond_wait(&emptied, &queue);
	pthread_mutex_unlock(&queue);
	pthread_mutex_lock(&results);
	seen = finished;
	pthread_mutex_unlock(&results);
	pthread_mutex_lock(&queue);
	over = 1;
	pthread_cond_broadcast(&filled);
	pthread_mutex_unlock(&queue);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return seen != 3;
}
"""

# A number is looked at by one method and counted up by the next.
TICKETS = """#include <cassert>
#include <mutex>
#include <set>
#include <thread>
class Number {
public:
	int look() { std::lock_guard<std::mutex> g(m_); return number_; }
	void change(int to) { std::lock_guard<std::mutex> g(m_); number_ = to; }
private:
	std::mutex m_;
	int number_ = 1;
};
class Sold {
public:
	void add(int ticket) { std::lock_guard<std::mutex> g(m_); bool first = tickets_.insert(ticket).second; assert(first); (void)first; }
private:
	std::mutex m_;
	std::set<int> tickets_;
};
static Number number;
static Sold sold;
static void sell()
{
	for (int i = 0; i < 2; i++) {
		int ticket = number.look();
		number.change(ticket + 1);
		sold.add(ticket);
	}
}
int main() { std::thread a(sell), b(sell), c(sell); a.join(); b.join(); c.join(); }
"""


def check_program(place, name, text, compiler, variables, says):
    source = name + (".c" if "pthread.h" in text else ".cc")
    with open(place.path(source), "w", encoding="utf-8") as f:
        f.write(text)
    place.run(*hooked("tsan", shlex.split(compiler)), "-g", "-O1", "-o", name, source, "-pthread", expect=0)
    ran = place.run("vtb", "hunt", "--json", "--refine=30", "--", "./" + name, timeout=200, expect=1)
    first = ran.json()["findings"][0]["cores"][0]
    ends = [lit[end] for lit in first["literals"] for end in ("before", "after")]
    check({e["variable"] for e in ends} == variables, f"{name}: another cause: {first['literals']}", ran)
    check(all(e["kind"] in ("read", "write") for e in ends), f"{name}: orders of locks: {first['literals']}", ran)
    check(len({e["thread"] for e in ends}) == 2, f"{name}: more than two threads: {first['literals']}", ran)
    check(says in first.get("detail", ""), f"{name}: not said: {says!r}, but {first.get('detail')!r}", ran)


def test(bin_dir, cc, cxx):
    with Place(bin_dir) as place:
        check_program(place, "batch", BATCH, cc, {"waiting", "finished"}, "lets 0 go on too early")
        check_program(place, "tickets", TICKETS, cxx, {"number.number_"}, "")


main(test)
