// SPDX-License-Identifier: GPL-2.0-or-later
// Futures with continuations: what is to be done with a value is done when it is there.
// Bug: whether the value is there is asked before the lock is taken under which continuations are left.
#include <atomic>
#include <cassert>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

template <typename T> class State {
public:
	using Continuation = std::function<void(const T &)>;

	void set(T value)
	{
		std::vector<Continuation> continuations;

		{
			std::lock_guard<std::mutex> lock(mutex_);
			value_ = std::move(value);
			ready_ = true;
			continuations.swap(continuations_);
		}
		for (const auto &continuation : continuations)
			continuation(*value_);
	}

	void then(Continuation continuation)
	{
#ifdef FIXED
		std::unique_lock<std::mutex> lock(mutex_);
		if (!ready_) {
			continuations_.push_back(std::move(continuation));
			return;
		}
		lock.unlock();
#else
		if (!ready_) {
			std::lock_guard<std::mutex> lock(mutex_);
			continuations_.push_back(std::move(continuation));
			return;
		}
#endif
		continuation(*value_);
	}

private:
	std::mutex mutex_;
	std::optional<T> value_;
	std::atomic<bool> ready_{ false };
	std::vector<Continuation> continuations_;
};

template <typename T> class Future {
public:
	explicit Future(std::shared_ptr<State<T>> state) : state_(std::move(state))
	{
	}

	template <typename F> auto then(F function) const
	{
		using Result = decltype(function(std::declval<T>()));
		auto next = std::make_shared<State<Result>>();

		state_->then([next, function](const T &value) { next->set(function(value)); });
		return Future<Result>(next);
	}

	void done(std::function<void(const T &)> function) const
	{
		state_->then(std::move(function));
	}

private:
	std::shared_ptr<State<T>> state_;
};

} // namespace

int main()
{
	auto state = std::make_shared<State<int>>();
	const Future<int> answer(state);
	std::string shown;
	std::thread worker([state] { state->set(42); });

	answer.then([](int value) { return std::to_string(value); }).done([&shown](const std::string &text) { shown = text; });
	worker.join();
	assert(shown == "42");
	return 0;
}
