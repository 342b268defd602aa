/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that the program has opened before main: its processes that are forked there share them, and what one run does
 * to them, its place in them included, is there in the next. What vtb has open, too, is not the program's.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process_private.h"

#define LINK_MAX_BYTES 4200

static bool is_kept_state(const char *what)
{
	static const char *const kinds[] = { "socket:", "pipe:", "anon_inode:[eventfd]", "anon_inode:[timerfd]" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strncmp(what, kinds[i], strlen(kinds[i])) == 0)
			return true;
	return *what == '/' && strncmp(what, "/dev/", 5) != 0 && strncmp(what, "/proc/", 6) != 0 &&
	       strncmp(what, "/sys/", 5) != 0;
}

/* "" if it cannot be told. */
static void read_what(const char *dir, const char *name, char *ret)
{
	char path[300];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	n = readlink(path, ret, LINK_MAX_BYTES - 1);
	ret[n > 0 ? n : 0] = '\0';
}

static bool is_ours(const char *what)
{
	DIR *own = opendir("/proc/self/fd");
	char other[LINK_MAX_BYTES];
	bool same = false;

	for (struct dirent *e; own && !same && (e = readdir(own));) {
		read_what("/proc/self/fd", e->d_name, other);
		same = strcmp(what, other) == 0;
	}
	if (own)
		closedir(own);
	return same;
}

bool vtb_holds_files(pid_t pid)
{
	char dir[40], what[LINK_MAX_BYTES];
	bool holds = false;
	DIR *fds;

	snprintf(dir, sizeof(dir), "/proc/%d/fd", (int)pid);
	fds = opendir(dir);
	for (struct dirent *e; fds && !holds && (e = readdir(fds));) {
		read_what(dir, e->d_name, what);
		holds = is_kept_state(what) && !is_ours(what);
	}
	if (fds)
		closedir(fds);
	return holds;
}
