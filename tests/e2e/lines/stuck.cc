/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A circle of two locks, which a library takes for the program. */
#include <mutex>
#include <thread>

struct Account {
	std::mutex mutex;
	long balance = 0;
};

static Account left, right;

static void move(Account &from, Account &to)
{
	std::lock_guard<std::mutex> first(from.mutex); /* SHOWN: locks left.mutex */
	std::lock_guard<std::mutex> second(to.mutex); /* SHOWN: waits for right.mutex */

	from.balance--;
	to.balance++;
}

int main()
{
	std::thread there(move, std::ref(left), std::ref(right)); /* THREAD: 0.0: std::thread running move, stuck.cc: */
	std::thread back(move, std::ref(right), std::ref(left));

	there.join();
	back.join();
}
