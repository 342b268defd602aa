/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hardware watchpoints from outside: perf events of type breakpoint on the program, inherited by its threads, one ring
 * buffer a processor. The program is stopped at its exec only, so that the events are there before its first
 * instruction; then it runs freely. Nothing in it is changed.
 */
#include "vtb/watch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep.h"
#include "vtb/array.h"
#include "vtb/elf_file.h"

#define SLOTS 4u /* debug registers */
#define RING_PAGES 16u
#define CPUS_MAX 256u
#define DEFAULT_SECONDS 3.0
#define DRAIN_MSEC 2
#define SAMPLES_MAX 20000u /* of one run: a variable touched more often is known well enough */

/* One processor's events of a run. */
struct cpu {
	int fds[SLOTS];
	unsigned n;
	struct perf_event_mmap_page *page;
};

struct sampler {
	const struct vtb_watch_opts *opts;
	struct vtb_symbols *symbols;
	struct vtb_disasm *disasm;
	struct vtb_accesses *profile;
	uint64_t bias;
	struct cpu cpus[CPUS_MAX];
	unsigned n_cpus;
	size_t page_size;
	uint64_t taken, run_taken;
	/* instructions by the address after them */
	struct known {
		uint64_t after, pc;
		uint8_t size;
		bool writes;
	} * known;
	size_t n_known, cap_known;
	pid_t pid;
};

/* What a sample of ours holds. */
struct sample {
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t addr;
};

static int open_watchpoint(uint64_t addr, pid_t pid, int cpu)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_BREAKPOINT;
	attr.size = sizeof(attr);
	attr.bp_type = HW_BREAKPOINT_RW;
	attr.bp_addr = addr;
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR;
	attr.inherit = cpu >= 0;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int vtb_watch_available(struct vtb_error *err)
{
	static uint32_t word;
	const int fd = open_watchpoint((uint64_t)(uintptr_t)&word, 0, -1);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno == EACCES || errno == EPERM)
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, NULL, 0,
		                     "hardware watchpoints are not permitted: kernel.perf_event_paranoid must be at "
		                     "most 2, and a container's seccomp profile must allow perf_event_open");
	return vtb_error_set(err, -VTB_E_UNSUPPORTED, NULL, 0, "this machine offers no hardware watchpoints: %s",
	                     strerror(errno));
}

/* ---- events */

static void close_cpus(struct sampler *s)
{
	for (unsigned i = 0; i < s->n_cpus; i++) {
		if (s->cpus[i].page)
			munmap(s->cpus[i].page, (1 + RING_PAGES) * s->page_size);
		for (unsigned k = 0; k < s->cpus[i].n; k++)
			close(s->cpus[i].fds[k]);
	}
	s->n_cpus = 0;
}

/* The first event of a processor has the buffer, the others write there too. */
static int add_event(struct sampler *s, struct cpu *c, uint64_t addr, int number)
{
	const int fd = open_watchpoint(addr, s->pid, number);
	void *page;

	if (fd < 0)
		return -errno;
	c->fds[c->n++] = fd;
	if (c->page)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, c->fds[0]) < 0 ? -errno : 0;
	page = mmap(NULL, (1 + RING_PAGES) * s->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	c->page = page;
	return 0;
}

static int open_cpus(struct sampler *s, const uint64_t *addrs, size_t n)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int r = 0;

	for (long i = 0; r >= 0 && i < cpus && s->n_cpus < CPUS_MAX; i++) {
		struct cpu *c = &s->cpus[s->n_cpus++];

		*c = (struct cpu){ .n = 0 };
		for (size_t k = 0; r >= 0 && k < n; k++)
			r = add_event(s, c, addrs[k] + s->bias, (int)i);
		if (r == -ENODEV && !c->n) { /* switched off */
			s->n_cpus--;
			r = 0;
		}
	}
	return r;
}

/* ---- samples */

struct instruction_before {
	uint64_t after;
	struct known found;
};

static int look_at(void *arg, uint64_t at, const struct vtb_instruction *insn)
{
	struct instruction_before *b = arg;

	if (at + insn->length != b->after)
		return 0;
	for (unsigned i = 0; i < insn->n_operands; i++)
		if (insn->operands[i].access) {
			b->found = (struct known){ .after = b->after,
				                   .pc = at,
				                   .size = insn->operands[i].size,
				                   .writes = insn->operands[i].access & VTB_MEM_WRITE };
			return 0;
		}
	return 0;
}

/* A watchpoint reports the address after the instruction; which instruction that was only its function's beginning
 * tells. */
static const struct known *instruction_at(struct sampler *s, uint64_t after)
{
	struct instruction_before b = { .after = after };
	const char *name;
	uint64_t begin, size;

	for (size_t i = 0; i < s->n_known; i++)
		if (s->known[i].after == after)
			return &s->known[i];
	if (vtb_symbols_elf(s->symbols, s->opts->program, after - 1, &name, &begin, &size) && after > begin) {
		const struct sweep_range range = { begin, after };

		vtb_sweep(s->symbols, s->disasm, s->opts->program, &range, look_at, &b);
	}
	if (vtb_array_room(s, known) < 0)
		return NULL;
	if (!b.found.pc)
		b.found.after = after; /* remembered as unknown */
	s->known[s->n_known++] = b.found;
	return &s->known[s->n_known - 1];
}

static int take_sample(struct sampler *s, const struct sample *sample)
{
	const struct known *k = instruction_at(s, sample->ip - s->bias);
	struct vtb_one_access a = { .addr = sample->addr, .thread = sample->tid };

	if (!k)
		return -ENOMEM;
	s->taken++;
	s->run_taken++;
	if (!k->pc)
		return 0; /* the C library's */
	a.pc = k->pc;
	a.size = k->size ? k->size : 4;
	a.writes = k->writes;
	return vtb_accesses_add(s->profile, &a);
}

