/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of system calls, and making one. */
#include "signals.h"
#include "base.h"
#include "syscalls.h"

static const struct vtb_syscall rows[512] = {
#define NO PLACE_NOT, DEED_NONE
#define OF(place, deed) PLACE_##place, DEED_##deed
#define VTB_SYSCALL(name, undo, wait, file) [SYS_##name] = { #name, UNDO_##undo, WAIT_##wait, file },
#include "syscalls.def"
#undef VTB_SYSCALL
};

const struct vtb_syscall *vtb_syscall_row(long nr)
{
	static const struct vtb_syscall unknown;

	return nr >= 0 && nr < (long)(sizeof(rows) / sizeof(*rows)) ? &rows[nr] : &unknown;
}

long vtb_syscall_make(const greg_t *g)
{
	if (g[REG_RAX] == SYS_rt_sigaction)
		return vtb_signals_set_action(g);
	return sys6(g[REG_RAX], g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]);
}
