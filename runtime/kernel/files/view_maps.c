/* SPDX-License-Identifier: BSD-2-Clause */
#include "view_maps.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base.h"
#include "syscalls.h"
#include "view.h"
#include "view_links.h"

#define PATH_BYTES 4096

static bool shares; /* the program has mapped a file of a tree, to be read and as it changes */

/* Over what is mapped there, from the file that the name leads to now. */
static void map_again(const char *path, uint64_t at, uint64_t size, long prot, long flags, uint64_t offset)
{
	const long fd = sys6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0, 0, 0);

	if (fd < 0)
		return;
	sys6(SYS_mmap, (long)at, (long)size, prot, (flags & ~(long)MAP_FIXED_NOREPLACE) | MAP_FIXED, fd, (long)offset);
	sys3(SYS_close, fd, 0, 0);
}

/* Nothing can have been written to it yet: a private mapping is as good as a shared one. */
static void mapped(const greg_t *g, long result)
{
	static char path[PATH_BYTES];
	const int fd = (int)g[REG_R8];

	if (g[REG_R10] & MAP_ANONYMOUS || (sys3(SYS_fcntl, fd, F_GETFL, 0) & O_ACCMODE) != O_RDONLY ||
	    !vtb_view_descriptor(fd, path) || vtb_view_mount_of(path) < 0)
		return;
	shares |= (g[REG_R10] & MAP_TYPE) != MAP_PRIVATE;
	map_again(path, (uint64_t)result, (uint64_t)g[REG_RSI], g[REG_RDX], g[REG_R10], (uint64_t)g[REG_R9]);
}

/* ---- all mappings, from /proc/self/maps: "start-end r--s offset device inode   path" */

static uint64_t hex(const char **at)
{
	uint64_t n = 0;

	for (;; (*at)++) {
		const char c = **at;

		if (c >= '0' && c <= '9')
			n = 16 * n + (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = 16 * n + (uint64_t)(c - 'a') + 10;
		else
			return n;
	}
}

static void look_at(const char *line)
{
	const char *at = line, *path = strchr(line, '/');
	uint64_t start, end, offset;
	long prot = PROT_READ;

	start = hex(&at);
	at++;
	end = hex(&at);
	if (!path || at[0] != ' ' || at[1] != 'r' || at[2] != '-' || at[4] != 's' || vtb_view_mount_of(path) < 0)
		return;
	prot |= at[3] == 'x' ? PROT_EXEC : 0;
	at += 6;
	offset = hex(&at);
	map_again(path, start, end - start, prot, MAP_SHARED, offset);
}

/* The kernel goes on after the last address that it has told: changes on the way do no harm. */
static void all_again(void)
{
	static char room[2 * PATH_BYTES];
	const long fd = sys6(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0);
	size_t used = 0;
	long n;

	while (fd >= 0 && (n = sys3(SYS_read, fd, (long)(room + used), (long)(sizeof(room) - 1 - used))) > 0) {
		char *line = room, *end;

		room[used + (size_t)n] = 0;
		for (; (end = strchr(line, '\n')); line = end + 1) {
			*end = 0;
			look_at(line);
		}
		used = strlen(line);
		memmove(room, line, used);
	}
	if (fd >= 0)
		sys3(SYS_close, fd, 0, 0);
}

void vtb_view_maps_made(const greg_t *g, long result)
{
	const struct vtb_syscall *row = vtb_syscall_row(g[REG_RAX]);

	if (g[REG_RAX] == SYS_mmap)
		mapped(g, result);
	else if (shares && row->place != PLACE_NOT && vtb_view_copies_up(row, g))
		all_again();
}
