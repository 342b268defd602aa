/* SPDX-License-Identifier: GPL-2.0-or-later */
// A gate that several threads wait at: it is opened for one of them.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

class Gate {
public:
	void open()
	{
		open_.store(1);
#ifdef FIXED
		open_.notify_all();
#else
		open_.notify_one();
#endif
	}

	void pass()
	{
		while (open_.load() == 0)
			open_.wait(0);
	}

private:
	std::atomic<int> open_{ 0 };
};

int main()
{
	Gate gate;
	int passed[2] = { 0, 0 };
	std::vector<std::thread> cars;

	for (int &p : passed)
		cars.emplace_back([&gate, &p] {
			gate.pass();
			p = 1;
		});
	gate.open();
	for (std::thread &car : cars)
		car.join();
	assert(passed[0] && passed[1]);
}
