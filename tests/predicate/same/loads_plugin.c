/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that is loaded while the program runs asserts, hands on, calls back, holds or watches what threads wrote. */
#include "two.h"

#include <dlfcn.h>

static int x, told;
static int *to = &x;

int report(int v)
{
	told = v;
	return 0;
}

static void one(void)
{
	*to = 1;
}

static void two(void)
{
	*to = 2;
}

static void *find(const char *name)
{
	static void *plugin;

	if (!plugin)
		plugin = dlopen("./plugin.so", RTLD_NOW);
	if (!plugin)
		exit(9);
	return dlsym(plugin, name);
}

int main(void)
{
#if HOW == 1
	both();
	((void (*)(const int *))find("plugin_check"))(&x);
#elif HOW == 2
	both();
	assert(((int (*)(int))find("plugin_give"))(x) != 1);
#elif HOW == 3
	both();
	((int (*)(int))find("plugin_tell"))(x);
	assert(told != 1);
#elif HOW == 4
	to = find("plugin_value");
	both();
	assert(((int (*)(void))find("plugin_get"))() != 1);
#elif HOW == 5
	((void (*)(int *))find("plugin_watch"))(&x);
	both();
#endif
	return 0;
}
