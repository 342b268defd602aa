/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "step_start.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t step_start(const struct vtb_step_opts *opts)
{
	const pid_t pid = fork();
	sigset_t none;

	if (pid != 0)
		return pid;
	sigemptyset(&none); /* the tracer may block signals to outlive the program */
	sigprocmask(SIG_SETMASK, &none, NULL);
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	if (opts->envp)
		execve(opts->program, opts->argv, opts->envp);
	else
		execv(opts->program, opts->argv);
	_exit(127);
}

static uint64_t entry_point(pid_t pid)
{
	Elf64_auxv_t aux;
	uint64_t entry = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	file = fopen(path, "rbe");
	while (file && fread(&aux, sizeof(aux), 1, file) == 1 && aux.a_type != AT_NULL)
		if (aux.a_type == AT_ENTRY)
			entry = aux.a_un.a_val;
	if (file)
		fclose(file);
	return entry;
}

int step_to_entry(pid_t pid)
{
	const uint64_t entry = entry_point(pid);
	struct user_regs_struct regs;
	long word;
	int status;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, pid, entry, 0);
	if (!entry || errno || ptrace(PTRACE_POKETEXT, pid, entry, (word & ~0xffl) | 0xcc) < 0)
		return -VTB_E_TARGET;
	ptrace(PTRACE_CONT, pid, 0, 0);
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
		return -VTB_E_TARGET;
	ptrace(PTRACE_POKETEXT, pid, entry, word);
	ptrace(PTRACE_GETREGS, pid, 0, &regs);
	regs.rip = entry;
	ptrace(PTRACE_SETREGS, pid, 0, &regs);
	return 0;
}