static void copy_out(const struct sampler *s, const struct cpu *c, uint64_t at, void *to, size_t n)
{
	const uint8_t *ring = (const uint8_t *)c->page + s->page_size;
	const size_t size = RING_PAGES * s->page_size;

	for (size_t i = 0; i < n; i++)
		((uint8_t *)to)[i] = ring[(at + i) & (size - 1)];
}

static int drain_cpu(struct sampler *s, struct cpu *c)
{
	const uint64_t head = c->page ? __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE) : 0;
	uint64_t at = c->page ? c->page->data_tail : 0;
	int r = 0;

	while (r >= 0 && at < head) {
		struct perf_event_header h;
		struct sample sample;

		copy_out(s, c, at, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - at)
			return -EIO;
		if (h.type == PERF_RECORD_SAMPLE && h.size >= sizeof(h) + sizeof(sample)) {
			copy_out(s, c, at + sizeof(h), &sample, sizeof(sample));
			r = take_sample(s, &sample);
		}
		at += h.size;
	}
	if (c->page)
		__atomic_store_n(&c->page->data_tail, at, __ATOMIC_RELEASE);
	return r;
}

static int drain(struct sampler *s)
{
	int r = 0;

	for (unsigned i = 0; r >= 0 && i < s->n_cpus; i++)
		r = drain_cpu(s, &s->cpus[i]);
	return r;
}

/* ---- one run */

static _Noreturn void become_program(const struct vtb_watch_opts *opts)
{
	const int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	personality(ADDR_NO_RANDOMIZE);
	for (int i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
	if ((opts->cwd && chdir(opts->cwd) < 0) || ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(127);
	setenv("LD_BIND_NOW", "1", 1);
	execv(opts->program, opts->argv);
	_exit(127);
}

/* Runtime address - address in the file: the program's headers are where the kernel says. */
static int find_bias(struct sampler *s)
{
	char path[64];
	Elf64_auxv_t aux;
	struct vtb_elf *elf;
	uint64_t entry = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", s->pid);
	file = fopen(path, "rbe");
	while (file && fread(&aux, sizeof(aux), 1, file) == 1 && aux.a_type != AT_NULL)
		if (aux.a_type == AT_ENTRY)
			entry = aux.a_un.a_val;
	if (file)
		fclose(file);
	if (!entry || vtb_elf_open(s->opts->program, &elf, NULL) < 0)
		return -VTB_E_TARGET;
	s->bias = entry - vtb_elf_header(elf)->entry;
	vtb_elf_close(elf);
	return 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int follow(struct sampler *s, double seconds)
{
	const double end = now() + seconds;
	int status, r = 0;

	while (r >= 0 && now() < end && s->run_taken < SAMPLES_MAX && vtb_stop_check(s->opts->stop, true) == 0) {
		const pid_t got = waitpid(s->pid, &status, WNOHANG);

		r = drain(s);
		if (got == s->pid || got < 0)
			break;
		poll(NULL, 0, DRAIN_MSEC);
	}
	kill(-s->pid, SIGKILL);
	while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
		;
	return r < 0 ? r : drain(s);
}

static int run_once(struct sampler *s, const uint64_t *addrs, size_t n, double seconds)
{
	int status, r;

	s->run_taken = 0;
	s->pid = fork();
	if (s->pid < 0)
		return -errno;
	if (s->pid == 0)
		become_program(s->opts);
	if (waitpid(s->pid, &status, 0) != s->pid || !WIFSTOPPED(status))
		return -VTB_E_TARGET;
	r = find_bias(s);
	if (r >= 0 && !s->profile)
		r = vtb_accesses_new(s->opts->program, s->bias, &s->profile);
	if (r >= 0)
		r = open_cpus(s, addrs, n);
	if (r >= 0 && ptrace(PTRACE_DETACH, s->pid, NULL, NULL) < 0)
		r = -errno;
	if (r < 0) {
		kill(s->pid, SIGKILL);
		while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
			;
	} else {
		r = follow(s, seconds);
	}
	close_cpus(s);
	return r;
}

int64_t vtb_watch_sample(const struct vtb_watch_opts *opts, const uint64_t *addrs, size_t n, struct vtb_accesses **ret,
                         struct vtb_error *err)
{
	struct sampler *s = calloc(1, sizeof(*s));
	const double seconds = opts->seconds > 0 ? opts->seconds : DEFAULT_SECONDS, end = now() + seconds;
	int64_t taken;
	int r = s ? vtb_watch_available(err) : -ENOMEM;

	if (r < 0) {
		free(s);
		return r;
	}
	s->opts = opts;
	s->page_size = (size_t)sysconf(_SC_PAGESIZE);
	r = vtb_symbols_new(&s->symbols);
	if (r >= 0)
		r = vtb_disasm_new(&s->disasm);
	for (size_t i = 0; r >= 0 && i < n && now() < end; i += SLOTS)
		r = run_once(s, addrs + i, n - i < SLOTS ? n - i : SLOTS, end - now());
	vtb_disasm_free(s->disasm);
	vtb_symbols_free(s->symbols);
	free(s->known);
	taken = (int64_t)s->taken;
	if (r < 0)
		vtb_accesses_free(s->profile);
	else
		*ret = s->profile;
	free(s);
	return r < 0 ? vtb_error_set(err, r, opts->program, 0, "cannot watch the program: %s", vtb_strerror(r)) : taken;
}
