/* SPDX-License-Identifier: GPL-2.0-or-later */
// A reader indexes a table whose size the loader sets last; too early, at() throws and nobody catches it.
#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

std::atomic<unsigned> size{0};
int table[4];

int at(unsigned index)
{
	if (index >= size.load())
		throw std::out_of_range("index beyond the table");
	return table[index];
}

void load()
{
	for (unsigned i = 0; i < 4; i++)
		table[i] = static_cast<int>(i) + 1;
	size = 4;
}

// Takes a moment, without any visible operation, so that a free run passes.
void warm_up()
{
	for (int i = 0; i < 400000; i++)
		__asm__ volatile("");
}

void read_last()
{
	warm_up();
	at(3);
}

} // namespace

int main()
{
	std::thread loader(load);
	std::thread reader(read_last);

	loader.join();
	reader.join();
	return 0;
}
