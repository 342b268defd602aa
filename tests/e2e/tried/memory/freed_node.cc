// SPDX-License-Identifier: GPL-2.0-or-later
// A stack without locks; whoever takes a node frees it, and the next one looks at what follows it.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

namespace
{

struct Node {
	int value;
	Node *next;
};

class Stack
{
public:
	~Stack()
	{
		while (Node *n = head_) {
			head_ = n->next;
			delete n;
		}
		for (Node *n : taken_)
			delete n;
	}

	void push(int value)
	{
		Node *n = new Node{ value, head_.load() };
		while (!head_.compare_exchange_weak(n->next, n)) {
		}
	}

	int pop()
	{
		Node *n = head_.load();
		while (n && !head_.compare_exchange_weak(n, n->next)) {
		}
		if (!n)
			return 0;
		const int value = n->value;
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
		taken_.push_back(n);
#else
		delete n;
#endif
		return value;
	}

private:
	std::atomic<Node *> head_{ nullptr };
	std::mutex mutex_;
	std::vector<Node *> taken_;
};

} // namespace

int main()
{
	Stack stack;
	std::atomic<int> sum{ 0 };

	for (int i = 1; i <= 3; i++)
		stack.push(i);
	std::thread first([&] { sum += stack.pop(); });
	std::thread second([&] { sum += stack.pop(); });
	std::thread third([&] { sum += stack.pop(); });
	first.join();
	second.join();
	third.join();
	assert(sum == 6);
}
