/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waits for a primitive in memory that a forked process has, too: what that process does to it is not seen, so that
 * such a wait is no dead end of this one.
 */
#include <fcntl.h>
#include <string.h>

#include "follow.h"
#include "models.h"
#include "base.h"
#include "syscalls.h"

/* The head of a line of /proc/self/maps, as far as it has come: "lo-hi rw-s". */
struct line {
	uint64_t lo, hi;
	int field; /* 0: lo, 1: hi, 2: rights, 3: the rest of the line */
	char last; /* of the rights */
};

static uint64_t with_digit(uint64_t number, char c)
{
	return number << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* True: the line is known, up to its rights. */
static bool take(struct line *l, char c)
{
	if (c == '\n') {
		*l = (struct line){ 0 };
		return false;
	}
	if (l->field == 0 && c == '-') {
		l->field = 1;
	} else if ((l->field == 1 || l->field == 2) && c == ' ') {
		return ++l->field == 3;
	} else if (l->field < 2) {
		uint64_t *number = l->field ? &l->hi : &l->lo;

		*number = with_digit(*number, c);
	} else {
		l->last = c;
	}
	return false;
}

/* Is the address in a mapping that is shared (MAP_SHARED)? */
static bool is_shared(int maps, uint64_t addr)
{
	struct line line = { 0 };
	char text[1024];
	long n;

	sys3(SYS_lseek, maps, 0, 0);
	while ((n = sys3(SYS_read, maps, (long)text, sizeof(text))) > 0)
		for (long i = 0; i < n; i++)
			if (take(&line, text[i]) && addr >= line.lo && addr < line.hi)
				return line.last == 's';
	return false;
}

bool vtb_shared_memory_waits(void)
{
	bool found = false;
	int maps;

	if (!vtb_follow_left() && !vtb_follow_partner())
		return false;
	maps = (int)sys6(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0);
	for (uint32_t i = 0; maps >= 0 && !found && i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *t = vtb_rt.threads[i];

		found = t->base.state == VTB_T_ALIVE && t->sched.call && is_shared(maps, (uint64_t)t->sched.call->obj);
	}
	if (maps >= 0)
		sys3(SYS_close, maps, 0, 0);
	if (found)
		vtb_failure_end(
		    VTB_V_TIMEOUT, 0, 0, 0,
		    "stopped where a thread waits for something in memory that it shares with a forked process: "
		    "what the other process does to it is not seen");
	return false;
}
