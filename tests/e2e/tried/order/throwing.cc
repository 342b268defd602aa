// SPDX-License-Identifier: GPL-2.0-or-later
// A parser thread throws when the input is closed before it looked.
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

struct Input {
	std::atomic<bool> open{ true };
	std::string read()
	{
		if (!open)
			throw std::runtime_error("read from a closed input");
		return "line";
	}
};

int main()
{
	Input input;
	std::thread parser([&] { input.read(); });
#ifdef FIXED
	parser.join();
	input.open = false;
#else
	input.open = false;
	parser.join();
#endif
}
