// SPDX-License-Identifier: GPL-2.0-or-later
// A configuration that many read and one changes: readers look at a version before and after (a sequence lock).
// Bug: the writer raises the version only when it is done, so that who reads in between does not notice.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

namespace
{

struct Limits {
	int low = 0, high = 0;

	bool valid() const
	{
		return low <= high;
	}
};

class Config {
public:
	Config(int low, int high)
	{
		low_.store(low);
		high_.store(high);
	}

	Limits read() const
	{
		for (;;) {
			const unsigned before = version_.load();
#ifdef FIXED
			if (before % 2) {
				std::this_thread::yield();
				continue;
			}
#endif
			const Limits limits = { low_.load(), high_.load() };

			if (version_.load() == before)
				return limits;
		}
	}

	void change(int low, int high)
	{
		std::lock_guard<std::mutex> lock(writers_);

#ifdef FIXED
		version_++;
#endif
		low_.store(low);
		high_.store(high);
		version_++;
	}

private:
	std::mutex writers_;
	std::atomic<unsigned> version_{ 0 };
	std::atomic<int> low_{ 0 }, high_{ 0 };
};

class Thermostat {
public:
	explicit Thermostat(const Config &config) : config_(config)
	{
	}

	// Heats when it is colder than this.
	int set_point() const
	{
		const Limits limits = config_.read();

		assert(limits.valid());
		return (limits.low + limits.high) / 2;
	}

private:
	const Config &config_;
};

} // namespace

int main()
{
	Config config(18, 20);
	Thermostat thermostat(config);
	std::thread operator_panel([&config] { config.change(22, 24); });
	const int celsius = thermostat.set_point();

	operator_panel.join();
	assert(celsius == 19 || celsius == 23);
	return 0;
}
