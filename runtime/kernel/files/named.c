/* SPDX-License-Identifier: BSD-2-Clause */
#include "named.h"

#include <fcntl.h>

#include "base.h"

#define NONE (-1)

/* Registers, in the order of a call's arguments: rdi, rsi, rdx, r10, r8, r9. */
static const struct {
	int8_t dir, name, old_dir, old_name;
} registers[] = {
	[PLACE_NOT] = { NONE, REG_RDI, NONE, NONE },
	[PLACE_PATH] = { NONE, REG_RDI, NONE, NONE },
	[PLACE_PATH_AT] = { REG_RDI, REG_RSI, NONE, NONE },
	[PLACE_ENTRY] = { NONE, REG_RDI, NONE, NONE },
	[PLACE_ENTRY_AT] = { REG_RDI, REG_RSI, NONE, NONE },
	[PLACE_SECOND] = { NONE, REG_RSI, NONE, NONE },
	[PLACE_SECOND_AT] = { REG_RSI, REG_RDX, NONE, NONE },
	[PLACE_TWO] = { NONE, REG_RSI, NONE, REG_RDI },
	[PLACE_TWO_AT] = { REG_RDX, REG_R10, REG_RDI, REG_RSI },
	[PLACE_ADDRESS] = { NONE, NONE, NONE, NONE },
	[PLACE_FD] = { REG_RDI, NONE, NONE, NONE },
	[PLACE_FD_3] = { REG_RDX, NONE, NONE, NONE },
	[PLACE_FD_5] = { REG_R8, NONE, NONE, NONE },
};

static struct vtb_named by(const greg_t *g, int dir, int name)
{
	return (struct vtb_named){ dir == NONE ? AT_FDCWD : (int)g[dir], name == NONE ? NULL : (const char *)g[name] };
}

struct vtb_named vtb_named(const struct vtb_syscall *row, const greg_t *g)
{
	return by(g, registers[row->place].dir, registers[row->place].name);
}

struct vtb_named vtb_named_source(const struct vtb_syscall *row, const greg_t *g)
{
	return by(g, registers[row->place].old_dir, registers[row->place].old_name);
}

bool vtb_named_follows(const struct vtb_syscall *row)
{
	return row->place == PLACE_NOT || row->place == PLACE_PATH || row->place == PLACE_PATH_AT;
}

long vtb_named_flags(const struct vtb_syscall *row, const greg_t *g)
{
	if (row->deed == DEED_CREATE)
		return O_CREAT | O_WRONLY | O_TRUNC;
	if (row->deed == DEED_OPEN_HOW)
		return (long)vtb_rt_load((uint64_t)g[REG_RDX], 3);
	return row->place == PLACE_PATH ? g[REG_RSI] : g[REG_RDX];
}
