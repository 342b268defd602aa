/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where Syscall User Dispatch is missing (before Linux 5.11): a seccomp filter lets the calls trap that a run may wait
 * in, made by the libraries that the program has loaded when the first run begins. Not all of the program's calls, so
 * engine snapshot, which must see them all, does without.
 *
 *     number is one of those  &&  lo <= instruction < hi  &&  not the runtime's  ──►  SIGSYS
 *
 * A filter cannot be taken off: it goes on in children, and in the programs they start, whose calls nobody would
 * handle. So those get their libraries somewhere else, below `lo` (ADDR_COMPAT_LAYOUT, or no limit of the stack, which
 * means the same to the kernel), and nothing of theirs ever traps. Where neither is allowed there is no filter.
 */
#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/personality.h>
#include <sys/resource.h>

#include "base.h"
#include "scheduler.h"
#include "syscalls.h"

#define NO_NEW_PRIVS 38     /* PR_SET_NO_NEW_PRIVS */
#define INSNS_MAX 1024      /* two for each call that is caught, and some 30; BPF_MAXINSNS is 4096 */
#define ABOVE (64ull << 40) /* libraries of the other layout begin at two thirds of this, and grow upwards */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static struct {
	struct sock_filter insns[INSNS_MAX];
	uint16_t n;
	uint64_t lo, hi;
	bool first;
	long pid; /* whose calls are the program's; others are made as they are */
} F;

/* ---- what children start is somewhere else */

static long layout(void)
{
	const long was = sys3(SYS_personality, 0xffffffff, 0, 0);

	return was < 0 ? was : sys3(SYS_personality, was | ADDR_COMPAT_LAYOUT, 0, 0);
}

static long unlimited_stack(void)
{
	struct rlimit limit;
	const long r = sys6(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0, 0);

	if (r < 0)
		return r;
	limit.rlim_cur = RLIM_INFINITY;
	return limit.rlim_max == RLIM_INFINITY ? sys6(SYS_prlimit64, 0, RLIMIT_STACK, (long)&limit, 0, 0, 0) : -EPERM;
}

static bool children_can_be_elsewhere(void)
{
	const long was = sys3(SYS_personality, 0xffffffff, 0, 0);
	struct rlimit limit;

	if (was >= 0 && layout() >= 0) {
		sys3(SYS_personality, was, 0, 0);
		return true;
	}
	return sys6(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0, 0) == 0 && limit.rlim_max == RLIM_INFINITY;
}

long vtb_seccomp_exec(const greg_t *g)
{
	const long was = sys3(SYS_personality, 0xffffffff, 0, 0);
	long r;

	if (layout() < 0)
		unlimited_stack();
	r = vtb_syscall_make(g);
	sys3(SYS_personality, was, 0, 0); /* it could not be started */
	return r;
}

/* ---- the filter */

static void put(uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	if (F.n < INSNS_MAX)
		F.insns[F.n++] = (struct sock_filter)BPF_JUMP(code, k, yes, no);
}

static void load(size_t offset)
{
	put(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void give(uint32_t what)
{
	put(BPF_RET | BPF_K, what, 0, 0);
}

/* To `yes` insns further if the instruction's address is at least `addr`, else to `no` insns further. Five insns. */
static void at_least(uint64_t addr, uint8_t yes, uint8_t no)
{
	load(offsetof(struct seccomp_data, instruction_pointer) + 4);
	put(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)(addr >> 32), (uint8_t)(yes + 3), 0);
	put(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(addr >> 32), 0, (uint8_t)(no + 2));
	load(offsetof(struct seccomp_data, instruction_pointer));
	put(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)addr, yes, no);
}

static bool is_caught(long nr)
{
	const struct vtb_syscall *row = vtb_syscall_row(nr);

	if (nr == SYS_execve || nr == SYS_execveat || nr == SYS_close)
		return true;
	return row->name && (row->undo == UNDO_SIGMASK || row->undo == UNDO_SIGACTION ||
	                     (row->wait && row->wait != WAIT_AGAIN && row->wait != WAIT_SIGRETURN));
}

static int add_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (F.first) { /* the program's own file: what it starts may be in the same place */
		F.first = false;
		return 0;
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const uint64_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X))
			continue;
		F.lo = !F.lo || at < F.lo ? at : F.lo;
		F.hi = at + info->dlpi_phdr[i].p_memsz > F.hi ? at + info->dlpi_phdr[i].p_memsz : F.hi;
	}
	return 0;
}

/* Numbers first: most calls are none of these, and pass after one row. */
static void write_filter(void)
{
	load(offsetof(struct seccomp_data, arch));
	put(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	give(SECCOMP_RET_ALLOW);
	load(offsetof(struct seccomp_data, nr));
	for (long nr = 0; vtb_syscall_row(nr) != vtb_syscall_row(-1); nr++)
		if (is_caught(nr)) {
			put(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1);
			put(BPF_JMP | BPF_JA, 0, 0, 0); /* to where addresses are looked at */
		}
	give(SECCOMP_RET_ALLOW);
	for (uint16_t i = 4; i + 1 < F.n; i++)
		if (F.insns[i].code == (BPF_JMP | BPF_JA))
			F.insns[i].k = (uint32_t)(F.n - i - 1);
	at_least(F.lo, 1, 0);
	give(SECCOMP_RET_ALLOW);
	at_least(F.hi, 0, 1);
	give(SECCOMP_RET_ALLOW);
	at_least((uint64_t)__ehdr_start, 0, 6);
	at_least((uint64_t)etext, 1, 0);
	give(SECCOMP_RET_ALLOW);
	give(SECCOMP_RET_TRAP);
}

const char *vtb_seccomp_catch(void)
{
	struct sock_fprog program = { .filter = F.insns };

	if (F.pid == sys3(SYS_getpid, 0, 0, 0)) /* the process's threads have it from the one that made them */
		return NULL;
	F.n = 0;
	F.lo = F.hi = 0;
	F.first = true;
	dl_iterate_phdr(add_library, NULL);
	if (F.lo < ABOVE || !children_can_be_elsewhere())
		return "a seccomp filter could not be kept from the programs that this one starts";
	write_filter();
	program.len = F.n;
	if (F.n == INSNS_MAX)
		return "the seccomp filter has no room for all calls that may wait";
	if (sys6(SYS_prctl, NO_NEW_PRIVS, 1, 0, 0, 0, 0) < 0 ||
	    sys3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program) < 0)
		return "no seccomp filter is allowed";
	F.pid = sys3(SYS_getpid, 0, 0, 0);
	return NULL;
}

bool vtb_seccomp_foreign(void)
{
	return F.pid != sys3(vtb_carrier->kernel_id ? SYS_gettid : SYS_getpid, 0, 0, 0);
}

bool vtb_seccomp_is_there(void)
{
	const uint32_t trap = SECCOMP_RET_TRAP;

	return sys3(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, (long)&trap) == 0 && children_can_be_elsewhere();
}
