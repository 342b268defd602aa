/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tier break: accesses of a program without hooks, at a few instructions that the tool has chosen. Each gets an int3.
 *
 *     int3 hit ── the operation arrives, waits for its turn ── original byte back, trap flag set
 *              ── the instruction runs alone ── trap: int3 again, trap flag cleared
 *
 * Only one thread runs at a time, so nobody passes while the original byte is back.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base.h"
#include "kernel.h"
#include "rewrite.h"
#include "scheduler.h"

#define INT3 0xcc
#define TRAP_FLAG 0x100

static struct planted {
	uint8_t *at;
	uint8_t original;
} planted[VTB_WIRE_BREAKS_MAX];
static uint32_t n_planted;
static struct planted *stepping; /* whose instruction runs with its original byte */

static const struct vtb_wire_break *breaks(void)
{
	return (const void *)((const char *)vtb_rt.block + vtb_rt.block->breaks.offset);
}

/* DWARF register numbers of x86-64 to the kernel's order */
static const uint8_t registers[17] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
	REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

static uint64_t reg(const ucontext_t *uc, uint8_t number)
{
	return number < sizeof(registers) ? (uint64_t)uc->uc_mcontext.gregs[registers[number]] : 0;
}

static uint64_t operand(const struct vtb_wire_break *b, const ucontext_t *uc)
{
	uint64_t addr = (uint64_t)b->disp + (b->base == 16 ? b->pc + b->length : reg(uc, b->base));

	if (b->index != 255)
		addr += reg(uc, b->index) * b->scale;
	if (b->segment == 1) {
		unsigned long fs;

		sys3(SYS_arch_prctl, 0x1003 /* ARCH_GET_FS */, (long)&fs, 0);
		addr += fs;
	}
	return addr;
}

static void step_done(ucontext_t *uc)
{
	*stepping->at = INT3;
	stepping = NULL;
	uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

/* "add $5, x" is a read and a write, and others may run in between: what was read is put back, so that the instruction
 * computes from it. */
static void do_access(struct vtb_rt_thread *t, const struct vtb_wire_break *b, void *addr)
{
	uint64_t seen = 0;

	if (vtb_rt_some_stack((uint64_t)addr))
		vtb_rt_stack_access(t, (uint64_t)addr);
	if (b->flags & VTB_BREAK_SPLIT && b->size_log2 <= 3) {
		vtb_ctl_access(t, VTB_E_READ, addr, b->size_log2, b->pc + b->length);
		memcpy(&seen, addr, 1u << b->size_log2);
	}
	vtb_ctl_access(t, b->kind, addr, b->size_log2, b->pc + b->length);
	if (b->flags & VTB_BREAK_SPLIT && b->size_log2 <= 3)
		memcpy(addr, &seen, 1u << b->size_log2);
}

static void hit(uint32_t i, ucontext_t *uc)
{
	const struct vtb_wire_break *b = &breaks()[i];
	struct vtb_rt_thread *t = vtb_rt_enter();

	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)b->pc;
	if (t && vtb_sched.active) {
		t->base.accesses++;
		do_access(t, b, (void *)operand(b, uc));
	}
	*planted[i].at = planted[i].original;
	stepping = &planted[i];
	uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	const uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP] - 1;

	if (stepping) {
		step_done(uc);
		return;
	}
	for (uint32_t i = 0; i < n_planted; i++)
		if ((uint64_t)planted[i].at == pc) {
			hit(i, uc);
			return;
		}
	vtb_signals_of_program(signal, info, context);
}

static bool plant(const struct vtb_wire_break *b)
{
	uint8_t *at = (uint8_t *)b->pc;
	const uint64_t page = b->pc & ~4095ull;

	if (sys3(SYS_mprotect, (long)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		return false;
	planted[n_planted++] = (struct planted){ at, *at };
	*at = INT3;
	return true;
}

void vtb_breaks_install(void)
{
	const struct vtb_wire_area *a = &vtb_rt.block->breaks;

	if (!a->used || a->used > VTB_WIRE_BREAKS_MAX)
		return;
	vtb_signals_keep(SIGTRAP, on_trap, 0, 0);
	for (uint32_t i = 0; i < a->used; i++)
		if (!plant(&breaks()[i]))
			vtb_rt_trouble("a breakpoint could not be planted: the program's code is not writable");
}
