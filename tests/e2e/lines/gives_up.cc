/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HEADLINE: fatal: data was not there (aborted at gives_up.cc:15) */
/* SAID: fatal: data was not there */
#include <cstdio>
#include <cstdlib>
#include <thread>

static int ready, data;

static void check(bool ok)
{
	if (ok)
		return;
	std::fputs("fatal: data was not there\n", stderr);
	std::abort();
}

static void produce()
{
	ready = 1; /* SHOWN: writes ready = 1 */
	data = 42;
}

int main()
{
	std::thread producer(produce); /* THREAD: 0.0: std::thread running produce, gives_up.cc:18 */

	if (ready)
		check(data == 42); /* SHOWN: reads data = 0 */
	producer.join();
}
