/* SPDX-License-Identifier: GPL-2.0-or-later */
/* __thread and C++ thread_local with constructors and destructors, pthread keys with destructors, errno: each thread its own. */
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static int alive, constructed, destroyed, keys_destroyed, sum;
static __thread int plain = 7;
static __thread char zeroed[5000];
static pthread_key_t key;

struct Local {
	std::string text;
	Local() : text("local")
	{
		std::lock_guard<std::mutex> guard(lock);
		constructed++;
		alive++;
	}
	~Local()
	{
		std::lock_guard<std::mutex> guard(lock);
		destroyed++;
		alive--;
	}
};
static thread_local Local local;

static void key_ends(void *value)
{
	std::lock_guard<std::mutex> guard(lock);
	keys_destroyed++;
	sum += *static_cast<int *>(value);
	delete static_cast<int *>(value);
}

static bool all_zero()
{
	for (char c : zeroed)
		if (c)
			return false;
	return true;
}

static void work(int number)
{
	bool good = plain == 7 && all_zero() && local.text == "local" && !pthread_getspecific(key);

	plain += number;
	memset(zeroed, number, sizeof(zeroed));
	local.text += std::to_string(number);
	pthread_setspecific(key, new int(number));
	errno = 100 + number;
	for (int i = 0; i < 5; i++) {
		std::this_thread::yield();
		good = good && errno == 100 + number && plain == 7 + number && zeroed[4999] == number && local.text == "local" + std::to_string(number);
		good = good && *static_cast<int *>(pthread_getspecific(key)) == number;
	}
	std::lock_guard<std::mutex> guard(lock);
	if (!good)
		printf("thread %d sees what is not its own\n", number);
}

int main()
{
	std::vector<std::thread> threads;

	pthread_key_create(&key, key_ends);
	for (int i = 1; i <= 4; i++)
		threads.emplace_back(work, i);
	for (auto &t : threads)
		t.join();
	printf("constructed %d, destroyed %d, alive %d, keys destroyed %d, sum %d, main has %d\n", constructed, destroyed, alive, keys_destroyed, sum, plain);
	return 0;
}
