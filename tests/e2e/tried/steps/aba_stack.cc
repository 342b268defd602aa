// SPDX-License-Identifier: GPL-2.0-or-later
// A lock-free stack with a free list: a node that went and came back is taken for the same.
#include <atomic>
#include <cstdio>
#include <thread>

struct Node {
	int value;
	std::atomic<int> next;
};

static Node nodes[3];

class Stack {
public:
	void push(int n)
	{
		unsigned long top = top_.load();
		unsigned long want;
		do {
			nodes[n].next = index(top);
			want = make(n, top);
		} while (!top_.compare_exchange_strong(top, want));
	}
	int pop()
	{
		unsigned long top = top_.load();
		while (index(top) >= 0) {
			int next = nodes[index(top)].next;
			if (top_.compare_exchange_strong(top, make(next, top)))
				return index(top);
		}
		return -1;
	}

private:
	static int index(unsigned long top) { return (int)(top & 0xff) - 1; }
#ifdef FIXED // a count of changes beside the index
	static unsigned long make(int n, unsigned long old) { return ((old >> 8) + 1) << 8 | (unsigned long)(n + 1); }
#else
	static unsigned long make(int n, unsigned long) { return (unsigned long)(n + 1); }
#endif
	std::atomic<unsigned long> top_{ 0 };
};

int main()
{
	Stack stack;
	int got[2] = { -1, -1 };
	for (int i = 0; i < 3; i++)
		stack.push(i);
	std::thread a([&] { got[0] = stack.pop(); });
	std::thread b([&] {
		int first = stack.pop();
		int second = stack.pop();
		if (first >= 0)
			stack.push(first);
		got[1] = second;
	});
	a.join();
	b.join();
	int seen[3] = { 0, 0, 0 };
	for (int n : got)
		if (n >= 0)
			seen[n]++;
	for (int n = stack.pop(); n >= 0; n = stack.pop())
		if (++seen[n] > 1)
			break;
	for (int n : seen)
		if (n != 1) {
			std::fprintf(stderr, "a node is there %d times\n", n);
			return 1;
		}
}
