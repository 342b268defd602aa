/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The auditor: while a run is under way, every system call that the runtime has not made traps (Syscall User Dispatch) and is
 * looked up in syscalls.def. What can be undone is done and remembered; what cannot be undone is not done: the run stops and
 * goes to a slower engine. That is how nothing is ever reported from a run whose rollback was incomplete.
 *
 * The trap comes on the stack of the thread that calls, so a futex wait can switch to another thread right there.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "engine.h"
#include "fiber.h"
#include "models.h"
#include "sys.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif
#define SELECTOR_ALLOW 0
#define SELECTOR_BLOCK 1

enum class { CLASS_NONE, CLASS_HARMLESS, CLASS_FUTEX, CLASS_END, CLASS_OUTPUT, CLASS_MAP, CLASS_UNMAP, CLASS_PROTECT, CLASS_BREAK, CLASS_OPEN, CLASS_CLOSE, CLASS_USE, CLASS_SIGMASK, CLASS_SIGACTION, CLASS_LIMIT };

static const struct {
	const char *name;
	uint8_t class;
} calls[512] = {
#define VTB_SYSCALL(name, class) [SYS_##name] = {#name, CLASS_##class},
#include "syscalls.def"
#undef VTB_SYSCALL
};

#define MAPPINGS_MAX 256
#define FILES_MAX 64

/* In shared memory: survives the rollback, which reads it. */
static struct audit {
	char selector;
	bool wrote, broke;
	long brk;
	struct {
		uint64_t at, size;
	} mappings[MAPPINGS_MAX];
	uint32_t n_mappings;
	int files[FILES_MAX];
	uint32_t n_files;
	bool mask_changed;
	uint64_t mask;
	uint64_t changed_actions; /* signals whose action the run has set */
	struct kernel_action {
		void *handler;
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} actions[64];
} *A;

static long real(const greg_t *g)
{
	return sys6(g[REG_RAX], g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]);
}

_Noreturn static void refuse(long nr, const char *how)
{
	static char text[128]; /* the message is copied before anything is rolled back */
	const char *name = nr >= 0 && nr < 512 && calls[nr].name ? calls[nr].name : NULL;
	char *to = text;

	for (const char *part = "the program makes a system call that cannot be undone: "; *part; part++)
		*to++ = *part;
	if (name) {
		while (*name)
			*to++ = *name++;
	} else {
		*to++ = '#';
		for (long unit = 100; unit; unit /= 10)
			*to++ = (char)('0' + nr / unit % 10);
	}
	while (*how)
		*to++ = *how++;
	*to = 0;
	vtb_engine_refuse(text);
}

/* ---- futex: the word tells when the wait is over */

static bool word_changed(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return __atomic_load_n((const uint32_t *)call->obj, __ATOMIC_ACQUIRE) != call->aux || t->signalled || vtb_time_over(t);
}

static void stop_waiting(struct vtb_rt_thread *t, struct vtb_call *call)
{
	call->result = !t->signalled && vtb_time_over(t) ? -ETIMEDOUT : 0;
	vtb_queue_leave(t);
}

static const struct vtb_primitive primitive_word = {"futex wait in libc", word_changed, stop_waiting};

static long futex(const greg_t *g)
{
	struct vtb_rt_thread *t = vtb_self;
	const int op = (int)g[REG_RSI] & 0x7f;
	struct vtb_call call = {.prim = &primitive_word, .kind = VTB_E_FUTEX_WOKEN, .obj = (const void *)g[REG_RDI], .aux = (uint32_t)g[REG_RDX], .pc = (uint64_t)g[REG_RIP]};
	uint32_t n = 0;

	if (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET) {
		if (!t || t->inside || !vtb_sched.active)
			return real(g);
		if (__atomic_load_n((const uint32_t *)call.obj, __ATOMIC_ACQUIRE) != call.aux)
			return -EAGAIN;
		if (g[REG_R10])
			t->deadline = vtb_sched.now + 1000000000; /* the clock of the timeout does not matter: nobody else can go on then */
		vtb_queue_join(t, call.obj);
		vtb_ctl_op(t, &call);
		t->deadline = 0;
		return call.result;
	}
	if (op == FUTEX_WAKE || op == FUTEX_WAKE_BITSET) {
		struct vtb_rt_thread *waiter;

		while (n < (uint32_t)g[REG_RDX] && (waiter = vtb_queue_waiter((const void *)g[REG_RDI], 0))) {
			waiter->signalled = true;
			n++;
		}
		if (vtb_sched.active)
			vtb_sched_recheck();
		return n;
	}
	refuse(SYS_futex, " (an operation other than wait and wake)");
}

