/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asserted has gone an unusual way, in the standard library of C++. */
#include <algorithm>
#include <deque>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "flow.h"

#if WAY == 1 /* a map */
static std::map<int, int> all;
static int flow(int v)
{
	all[5] = 9;
	all[7] = v;
	all[3] = 9;
	return all.find(7)->second;
}
#elif WAY == 2 /* the order of a map */
static int flow(int v)
{
	std::map<std::string, int> all;

	all[v == 1 ? "a" : "z"] = 1;
	all["m"] = 2;
	return all.begin()->second;
}
#elif WAY == 3 /* a hash table */
static std::unordered_map<std::string, int> all;
static int flow(int v)
{
	for (int i = 0; i < 40; i++)
		all[std::to_string(i)] = i;
	all["20"] = v;
	return all.at("20");
}
#elif WAY == 4 /* how much a set holds */
static int flow(int v)
{
	std::set<int> all{ 1 };

	all.insert(v);
	return static_cast<int>(all.size());
}
#elif WAY == 5 /* text that is joined and read again */
static std::string text;
static int flow(int v)
{
	text = "value ";
	text += std::to_string(v);
	text.append(40, ' ');
	return std::stoi(text.substr(6));
}
#elif WAY == 6 /* where text is found */
static int flow(int v)
{
	std::string text(v, 'a');

	text += "bc";
	return static_cast<int>(text.find("bc"));
}
#elif WAY == 7 /* a stream in memory */
static int flow(int v)
{
	std::stringstream s;
	int got = 9;

	s << "v=" << v;
	s.ignore(2);
	s >> got;
	return got;
}
#elif WAY == 8 /* a thread's result */
static int flow(int v)
{
	std::promise<int> p;
	std::future<int> f = p.get_future();
	std::thread t([&p, v] { p.set_value(v); });

	t.join();
	return f.get();
}
#elif WAY == 9 /* what a thread is given */
static int given;
static int flow(int v)
{
	std::thread t([](const std::vector<int> &all) { given = all[2]; }, std::vector<int>{ 8, 9, v });

	t.join();
	return given;
}
#elif WAY == 10 /* a thread's own object */
struct Own {
	std::string text;
};
static thread_local Own own;
static int flow(int v)
{
	own.text.assign(1, static_cast<char>('0' + v));
	return own.text[0] - '0';
}
#elif WAY == 11 /* std::call_once */
static int chosen;
static int flow(int v)
{
	std::once_flag once;

	std::call_once(once, [v] { chosen = v; });
	return chosen;
}
#elif WAY == 12 /* sorted by what is written elsewhere */
static int rule;
static int flow(int v)
{
	std::vector<int> all{ 2, 1 };

	rule = v;
	std::sort(all.begin(), all.end(), [](int a, int b) { return rule == 1 ? a < b : a > b; });
	return all[0];
}
#elif WAY == 13 /* a list */
static std::list<int> all;
static int flow(int v)
{
	all.push_back(9);
	all.push_front(v);
	return *all.begin();
}
#elif WAY == 14 /* a queue that grows */
static int flow(int v)
{
	std::deque<int> all;

	for (int i = 0; i < 300; i++)
		all.push_back(i == 150 ? v : 9);
	return all[150];
}
#endif
