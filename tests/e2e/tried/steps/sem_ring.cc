// SPDX-License-Identifier: GPL-2.0-or-later
// A bounded buffer with counting semaphores, filled by several producers.
// Bug: the semaphores say that there is room, but not for whom: two producers take the same slot.
#include <array>
#include <atomic>
#include <cassert>
#include <mutex>
#include <numeric>
#include <semaphore>
#include <thread>
#include <vector>

namespace
{

template <typename Item, std::size_t Size> class Ring {
public:
	void push(Item item)
	{
		room_.acquire();
		{
#ifdef FIXED
			std::lock_guard<std::mutex> lock(producers_);
#endif
			slots_[tail_ % Size] = std::move(item);
			tail_++;
		}
		filled_.release();
	}

	Item pop()
	{
		filled_.acquire();
		Item item = std::move(slots_[head_ % Size]);

		head_++;
		room_.release();
		return item;
	}

private:
	std::counting_semaphore<Size> room_{ Size };
	std::counting_semaphore<Size> filled_{ 0 };
	std::array<Item, Size> slots_{};
	std::size_t head_ = 0, tail_ = 0;
#ifdef FIXED
	std::mutex producers_;
#endif
};

struct Order {
	int number = 0;
	int cents = 0;
};

class Shop {
public:
	explicit Shop(Ring<Order, 4> &orders) : orders_(orders)
	{
	}

	void sell(int number, int cents)
	{
		orders_.push({ number, cents });
	}

private:
	Ring<Order, 4> &orders_;
};

class Ledger {
public:
	void book(const Order &order)
	{
		booked_.push_back(order);
	}

	int total() const
	{
		return std::accumulate(booked_.begin(), booked_.end(), 0,
		                       [](int sum, const Order &order) { return sum + order.cents; });
	}

private:
	std::vector<Order> booked_;
};

} // namespace

int main()
{
	Ring<Order, 4> orders;
	Ledger ledger;
	Shop north(orders), south(orders);

	std::thread one([&north] { north.sell(1, 500); });
	std::thread two([&south] { south.sell(2, 700); });
	for (int i = 0; i < 2; i++)
		ledger.book(orders.pop());
	one.join();
	two.join();
	assert(ledger.total() == 1200);
	return 0;
}
