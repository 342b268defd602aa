/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What system calls do to the memory of the program. One that is not in the table may write anywhere. */
#include <asm/prctl.h>
#include <string.h>
#include <sys/syscall.h>

#include "recover_exec.h"

/* A call writes `bytes` bytes (or as many as register `count` says) at the address in register `at`. */
struct effect {
	uint16_t number;
	uint8_t at;    /* OPS_NO_REG: writes nothing */
	uint8_t count; /* OPS_NO_REG: `bytes` */
	uint16_t bytes;
};

#define NOTHING(name)                                 \
	{                                             \
		SYS_##name, OPS_NO_REG, OPS_NO_REG, 0 \
	}
#define R10 10u

static const struct effect effects[] = {
	NOTHING(write),
	NOTHING(writev),
	NOTHING(pwrite64),
	NOTHING(open),
	NOTHING(openat),
	NOTHING(close),
	NOTHING(lseek),
	NOTHING(mprotect),
	NOTHING(mmap),
	NOTHING(access),
	NOTHING(faccessat),
	NOTHING(faccessat2),
	NOTHING(futex),
	NOTHING(sched_yield),
	NOTHING(getpid),
	NOTHING(gettid),
	NOTHING(getuid),
	NOTHING(getppid),
	NOTHING(tgkill),
	NOTHING(kill),
	NOTHING(tkill),
	NOTHING(exit),
	NOTHING(exit_group),
	NOTHING(rt_sigreturn),
	NOTHING(set_robust_list),
	NOTHING(set_tid_address),
	NOTHING(rseq),
	NOTHING(arch_prctl),
	NOTHING(fsync),
	NOTHING(fcntl),
	NOTHING(dup),
	NOTHING(dup2),
	NOTHING(unlink),
	NOTHING(mkdir),
	NOTHING(alarm),
	NOTHING(membarrier),
	NOTHING(sendto),
	NOTHING(shutdown),
	NOTHING(bind),
	NOTHING(listen),
	NOTHING(socket),
	NOTHING(connect),
	NOTHING(umask),
	NOTHING(ftruncate),
	NOTHING(sigaltstack),
	{ SYS_read, OPS_RSI, OPS_RDX, 0 },
	{ SYS_pread64, OPS_RSI, OPS_RDX, 0 },
	{ SYS_getrandom, OPS_RDI, OPS_RSI, 0 },
	{ SYS_readlink, OPS_RSI, OPS_RDX, 0 },
	{ SYS_getcwd, OPS_RDI, OPS_RSI, 0 },
	{ SYS_munmap, OPS_RDI, OPS_RSI, 0 },
	{ SYS_madvise, OPS_RDI, OPS_RSI, 0 },
	{ SYS_stat, OPS_RSI, OPS_NO_REG, 144 },
	{ SYS_fstat, OPS_RSI, OPS_NO_REG, 144 },
	{ SYS_lstat, OPS_RSI, OPS_NO_REG, 144 },
	{ SYS_newfstatat, OPS_RDX, OPS_NO_REG, 144 },
	{ SYS_rt_sigaction, OPS_RDX, OPS_NO_REG, 152 },
	{ SYS_rt_sigprocmask, OPS_RDX, OPS_NO_REG, 8 },
	{ SYS_clock_gettime, OPS_RSI, OPS_NO_REG, 16 },
	{ SYS_nanosleep, OPS_RSI, OPS_NO_REG, 16 },
	{ SYS_clock_nanosleep, R10, OPS_NO_REG, 16 },
	{ SYS_gettimeofday, OPS_RDI, OPS_NO_REG, 16 },
	{ SYS_prlimit64, R10, OPS_NO_REG, 16 },
	{ SYS_pipe, OPS_RDI, OPS_NO_REG, 8 },
	{ SYS_pipe2, OPS_RDI, OPS_NO_REG, 8 },
	{ SYS_uname, OPS_RDI, OPS_NO_REG, 390 },
	{ SYS_ioctl, OPS_RDX, OPS_NO_REG, 256 },
	{ SYS_sched_getaffinity, OPS_RDX, OPS_RSI, 0 },
	{ SYS_getrusage, OPS_RSI, OPS_NO_REG, 144 },
};

