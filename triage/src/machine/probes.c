/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vtb/pt_record_hw.h"

/* Newer than the headers of Debian 12. */
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#define FEATURE_WP_ASYNC (1ull << 15)
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define HWCAP2_FSGSBASE_BIT 2ul

static enum vtb_doctor_state because(char *detail, size_t size, const char *call)
{
	snprintf(detail, size, "%s: %s", call, strerror(errno));
	return VTB_DOCTOR_NO;
}

static enum vtb_doctor_state probe_kernel(char *detail, size_t size)
{
	struct utsname u;

	uname(&u);
	snprintf(detail, size, "%s %s %s", u.sysname, u.release, u.machine);
	return VTB_DOCTOR_INFO;
}

static enum vtb_doctor_state probe_cpus(char *detail, size_t size)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return because(detail, size, "sched_getaffinity");
	snprintf(detail, size, "%d", CPU_COUNT(&set));
	return VTB_DOCTOR_INFO;
}

static enum vtb_doctor_state probe_personality(char *detail, size_t size)
{
	const int old = personality(0xffffffff);

	if (old < 0 || personality((unsigned long)old | ADDR_NO_RANDOMIZE) < 0)
		return because(detail, size, "personality");
	personality((unsigned long)old);
	return VTB_DOCTOR_YES;
}

static enum vtb_doctor_state probe_userfaultfd(char *detail, size_t size)
{
	struct uffdio_api api = { .api = UFFD_API, .features = FEATURE_WP_ASYNC };
	const int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	int r;

	if (fd < 0)
		return because(detail, size, "userfaultfd");
	r = ioctl(fd, UFFDIO_API, &api);
	close(fd);
	return r < 0 ? because(detail, size, "UFFD_FEATURE_WP_ASYNC") : VTB_DOCTOR_YES;
}

/* struct pm_scan_arg of linux/fs.h, kernel 6.7 and later. */
struct scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages, category_inverted, category_mask,
	    category_anyof_mask, return_mask;
};
#define SCAN_REQUEST _IOWR('f', 16, struct scan_arg)
#define PAGE_IS_PRESENT_BIT (1u << 3)

static enum vtb_doctor_state probe_pagemap_scan(char *detail, size_t size)
{
	const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct {
		uint64_t start, end, categories;
	} region;
	struct scan_arg arg = { .size = sizeof(arg),
		                .start = (uintptr_t)memory,
		                .end = (uintptr_t)memory + page,
		                .vec = (uintptr_t)&region,
		                .vec_len = 1,
		                .category_anyof_mask = PAGE_IS_PRESENT_BIT,
		                .return_mask = PAGE_IS_PRESENT_BIT };
	enum vtb_doctor_state state = VTB_DOCTOR_YES;

	if (fd < 0 || memory == MAP_FAILED)
		state = because(detail, size, "/proc/self/pagemap");
	else if (ioctl(fd, SCAN_REQUEST, &arg) < 0)
		state = because(detail, size, "PAGEMAP_SCAN");
	if (fd >= 0)
		close(fd);
	if (memory != MAP_FAILED)
		munmap(memory, page);
	return state;
}

static enum vtb_doctor_state probe_fsgsbase(char *detail, size_t size)
{
	if (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT)
		return VTB_DOCTOR_YES;
	snprintf(detail, size,
	         "the kernel does not announce them; if they work all the same and perf events are allowed, "
	         "they are used, else a system call for each switch of threads");
	return VTB_DOCTOR_NO;
}

static enum vtb_doctor_state probe_dispatch(char *detail, size_t size)
{
	return prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0) < 0
	           ? because(detail, size, "prctl(PR_SET_SYSCALL_USER_DISPATCH)")
	           : VTB_DOCTOR_YES;
}

static enum vtb_doctor_state probe_paranoid(char *detail, size_t size)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 0;

	if (!file)
		return because(detail, size, "/proc/sys/kernel/perf_event_paranoid");
	if (fscanf(file, "%d", &level) == 1)
		snprintf(detail, size, "%d", level);
	fclose(file);
	return VTB_DOCTOR_INFO;
}

static enum vtb_doctor_state probe_breakpoint(char *detail, size_t size)
{
	static long watched;
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
		                        .size = sizeof(attr),
		                        .bp_type = HW_BREAKPOINT_W,
		                        .bp_addr = (uintptr_t)&watched,
		                        .bp_len = HW_BREAKPOINT_LEN_8,
		                        .sample_period = 1,
		                        .disabled = 1,
		                        .exclude_kernel = 1,
		                        .exclude_hv = 1 };
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return because(detail, size, "perf_event_open");
	close(fd);
	return VTB_DOCTOR_YES;
}

static enum vtb_doctor_state probe_pt(char *detail, size_t size)
{
	struct vtb_error err = { 0 };

	if (vtb_pt_available(&err) == 0)
		return VTB_DOCTOR_YES;
	snprintf(detail, size, "%s", err.text);
	return VTB_DOCTOR_NO;
}

static enum vtb_doctor_state probe_ptrace(char *detail, size_t size)
{
	const pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? errno : 0);
	if (pid < 0)
		return because(detail, size, "fork");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
	return errno ? because(detail, size, "ptrace") : VTB_DOCTOR_YES;
}

static enum vtb_doctor_state probe_dot(char *detail, size_t size)
{
	const char *path = getenv("PATH");
	char *copy = strdup(path ? path : "/usr/bin:/bin"), *rest = copy;

	for (char *dir = copy ? strsep(&rest, ":") : NULL; dir; dir = strsep(&rest, ":")) {
		snprintf(detail, size, "%s/dot", *dir ? dir : ".");
		if (access(detail, X_OK) == 0) {
			free(copy);
			return VTB_DOCTOR_YES;
		}
	}
	free(copy);
	snprintf(detail, size, "not in PATH; install graphviz");
	return VTB_DOCTOR_NO;
}

static const struct vtb_probe probes[] = {
	{ "kernel", "kernel", "", probe_kernel },
	{ "cpus", "processors", "", probe_cpus },
	{ "personality", "address randomisation off", "equal addresses in every run", probe_personality },
	{ "userfaultfd_wp_async", "userfaultfd, asynchronous", "the fastest detection of changed pages",
	  probe_userfaultfd },
	{ "pagemap_scan", "PAGEMAP_SCAN", "the fastest detection of changed pages", probe_pagemap_scan },
	{ "fsgsbase", "FSGSBASE instructions", "carrier fibers", probe_fsgsbase },
	{ "syscall_user_dispatch", "Syscall User Dispatch", "seeing system calls that cannot be undone",
	  probe_dispatch },
	{ "ptrace", "ptrace", "gdb, recording by single steps", probe_ptrace },
	{ "perf_event_paranoid", "perf_event_paranoid", "", probe_paranoid },
	{ "hardware_breakpoints", "hardware breakpoints", "tier watch", probe_breakpoint },
	{ "intel_pt", "Intel PT", "recording without instrumentation", probe_pt },
	{ "dot", "dot (Graphviz)", "pictures", probe_dot },
};

const struct vtb_probe *vtb_probe(size_t i)
{
	return i < sizeof(probes) / sizeof(*probes) ? &probes[i] : NULL;
}
