// SPDX-License-Identifier: GPL-2.0-or-later
// keeps [N]: main fills a list and an index of strings, as a cache would; then one thread reads what another one throws
// away.
#include <list>
#include <string>
#include <thread>
#include <unordered_map>

namespace {
using entries = std::list<std::pair<std::string, std::string>>;

entries kept;
std::unordered_map<std::string, entries::iterator> places;

void put(const std::string &id, const std::string &value)
{
	if (kept.size() == 2) {
		places.erase(kept.back().first);
		kept.pop_back();
	}
	kept.emplace_front(id, value);
	places[id] = kept.begin();
}
} // namespace

int main(int argc, char **argv)
{
	const int n = argc > 1 ? std::stoi(argv[1]) : 50;

	for (int i = 0; i < n; i++)
		put("warm" + std::to_string(i), std::string(40, 'w'));
	put("last", std::string(40, 'l'));
	std::thread reader([] { return places["last"]->second.size(); });
	std::thread writer([] {
		put("one", std::string(40, '1'));
		put("two", std::string(40, '2'));
	});
	reader.join();
	writer.join();
	return 0;
}
