// SPDX-License-Identifier: GPL-2.0-or-later
// A board of players' scores, sorted by score.
// Bug: a reference to a player's row is kept when the lock is let go; rows move when others join.
#include <algorithm>
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

struct Row {
	std::string player;
	int score = 0;
};

class Scoreboard {
public:
	void join(const std::string &player)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		rows_.push_back({ player, 0 });
	}

	void add(const std::string &player, int points)
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
		find(player).score += points;
#else
		Row &row = row_of(player);

		row.score += points;
#endif
	}

	std::vector<Row> ranking() const
	{
		std::lock_guard<std::mutex> lock(mutex_);
		std::vector<Row> sorted = rows_;

		std::sort(sorted.begin(), sorted.end(), [](const Row &a, const Row &b) { return a.score > b.score; });
		return sorted;
	}

private:
	Row &find(const std::string &player)
	{
		return *std::find_if(rows_.begin(), rows_.end(), [&player](const Row &row) { return row.player == player; });
	}

#ifndef FIXED
	Row &row_of(const std::string &player)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		return find(player);
	}
#endif

	mutable std::mutex mutex_;
	std::vector<Row> rows_;
};

class Game {
public:
	explicit Game(Scoreboard &board) : board_(board)
	{
	}

	void play(const std::string &player)
	{
		for (int round = 1; round <= 2; round++)
			board_.add(player, round);
	}

private:
	Scoreboard &board_;
};

} // namespace

int main()
{
	Scoreboard board;
	Game game(board);

	board.join("ann");
	std::thread player([&game] { game.play("ann"); });
	board.join("bob");
	player.join();

	const auto ranking = board.ranking();
	assert(ranking.size() == 2);
	assert(ranking[0].score == 3);
	return 0;
}