/* ---- memory */

static bool of_this_run(uint64_t at, uint64_t size)
{
	for (uint32_t i = 0; i < A->n_mappings; i++)
		if (at >= A->mappings[i].at && at + size <= A->mappings[i].at + A->mappings[i].size)
			return true;
	return false;
}

static long map(const greg_t *g)
{
	const bool fixed = g[REG_R10] & (MAP_FIXED | MAP_FIXED_NOREPLACE);
	long r;

	if (fixed && !of_this_run((uint64_t)g[REG_RDI], (uint64_t)g[REG_RSI]))
		refuse(SYS_mmap, " at a fixed address");
	if ((g[REG_R10] & MAP_SHARED) && !(g[REG_R10] & MAP_ANONYMOUS) && (g[REG_RDX] & PROT_WRITE))
		refuse(SYS_mmap, " of a file to write to");
	if (A->n_mappings == MAPPINGS_MAX)
		refuse(SYS_mmap, " (too many)");
	r = real(g);
	if (r >= 0 || r < -4095) {
		A->mappings[A->n_mappings].at = (uint64_t)r;
		A->mappings[A->n_mappings++].size = ((uint64_t)g[REG_RSI] + 4095) & ~4095ull;
	}
	return r;
}

static long change_mapping(const greg_t *g, const char *why)
{
	if (!of_this_run((uint64_t)g[REG_RDI], (uint64_t)g[REG_RSI]))
		refuse(g[REG_RAX], why);
	return real(g);
}

static long advise(const greg_t *g)
{
	/* advice about the future is free; throwing pages away is a change */
	const bool destroys = g[REG_RAX] == SYS_mprotect || g[REG_RDX] == MADV_DONTNEED || g[REG_RDX] == MADV_FREE || g[REG_RDX] == MADV_REMOVE;

	return destroys ? change_mapping(g, " of memory that was there before") : 0;
}

/* ---- files */

static int *opened(int fd)
{
	for (uint32_t i = 0; i < A->n_files; i++)
		if (A->files[i] == fd)
			return &A->files[i];
	return NULL;
}

static long open_file(const greg_t *g)
{
	const long flags = g[REG_RAX] == SYS_open ? g[REG_RSI] : g[REG_RDX];
	long r;

	if ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)))
		refuse(g[REG_RAX], " to write");
	if (A->n_files == FILES_MAX)
		refuse(g[REG_RAX], " (too many files)");
	r = real(g);
	if (r >= 0)
		A->files[A->n_files++] = (int)r;
	return r;
}

static long close_file(const greg_t *g)
{
	int *file = opened((int)g[REG_RDI]);

	if (!file)
		refuse(SYS_close, " of a file that was open before");
	*file = A->files[--A->n_files];
	return real(g);
}

static bool only_asks(const greg_t *g)
{
	if (g[REG_RAX] == SYS_fcntl)
		return g[REG_RSI] == F_GETFL || g[REG_RSI] == F_GETFD;
	if (g[REG_RAX] == SYS_ioctl)
		return g[REG_RSI] == 0x5401 /* TCGETS: isatty() */ || g[REG_RSI] == 0x5413 /* TIOCGWINSZ */;
	return g[REG_RAX] == SYS_pread64;
}

static long use_file(const greg_t *g)
{
	if (!opened((int)g[REG_RDI]) && !only_asks(g))
		refuse(g[REG_RAX], " on a file that was open before");
	return real(g);
}

