/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What loads_plugin.c loads. */
#include <assert.h>

int report(int v);
int plugin_value;
static int *watched;

void plugin_check(const int *at)
{
	assert(*at != 1);
}

int plugin_give(int v)
{
	return v;
}

int plugin_tell(int v)
{
	return report(v);
}

int plugin_get(void)
{
	return plugin_value;
}

void plugin_watch(int *at)
{
	watched = at;
}

__attribute__((destructor)) static void at_end(void)
{
	assert(!watched || *watched != 1);
}