static void apply(struct recover_cpu *cpu, const struct effect *e)
{
	if (e->at == OPS_NO_REG)
		return;
	if (cpu->r[e->at].known != RECOVER_ALL || (e->count != OPS_NO_REG && cpu->r[e->count].known != RECOVER_ALL))
		recover_memory_forget_all(cpu->memory);
	else if (cpu->r[e->at].v)
		recover_memory_forget(cpu->memory, cpu->stamp, cpu->r[e->at].v,
		                      e->count != OPS_NO_REG ? cpu->r[e->count].v : e->bytes);
}

/* clone3 writes the new thread's number to the places that its argument names. */
static void apply_clone3(struct recover_cpu *cpu)
{
	uint64_t places[2] = { 0 };
	uint8_t bytes[32];

	if (cpu->r[OPS_RDI].known != RECOVER_ALL ||
	    (recover_memory_read(cpu->memory, cpu->stamp, cpu->r[OPS_RDI].v, 32, bytes) & 0xffff0000u) != 0xffff0000u) {
		recover_memory_forget_all(cpu->memory);
		return;
	}
	memcpy(places, bytes + 16, 16); /* child_tid, parent_tid */
	for (unsigned i = 0; i < 2; i++)
		if (places[i])
			recover_memory_forget(cpu->memory, cpu->stamp, places[i], 4);
}

/* What lies above a lowered program break is gone; when it is raised again there are zeros. */
static void apply_brk(struct recover_cpu *cpu)
{
	if (cpu->r[OPS_RDI].known != RECOVER_ALL)
		recover_memory_forget_all(cpu->memory);
	else if (cpu->r[OPS_RDI].v)
		recover_memory_forget(cpu->memory, cpu->stamp, cpu->r[OPS_RDI].v, 32u << 20);
}

/* ARCH_SET_FS: the base of thread-local storage. Other functions of arch_prctl write 8 bytes at most. */
static void apply_arch_prctl(struct recover_cpu *cpu)
{
	const struct recover_value function = cpu->r[OPS_RDI], value = cpu->r[OPS_RSI];

	if (!((function.known & 0xf) == 0xf && (uint32_t)function.v != ARCH_SET_FS))
		cpu->fs = (function.known & 0xf) == 0xf ? value : (struct recover_value){ 0, 0 };
	if ((function.known & 0xf) == 0xf && (uint32_t)function.v == ARCH_SET_FS)
		return;
	if (value.known == RECOVER_ALL)
		recover_memory_forget(cpu->memory, cpu->stamp, value.v, 8);
	else
		recover_memory_forget_all(cpu->memory);
}

void recover_syscall(struct recover_cpu *cpu, uint64_t next)
{
	const struct recover_value number = cpu->r[OPS_RAX];
	bool found = false;

	if (number.known == RECOVER_ALL && number.v == SYS_clone3) {
		apply_clone3(cpu);
		found = true;
	} else if (number.known == RECOVER_ALL && number.v == SYS_arch_prctl) {
		apply_arch_prctl(cpu);
		found = true;
	} else if (number.known == RECOVER_ALL && number.v == SYS_brk) {
		apply_brk(cpu);
		found = true;
	}
	for (size_t i = 0; !found && number.known == RECOVER_ALL && i < sizeof(effects) / sizeof(*effects); i++)
		if (effects[i].number == number.v) {
			apply(cpu, &effects[i]);
			found = true;
		}
	if (number.known != RECOVER_ALL) /* it may be that one */
		cpu->fs = (struct recover_value){ 0, 0 };
	if (!found)
		recover_memory_forget_all(cpu->memory);
	cpu->r[OPS_RAX] = (struct recover_value){ 0, 0 };
	cpu->r[11] = (struct recover_value){ 0, 0 };
	cpu->r[OPS_RCX] = (struct recover_value){ next, next ? RECOVER_ALL : 0 };
}