static long output(const greg_t *g)
{
	const int fd = (int)g[REG_RDI];

	if (vtb_output_fd < 0 || (fd != 1 && fd != 2))
		refuse(g[REG_RAX], " to a file or socket");
	A->wrote = true;
	return real(g);
}

/* ---- signals */

static long change_mask(const greg_t *g)
{
	if (g[REG_RSI] && !A->mask_changed) {
		sys6(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&A->mask, 8, 0, 0);
		A->mask_changed = true;
	}
	return real(g);
}

static long sigaction_call(const greg_t *g)
{
	const long signal = g[REG_RDI];

	if (g[REG_RSI] && signal > 0 && signal < 64 && !(A->changed_actions >> signal & 1)) {
		sys6(SYS_rt_sigaction, signal, 0, (long)&A->actions[signal], 8, 0, 0);
		A->changed_actions |= 1ull << signal;
	}
	return real(g);
}

/* ---- the trap */

static long handle(const greg_t *g)
{
	const long nr = g[REG_RAX];

	switch (nr >= 0 && nr < 512 ? calls[nr].class : CLASS_NONE) {
	case CLASS_HARMLESS:
		return real(g);
	case CLASS_FUTEX:
		return futex(g);
	case CLASS_END:
		vtb_engine_leave((int)g[REG_RDI]);
	case CLASS_OUTPUT:
		return output(g);
	case CLASS_MAP:
		return map(g);
	case CLASS_UNMAP:
		return change_mapping(g, " of memory that was there before");
	case CLASS_PROTECT:
		return advise(g);
	case CLASS_BREAK:
		A->broke = true;
		return real(g);
	case CLASS_OPEN:
		return open_file(g);
	case CLASS_CLOSE:
		return close_file(g);
	case CLASS_USE:
		return use_file(g);
	case CLASS_LIMIT:
		if (g[REG_RDX])
			refuse(nr, " to change a limit");
		return real(g);
	case CLASS_SIGMASK:
		return change_mask(g);
	case CLASS_SIGACTION:
		return sigaction_call(g);
	default:
		refuse(nr, "");
	}
}

static void on_call(int signal, siginfo_t *info, void *context)
{
	greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	g[REG_RAX] = info->si_syscall; /* the kernel has left -ENOSYS there on some versions */
	g[REG_RAX] = handle(g);
}

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

const char *vtb_audit_install(void)
{
	const long size = (long)(etext - __ehdr_start);

	A = vtb_shared_pages(sizeof(*A));
	if (!A)
		return "no memory";
	A->brk = sys3(SYS_brk, 0, 0, 0);
	if (sys_handle(SIGSYS, (void *)on_call, 0) < 0)
		return "SIGSYS cannot be handled";
	if (sys6(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (long)__ehdr_start, size, (long)&A->selector, 0) < 0)
		return "this kernel has no Syscall User Dispatch (Linux 5.11)";
	return NULL;
}

void vtb_audit_on(bool on)
{
	A->selector = on ? SELECTOR_BLOCK : SELECTOR_ALLOW;
}

static void undo_signals(void)
{
	if (A->mask_changed)
		sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&A->mask, 0, 8, 0, 0);
	A->mask_changed = false;
	for (int signal = 1; A->changed_actions; signal++)
		if (A->changed_actions >> signal & 1) {
			sys6(SYS_rt_sigaction, signal, (long)&A->actions[signal], 0, 8, 0, 0);
			A->changed_actions &= ~(1ull << signal);
		}
}

void vtb_audit_undo(void)
{
	for (uint32_t i = 0; i < A->n_mappings; i++)
		sys3(SYS_munmap, (long)A->mappings[i].at, (long)A->mappings[i].size, 0);
	A->n_mappings = 0;
	for (uint32_t i = 0; i < A->n_files; i++)
		sys3(SYS_close, A->files[i], 0, 0);
	A->n_files = 0;
	if (A->broke)
		sys3(SYS_brk, A->brk, 0, 0);
	A->broke = false;
	undo_signals();
}

bool vtb_audit_wrote(void)
{
	const bool wrote = A && A->wrote;

	if (A)
		A->wrote = false;
	return wrote;
}
