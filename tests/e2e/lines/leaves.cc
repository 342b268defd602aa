/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HEADLINE: exit status 1 */
/* SAID: seats 8 */
#include <cstdio>
#include <string>
#include <thread>

static int seats = 9;

static void sell()
{
	const int left = seats - 1;

	seats = left; /* SHOWN: writes seats = 8 */
}

int main()
{
	std::thread door(sell), desk(sell);

	door.join();
	desk.join();
	const std::string left = std::to_string(seats);
	if (left != "7") {
		std::fprintf(stderr, "seats %s\n", left.c_str());
		return 1;
	}
	return 0;
} /* SHOWN: ends the process */
