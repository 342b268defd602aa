// SPDX-License-Identifier: GPL-2.0-or-later
// Map and reduce over a text: splitters, counters with maps of their own, one that merges; ordered output.
#include <algorithm>
#include <cassert>
#include <cctype>
#include <future>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using counts = std::map<std::string, int>;

static std::vector<std::string_view> split(std::string_view text, size_t parts)
{
	std::vector<std::string_view> all;

	while (!text.empty() && parts) {
		size_t n = text.size() / parts--;
		while (n < text.size() && !std::isspace(static_cast<unsigned char>(text[n])))
			n++;
		all.push_back(text.substr(0, n));
		text.remove_prefix(n);
	}
	return all;
}

static counts count(std::string_view part)
{
	std::istringstream in{std::string(part)};
	std::string word;
	counts result;

	while (in >> word) {
		std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
		result[word]++;
	}
	return result;
}

static void merge(counts &into, counts &&from)
{
	while (!from.empty()) {
		auto node = from.extract(from.begin());
		auto [at, inserted, rest] = into.insert(std::move(node));
		if (!inserted)
			at->second += rest.mapped();
	}
}

int main()
{
	const std::string text = "The quick fox and the lazy dog and the quick end";
	std::vector<std::future<counts>> parts;
	counts total;

	for (auto part : split(text, 3))
		parts.push_back(std::async(std::launch::async, count, part));
	for (auto &part : parts)
		merge(total, part.get());
	assert(total["the"] == 3 && total["quick"] == 2 && total["and"] == 2 && total["end"] == 1);
	std::ostringstream out;
	for (auto &[word, n] : total)
		out << word << '=' << n << ' ';
	assert(out.str() == "and=2 dog=1 end=1 fox=1 lazy=1 quick=2 the=3 ");
	std::cout << out.str() << '\n';
}
