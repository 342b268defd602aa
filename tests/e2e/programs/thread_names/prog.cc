/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread_names HOW [correct]: two threads count without a lock, and have names. HOW, who gives them: self, other,
 * prctl, call (the system call), none. With "late" a thread asks for the name that main gives it, and main may be
 * late.
 */
#include <cassert>
#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

static std::string how;
static int lines;

static std::string name_of(pthread_t thread)
{
	char text[16];

	assert(pthread_getname_np(thread, text, 15) == ERANGE);
	assert(pthread_getname_np(thread, text, sizeof(text)) == 0);
	return text;
}

static void name_myself(const char *name)
{
	char text[16] = "";

	if (how == "self")
		assert(pthread_setname_np(pthread_self(), name) == 0);
	if (how == "prctl")
		assert(prctl(PR_SET_NAME, name) == 0);
	if (how == "call")
		assert(syscall(SYS_prctl, PR_SET_NAME, name, 0, 0, 0) == 0);
	if (how == "self" || how == "prctl" || how == "call")
		assert(name_of(pthread_self()) == name && prctl(PR_GET_NAME, text) == 0 && !strcmp(text, name));
}

struct Reader {
	const char *name;

	void read()
	{
		name_myself(name);
		const int seen = lines;
		lines = seen + 1;
	}
};

static void knows_its_name()
{
	assert(name_of(pthread_self()) == "late");
}

static int late()
{
	std::thread reader(knows_its_name);

	pthread_setname_np(reader.native_handle(), "late");
	reader.join();
	return 0;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "none";
	if (how == "late")
		return late();
	Reader first{ "first reader" }, second{ "second \"reader\"" };
	const std::string mine = name_of(pthread_self());
	std::thread one(&Reader::read, &first), two(&Reader::read, &second);

	if (how == "other") {
		assert(pthread_setname_np(one.native_handle(), "a name of sixteen") == ERANGE);
		pthread_setname_np(one.native_handle(), first.name);
		pthread_setname_np(two.native_handle(), second.name);
	}
	one.join();
	two.join();
	assert(name_of(pthread_self()) == mine);
	assert(argc > 2 || lines == 2);
	return 0;
}
