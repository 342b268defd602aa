/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HEADLINE: uncaught exception std::out_of_range: nothing left: 0, thrown at stock.cc:23 */
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

class Stock
{
    public:
	bool any()
	{
		std::lock_guard<std::mutex> guard(mutex_);

		return left_ > 0; /* SHOWN: reads stock.left_ = 1 */
	}

	void take()
	{
		std::lock_guard<std::mutex> guard(mutex_);

		if (left_ == 0)
			throw std::out_of_range("nothing left: " + std::to_string(left_));
		left_--; /* SHOWN: writes stock.left_ = 0 */
	}

    private:
	std::mutex mutex_;
	int left_ = 1;
};

int main()
{
	Stock stock;
	auto buy = [&] {
		if (stock.any())
			stock.take();
	};
	std::thread first(buy), second(buy);

	first.join();
	second.join();
}
