/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processor's clock, which programs read by instructions (rdtsc, rdtscp). In a program that has such instructions
 * they fault (PR_SET_TSC), and are answered from virtual time: a tick is a nanosecond. The kernel hands that setting
 * down to processes and to programs that do not expect it; so it is taken back before one is made.
 *
 * Some virtual machines take the setting and let the instructions go on as before. So one is tried each time.
 */
#include <sys/prctl.h>

#include "base.h"
#include "scheduler.h"

#define KERNEL_SENT 0x80 /* SI_KERNEL: a fault that no address is to blame for */

static bool traps;
static volatile bool tries, has_faulted;

/* 0: another instruction. */
static unsigned length_of(uint64_t pc)
{
	uint64_t bytes;

	if (!vtb_rt_peek((const void *)pc, 3, &bytes))
		return 0;
	return (bytes & 0xffff) == 0x310f ? 2 : (bytes & 0xffffff) == 0xf9010f ? 3 : 0;
}

static uint64_t ticks(void)
{
	struct timespec now = { 0 };

	if (vtb_sched.active && vtb_rt_enter()) /* else one of ours: of libc while it works for us */
		vtb_ctl_clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool answer(const siginfo_t *info, greg_t *g)
{
	const unsigned length = (traps || tries) && info->si_code == KERNEL_SENT ? length_of((uint64_t)g[REG_RIP]) : 0;
	uint64_t now;

	if (!length)
		return false;
	if (tries) {
		has_faulted = true;
		g[REG_RIP] += length;
		return true;
	}
	now = ticks();
	g[REG_RAX] = (greg_t)(now & UINT32_MAX);
	g[REG_RDX] = (greg_t)(now >> 32);
	if (length == 3)
		g[REG_RCX] = 0; /* the number of the processor */
	g[REG_RIP] += length;
	return true;
}

static bool fault(void)
{
	tries = true;
	has_faulted = false;
	__asm__ volatile("rdtsc" ::: "rax", "rdx");
	tries = false;
	return has_faulted;
}

void vtb_tsc_begin(void)
{
	if (!(vtb_rt.block->options & VTB_OPT_TRAP_TSC) || vtb_rt.block->options & VTB_OPT_REAL_TIME)
		return;
	vtb_failure_answer = answer;
	traps = sys6(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0, 0) == 0;
	if (traps && !fault()) {
		sys6(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0, 0);
		traps = false;
	}
	if (!traps)
		vtb_rt_uncontrolled(VTB_UNC_TSC);
}

void vtb_tsc_go_on(void)
{
	if (traps) /* as it was when the state was kept; since then a run has ended */
		sys6(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0, 0);
}

void vtb_tsc_release(void)
{
	if (!traps)
		return;
	traps = false;
	sys6(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0, 0);
	vtb_rt_uncontrolled(VTB_UNC_TSC);
}

void vtb_tsc_end(void)
{
	if (!traps) /* nothing is written: a page that a run writes to is looked at after it */
		return;
	sys6(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0, 0);
	traps = false;
}
