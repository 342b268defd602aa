/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors: which belong together. */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base.h"
#include "signals.h"
#include "syscalls.h"

#define SECOND 1000000000ull
#define GAP 64 /* so many numbers not in use: there are no more behind, but for those that we keep for ourselves */

static bool status(int fd, struct stat *st)
{
	return sys3(SYS_fstat, fd, (long)st, 0) == 0;
}

int vtb_io_next(int fd, struct stat *ret)
{
	for (int i = fd + 1; i <= fd + GAP; i++)
		if (status(i, ret))
			return i;
	return INT_MAX;
}

/* ---- what a descriptor is about */

#define KNOWN 256u      /* a power of two */
#define PROBES 8u       /* then two files share a name: they depend on each other, which costs runs and hides none */
#define NUMBERS 1024    /* descriptors above lose their name when they are closed */
#define NO_FILE (~0ull) /* all sockets together */

/* In this run. A name is given once, by the first operation: what it is called must not hang on who was closed since,
 * or the close and what another descriptor of the file does afterwards would seem to be independent. */
static struct known {
	uint64_t device, file;
	int name; /* the number, what it is of (vtb/wire.h), and one: 0 is free */
} known[KNOWN] VTB_HISTORY_RARE;
static int last_name[NUMBERS] VTB_HISTORY_RARE; /* of each number, and one */

/* Has it a name in common with others? Files that a standard stream is led to have not. */
static bool has_others(int fd, const struct stat *st)
{
	return S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode) || (S_ISREG(st->st_mode) && fd > 2);
}

static bool is_the_same(const struct stat *a, const struct stat *b)
{
	return S_ISSOCK(a->st_mode) ? S_ISSOCK(b->st_mode) : a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* The lowest number that leads there now. */
static int lowest(int fd, const struct stat *mine)
{
	struct stat other;

	for (int i = vtb_io_next(S_ISREG(mine->st_mode) ? 2 : -1, &other); i < fd; i = vtb_io_next(i, &other))
		if (is_the_same(mine, &other))
			return i;
	return fd;
}

static struct known *place_of(uint64_t device, uint64_t file)
{
	const uint32_t first = (uint32_t)((file * 0x9e3779b97f4a7c15ull ^ device) >> 32) % KNOWN;

	for (uint32_t i = 0; i < PROBES; i++) {
		struct known *k = &known[(first + i) % KNOWN];

		if (!k->name || (k->device == device && k->file == file))
			return k;
	}
	return &known[first];
}

/* A pipe that is a standard stream has a name already. */
static int kind_of(int number, const struct stat *st)
{
	return S_ISSOCK(st->st_mode) ? VTB_IO_OF_SOCKETS : S_ISFIFO(st->st_mode) && number > 2 ? VTB_IO_OF_PIPE : 0;
}

static int name_of(int fd, const struct stat *st)
{
	const bool socket = S_ISSOCK(st->st_mode);
	const uint64_t device = socket ? NO_FILE : st->st_dev, file = socket ? NO_FILE : st->st_ino;
	struct known *k = place_of(device, file);

	if (!k->name) {
		const int number = lowest(fd, st);

		*k = (struct known){ device, file, (number | kind_of(number, st)) + 1 };
	}
	return k->name - 1;
}

/* Operations on both ends of a pipe depend on each other. Which sockets are connected with which is not looked up: all
 * do. A number that is closed is about what it was about. */
const void *vtb_io_object(int fd)
{
	const void *captured = vtb_engine_captured(fd);
	const bool counted = fd >= 0 && fd < NUMBERS;
	struct stat mine;
	int name = fd;

	if (captured)
		return captured;
	if (!status(fd, &mine))
		return (const void *)(uintptr_t)(counted && last_name[fd] ? last_name[fd] - 1 : fd);
	if (has_others(fd, &mine))
		name = name_of(fd, &mine);
	if (counted && last_name[fd] != name + 1)
		last_name[fd] = name + 1;
	return (const void *)(uintptr_t)name;
}

/* A flag of the opening that is set through one descriptor is set in the other. Nobody else runs, and for a regular
 * file it means nothing. */
static bool is_same_opening(int a, int b)
{
	const long flags = sys3(SYS_fcntl, a, F_GETFL, 0), before = sys3(SYS_fcntl, b, F_GETFL, 0);
	long after;

	if (flags < 0 || before < 0 || (flags & O_NONBLOCK) != (before & O_NONBLOCK))
		return false;
	sys3(SYS_fcntl, a, F_SETFL, flags ^ O_NONBLOCK);
	after = sys3(SYS_fcntl, b, F_GETFL, 0);
	sys3(SYS_fcntl, a, F_SETFL, flags);
	return (after ^ before) & O_NONBLOCK;
}

bool vtb_io_is_same_opening(int a, int b)
{
	struct stat mine, other;

	return status(a, &mine) && status(b, &other) && other.st_ino == mine.st_ino && other.st_dev == mine.st_dev &&
	       is_same_opening(a, b);
}

int vtb_io_other_number(int fd, int but)
{
	struct stat st;

	for (int i = vtb_io_next(-1, &st); i < INT_MAX; i = vtb_io_next(i, &st))
		if (i != fd && i != but && vtb_io_is_same_opening(fd, i))
			return i;
	for (uint32_t i = 0; vtb_closed_held(i) >= 0; i++)
		if (vtb_closed_held(i) != fd && vtb_io_is_same_opening(fd, vtb_closed_held(i)))
			return vtb_closed_held(i);
	return -1;
}

bool vtb_io_opened_once(int fd)
{
	return vtb_io_other_number(fd, fd) < 0;
}

unsigned vtb_io_what(int fd)
{
	struct stat st;

	if (!status(fd, &st))
		return VTB_IO_DESCRIPTOR;
	if (S_ISFIFO(st.st_mode))
		return VTB_IO_PIPE;
	if (S_ISSOCK(st.st_mode))
		return VTB_IO_SOCKET;
	if (vtb_timers_is(fd))
		return VTB_IO_TIMER;
	return st.st_mode & S_IFMT ? VTB_IO_DESCRIPTOR : VTB_IO_EVENT;
}

uint64_t vtb_io_span(int fd, bool reads)
{
	struct timeval span = { 0, 0 };
	unsigned size = sizeof(span);

	if (sys6(SYS_getsockopt, fd, SOL_SOCKET, reads ? SO_RCVTIMEO : SO_SNDTIMEO, (long)&span, (long)&size, 0) < 0)
		return 0;
	return (uint64_t)span.tv_sec * SECOND + (uint64_t)span.tv_usec * 1000u;
}

void vtb_io_tell_left(const struct vtb_rt_thread *t, struct timespec *to, uint64_t unit)
{
	const uint64_t end = t->sched.until - 1, left = end > vtb_sched.now ? end - vtb_sched.now : 0;

	if (to)
		*to = (struct timespec){ (time_t)(left / SECOND), (long)(left % SECOND / unit) };
}
