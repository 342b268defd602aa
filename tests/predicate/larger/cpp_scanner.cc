/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scanner in C++: threads take documents from a queue, look for words in each, count what they find, and put those
 * with matches into a list of results. Workers are woken when there is work, and told when there is none left.
 */
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{

struct Document {
	std::string name, text;
};

struct Match {
	std::string word;
	std::size_t offset;
};

struct Result {
	std::string name;
	std::vector<Match> matches;
};

/* Documents that wait to be scanned. */
class Queue
{
public:
	void put(Document document)
	{
		std::lock_guard<std::mutex> guard(lock);

		assert(!closed);
		documents.push_back(std::move(document));
		changed.notify_one();
	}

	void close()
	{
		std::lock_guard<std::mutex> guard(lock);

		closed = true;
		changed.notify_all();
	}

	/* False: there is none left. */
	bool take(Document &ret)
	{
		std::unique_lock<std::mutex> guard(lock);

		changed.wait(guard, [this] { return closed || !documents.empty(); });
		if (documents.empty())
			return false;
		ret = std::move(documents.front());
		documents.pop_front();
		taken++;
		return true;
	}

	unsigned how_many() const { return taken; }

private:
	std::mutex lock;
	std::condition_variable changed;
	std::deque<Document> documents;
	bool closed = false;
	unsigned taken = 0;
};

/* What is told at the end: nothing depends on it. */
class Statistics
{
public:
	void add(const Document &document, const std::vector<Match> &matches)
	{
		std::lock_guard<std::mutex> guard(lock);

		bytes += document.text.size();
		for (char c : document.text)
			lines += c == '\n';
		if (document.text.size() > largest_size) {
			largest_size = document.text.size();
			largest = document.name;
		}
		for (const Match &m : matches)
			words[m.word]++;
	}

	void print() const
	{
		std::printf("%zu bytes, %zu lines, the largest is %s\n", bytes, lines, largest.c_str());
		for (const auto &word : words)
			std::printf("%s: %u time(s)\n", word.first.c_str(), word.second);
	}

private:
	std::mutex lock;
	std::size_t bytes = 0, lines = 0, largest_size = 0;
	std::string largest;
	std::map<std::string, unsigned> words;
};

class Results
{
public:
	void add(Result result)
	{
		std::lock_guard<std::mutex> guard(lock);

		all.push_back(std::move(result));
	}

	std::size_t size() const { return all.size(); }

	void print() const
	{
		for (const Result &r : all) {
			std::printf("%s:", r.name.c_str());
			for (const Match &m : r.matches)
				std::printf(" %s at %zu", m.word.c_str(), m.offset);
			std::printf("\n");
		}
	}

private:
	std::mutex lock;
	std::vector<Result> all;
};

class Scanner
{
public:
	Scanner(Queue &from, std::vector<std::string> wanted) : queue(from), words(std::move(wanted))
	{
		if (words.empty())
			throw std::invalid_argument("nothing to look for");
	}

	void work()
	{
		Document document;

		while (queue.take(document)) {
			std::vector<Match> matches = scan(document);

			assert(matches.size() <= document.text.size());
			statistics.add(document, matches);
			if (!matches.empty())
				results.add(Result{ document.name, std::move(matches) });
		}
	}

	void print() const
	{
		statistics.print();
		results.print();
	}

	std::size_t found() const { return results.size(); }

private:
	std::vector<Match> scan(const Document &document) const
	{
		std::vector<Match> matches;

		for (const std::string &word : words)
			for (std::size_t at = document.text.find(word); at != std::string::npos;
			     at = document.text.find(word, at + word.size())) {
				assert(at + word.size() <= document.text.size());
				matches.push_back(Match{ word, at });
			}
		return matches;
	}

	Queue &queue;
	const std::vector<std::string> words;
	Statistics statistics;
	Results results;
};

} // namespace

int main()
{
	Queue queue;
	Scanner scanner(queue, { "bug", "fix" });
	std::vector<std::thread> threads;

	for (int i = 0; i < 2; i++)
		threads.emplace_back([&scanner] { scanner.work(); });
	queue.put({ "notes", "buy milk\nfix the bug\n" });
	queue.put({ "main", "int main() { return 0; }\n" });
	queue.close();
	for (std::thread &t : threads)
		t.join();
	assert(queue.how_many() == 2);
	assert(scanner.found() <= 2);
	scanner.print();
	return 0;
}
