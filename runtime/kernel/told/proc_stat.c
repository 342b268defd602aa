/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What /proc/PID/stat says of the program itself and of its parent (proc(5)). Each run is told the same: ids as
 * getpid() and getppid() tell them, one name for whoever is the parent, and 0 for what the kernel counts, as it says of
 * what it does not know. What comes of it stands in a file in memory, in the place of the descriptor.
 *
 *     4711 (prog) R 4702 4700 ...       becomes       2000 (prog) R 1000 0 ...
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base.h"
#include "syscalls.h"

#define ROOM 2048u
#define PARENT "(vtb) "
#define FIELDS_MAX 64u

/* Fields of the program itself that differ from run to run, behind state and ppid (3 and 4). */
static const uint8_t zero[] = { 5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 21,
	                        22, 23, 24, 29, 30, 31, 32, 33, 34, 35, 39, 42, 43, 44 };

static bool is_counted(unsigned field)
{
	for (size_t i = 0; i < sizeof(zero) / sizeof(*zero); i++)
		if (zero[i] == field)
			return true;
	return false;
}

static char *put_text(char *to, const char *text, size_t n)
{
	memcpy(to, text, n);
	return to + n;
}

/* A parent's parent is nobody that the program knows, and where a parent's memory lies is its own affair. */
static char *put_field(char *to, unsigned field, const char *text, size_t n, bool own)
{
	if (field == 3)
		return put_text(to, own ? "R" : "S", 1);
	if (field == 4)
		return vtb_ids_put(to, own ? vtb_ids_tell_parent() : 0);
	if (field == 20) /* how many threads there are is a matter of their order, which no operation here would tell */
		return put_text(to, "1", 1);
	return !own || is_counted(field) ? put_text(to, "0", 1) : put_text(to, text, n);
}

/* Behind the name, which may have any letter in it. */
static char *put_fields(char *to, const char *from, const char *end, bool own)
{
	for (unsigned field = 3; from < end && *from != '\n' && field < FIELDS_MAX; field++) {
		const char *next = from;

		while (next < end && *next != ' ' && *next != '\n')
			next++;
		to = put_field(to, field, from, (size_t)(next - from), own);
		*to++ = next < end ? *next : '\n';
		from = next + 1;
	}
	return to;
}

/* What is told in its place; 0: it is not what was expected. */
static size_t tell(const char *text, size_t n, bool own, char *ret)
{
	const char *name = text, *behind = text + n;
	char *to = ret;

	while (name < text + n && *name != '(')
		name++;
	while (behind > name && behind[-1] != ')')
		behind--;
	if (behind == name || behind + 1 >= text + n)
		return 0;
	to = vtb_ids_put(to, own ? vtb_ids_tell_process() : vtb_ids_tell_parent());
	*to++ = ' ';
	to = own ? put_text(to, name, (size_t)(behind - name) + 1) : put_text(to, PARENT, sizeof(PARENT) - 1);
	return (size_t)(put_fields(to, behind + 1, text + n, own) - ret);
}

static bool is_number(const char *path, size_t *at, long *ret)
{
	const size_t begin = *at;

	for (*ret = 0; path[*at] >= '0' && path[*at] <= '9' && *ret < 1l << 40; (*at)++)
		*ret = *ret * 10 + (path[*at] - '0');
	return *at > begin;
}

/* The process of which `path` is the file; 0: it is another file. */
static long process_of(const char *path)
{
	size_t at = sizeof("/proc/") - 1;
	long id;

	return !strncmp(path, "/proc/", at) && is_number(path, &at, &id) && !strcmp(path + at, "/stat") ? id : 0;
}

bool vtb_proc_replace(long fd, const char *text, size_t n)
{
	const long flags = sys3(SYS_fcntl, fd, F_GETFD, 0), file = sys3(SYS_memfd_create, (long)"stat", 0, 0);
	bool done;

	if (file < 0)
		return false;
	done = sys3(SYS_write, file, (long)text, (long)n) == (long)n && sys3(SYS_lseek, file, 0, SEEK_SET) == 0 &&
	       sys3(SYS_dup3, file, fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0) == fd;
	sys3(SYS_close, file, 0, 0);
	return done;
}

bool vtb_proc_stat_opened(long fd, const char *path)
{
	const long id = process_of(path);
	const bool own = id == sys3(SYS_getpid, 0, 0, 0);
	char text[ROOM / 2], told[ROOM + FIELDS_MAX];
	size_t size;
	long n;

	if (!id || !vtb_ids_are_told() || (!own && id != sys3(SYS_getppid, 0, 0, 0)))
		return false;
	n = sys6(SYS_pread64, fd, (long)text, sizeof(text), 0, 0, 0);
	size = n > 0 && n < (long)sizeof(text) ? tell(text, (size_t)n, own, told) : 0;
	return size && vtb_proc_replace(fd, told, size);
}
