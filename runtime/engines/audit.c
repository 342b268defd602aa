/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The auditor: system calls of a run that will be rolled back (syscalls.c hands them over). What can be undone is done
 * and remembered; what cannot be undone is not done: the run stops and goes to a slower engine. That is how nothing is
 * ever reported from a run whose rollback was incomplete.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "base.h"
#include "engines.h"
#include "kernel.h"

#define MAPPINGS_MAX 256

/* In shared memory: survives the rollback, which reads it. */
static struct audit {
	bool broke;
	long brk;
	struct {
		uint64_t at, size;
	} mappings[MAPPINGS_MAX];
	uint32_t n_mappings;
	bool mask_changed;
	uint64_t mask;
	uint64_t changed_actions; /* signals whose action the run has set */
	struct kernel_action {
		void *handler;
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} actions[64];
} * A;

_Noreturn void vtb_audit_refuse(long nr, const char *how)
{
	static char text[128]; /* the message is copied before anything is rolled back */
	const char *name = vtb_syscall_row(nr)->name;
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
	vtb_engine->cannot_undo(text);
	__builtin_unreachable();
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
		vtb_audit_refuse(SYS_mmap, " at a fixed address");
	if ((g[REG_R10] & MAP_SHARED) && !(g[REG_R10] & MAP_ANONYMOUS) && (g[REG_RDX] & PROT_WRITE))
		vtb_audit_refuse(SYS_mmap, " of a file to write to");
	if (A->n_mappings == MAPPINGS_MAX)
		vtb_audit_refuse(SYS_mmap, " (too many)");
	r = vtb_syscall_make(g);
	if (r >= 0 || r < -4095) {
		A->mappings[A->n_mappings].at = (uint64_t)r;
		A->mappings[A->n_mappings++].size = ((uint64_t)g[REG_RSI] + 4095) & ~4095ull;
	}
	return r;
}

static long change_mapping(const greg_t *g, const char *why)
{
	if (!of_this_run((uint64_t)g[REG_RDI], (uint64_t)g[REG_RSI]))
		vtb_audit_refuse(g[REG_RAX], why);
	return vtb_syscall_make(g);
}

static long advise(const greg_t *g)
{
	/* advice about the future is free; throwing pages away is a change, MADV_FREE only once memory is short */
	const bool destroys = g[REG_RAX] == SYS_mprotect || g[REG_RDX] == MADV_DONTNEED || g[REG_RDX] == MADV_REMOVE;

	return destroys ? change_mapping(g, " of memory that was there before") : 0;
}

/* ---- files */

static long open_file(const greg_t *g)
{
	const long flags = vtb_named_flags(vtb_syscall_row(g[REG_RAX]), g);

	if ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)))
		vtb_audit_refuse(g[REG_RAX], " to write");
	vtb_files_opens();
	return vtb_syscall_make(g);
}

static bool only_asks(const greg_t *g)
{
	if (g[REG_RAX] == SYS_fcntl)
		return g[REG_RSI] == F_GETFL || g[REG_RSI] == F_GETFD;
	if (g[REG_RAX] == SYS_ioctl)
		return g[REG_RSI] == 0x5401 /* TCGETS: isatty() */ || g[REG_RSI] == 0x5413 /* TIOCGWINSZ */;
	return g[REG_RAX] == SYS_pread64;
}

static bool duplicates(const greg_t *g)
{
	return g[REG_RAX] == SYS_dup || g[REG_RAX] == SYS_dup2 || g[REG_RAX] == SYS_dup3 ||
	       (g[REG_RAX] == SYS_fcntl && (g[REG_RSI] == F_DUPFD || g[REG_RSI] == F_DUPFD_CLOEXEC));
}

static bool of_run(const greg_t *g)
{
	const bool both = g[REG_RAX] == SYS_dup2 || g[REG_RAX] == SYS_dup3;

	return vtb_files_of_run((int)g[REG_RDI]) && (!both || vtb_files_of_run((int)g[REG_RSI]));
}

/* Of a file that was open before, whoever else has it: the flags go back at the end of the run. */
static bool sets_flags(const greg_t *g)
{
	return g[REG_RAX] == SYS_fcntl && (g[REG_RSI] == F_SETFL || g[REG_RSI] == F_SETFD) && !of_run(g);
}

static bool moves_on(const greg_t *g)
{
	return g[REG_RAX] == SYS_read || g[REG_RAX] == SYS_readv || g[REG_RAX] == SYS_lseek;
}

/* What is no longer under its number is put back there at the end of the run. */
static bool gives_up(const greg_t *g)
{
	if (g[REG_RAX] == SYS_close)
		return vtb_files_set_aside((int)g[REG_RDI]);
	return (g[REG_RAX] == SYS_dup2 || g[REG_RAX] == SYS_dup3) && vtb_files_of_run((int)g[REG_RDI]) &&
	       vtb_files_set_aside((int)g[REG_RSI]);
}

static long use_file(const greg_t *g)
{
	if (sets_flags(g))
		return vtb_put_back_call(g);
	if (duplicates(g))
		vtb_files_opens();
	return vtb_syscall_make(g);
}

static long output(const greg_t *g)
{
	return vtb_output_object((int)g[REG_RDI]) ? vtb_output_write(g) : vtb_syscall_make(g);
}

/* ---- signals */

void vtb_audit_mask_changes(void)
{
	if (!A || A->mask_changed)
		return;
	sys6(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&A->mask, 8, 0, 0);
	A->mask_changed = true;
}

static long change_mask(const greg_t *g)
{
	if (g[REG_RSI])
		vtb_audit_mask_changes();
	return vtb_syscall_make(g);
}

static long sigaction_call(const greg_t *g)
{
	const long signal = g[REG_RDI];

	if (g[REG_RSI] && signal > 0 && signal < 64 && !(A->changed_actions >> signal & 1)) {
		sys6(SYS_rt_sigaction, signal, 0, (long)&A->actions[signal], 8, 0, 0);
		A->changed_actions |= 1ull << signal;
	}
	return vtb_syscall_make(g);
}

/* ---- the interface */

#define RESULT_MAX \
	512 /* bytes of the largest structure that a call of the table fills in, without those of a given length */

#define EVENT_SIZE 16 /* at least that of struct pollfd and struct epoll_event */

/* 8 bytes of the program's memory; 0 where there are none, which is an error of the call's. */
static uint64_t word_at(uint64_t addr)
{
	uint64_t word = 0;

	return vtb_rt_peek((const void *)addr, sizeof(word), &word) ? word : 0;
}

static void open_parts(uint64_t parts, uint64_t n) /* struct iovec */
{
	for (uint64_t i = 0; i < n && i < IOV_MAX; i++, parts += sizeof(struct iovec))
		vtb_engine_written((const void *)word_at(parts + offsetof(struct iovec, iov_base)),
		                   word_at(parts + offsetof(struct iovec, iov_len)));
}

/* The kernel cannot write to pages that are protected to see what changes. Which arguments are pointers is not told by
 * the number of a call alone, and to open a page too many costs a copy a run and no more: all that look like one are
 * taken. */
static void open_arguments(const struct vtb_syscall *row, const greg_t *g)
{
	const uint64_t unit = row->wait == WAIT_POLL || row->wait == WAIT_EPOLL ? EVENT_SIZE : 1;
	static const uint8_t args[] = { REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9 };

	for (size_t i = 0; i < 6; i++) {
		const uint64_t length = i < 5 ? (uint64_t)g[args[i + 1]] * unit : 0;

		vtb_engine_written((const void *)g[args[i]],
		                   length > RESULT_MAX && length <= UINT32_MAX ? length : RESULT_MAX);
	}
	if (g[REG_RAX] == SYS_readv || g[REG_RAX] == SYS_preadv)
		open_parts((uint64_t)g[REG_RSI], (uint64_t)g[REG_RDX]);
}

/* Could it see what is in a file, or how long one is? */
static bool may_look(const struct vtb_syscall *row, const greg_t *g)
{
	return row->undo == UNDO_OPEN || row->undo == UNDO_USE || row->undo == UNDO_MAP || row->wait == WAIT_LOOK ||
	       g[REG_RAX] == SYS_fstat;
}

static long make(const struct vtb_syscall *row, const greg_t *g)
{
	if (may_look(row, g))
		vtb_output_sync();
	switch (row->undo) {
	case UNDO_HARMLESS:
	case UNDO_MAKE:
		return vtb_syscall_make(g);
	case UNDO_END:
		vtb_engine_leave((int)g[REG_RDI]);
	case UNDO_OUTPUT:
		return output(g);
	case UNDO_MAP:
		return map(g);
	case UNDO_UNMAP:
		return change_mapping(g, " of memory that was there before");
	case UNDO_PROTECT:
		return advise(g);
	case UNDO_BREAK:
		A->broke = true;
		return vtb_syscall_make(g);
	case UNDO_OPEN:
		return open_file(g);
	case UNDO_CLOSE:
	case UNDO_USE:
	case UNDO_OWN:
		return use_file(g);
	case UNDO_SIGMASK:
		return change_mask(g);
	case UNDO_SIGACTION:
		return sigaction_call(g);
	case UNDO_PUT_BACK:
		return vtb_put_back_call(g);
	default:
		vtb_audit_refuse(g[REG_RAX], "");
	}
}

/* Before the model, which makes some calls by itself, and waits. */
void vtb_audit_permit(const struct vtb_syscall *row, const greg_t *g)
{
	vtb_faults_by_call();
	switch (row->undo) {
	case UNDO_NONE:
		vtb_audit_refuse(g[REG_RAX], "");
	case UNDO_MAKE:
		vtb_files_opens();
		break;
	case UNDO_OUTPUT:
		if (!vtb_output_object((int)g[REG_RDI]) && !of_run(g))
			vtb_audit_refuse(g[REG_RAX], " to a file or socket");
		break;
	case UNDO_CLOSE:
	case UNDO_OWN:
		if (!of_run(g) && !gives_up(g))
			vtb_audit_refuse(g[REG_RAX], " of a file that was open before");
		break;
	case UNDO_USE:
		if (!of_run(g) && !only_asks(g) && !sets_flags(g) && !(moves_on(g) && vtb_files_takes_input(g)))
			vtb_audit_refuse(g[REG_RAX], " on a file that was open before");
		break;
	default:
		break;
	}
	if (vtb_dirty_method() == VTB_DIRTY_MPROTECT)
		open_arguments(row, g);
}

/* An address that is none, or one that open_arguments() does not know: the second would be no error elsewhere. */
long vtb_audit_call(const struct vtb_syscall *row, const greg_t *g)
{
	const long r = make(row, g);

	if (r == -EFAULT && vtb_dirty_method() == VTB_DIRTY_MPROTECT)
		vtb_audit_refuse(g[REG_RAX], " at an address that may be protected to see what changes");
	return vtb_view_made(g, r);
}

const char *vtb_audit_begin(void)
{
	A = vtb_shared_pages(sizeof(*A));
	if (!A || !vtb_files_begin() || !vtb_put_back_begin() || !vtb_output_remember())
		return "no memory";
	A->brk = sys3(SYS_brk, 0, 0, 0);
	return NULL;
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
	vtb_files_undo();
	vtb_put_back();
	if (A->broke)
		sys3(SYS_brk, A->brk, 0, 0);
	A->broke = false;
	undo_signals();
}

bool vtb_audit_clean(void)
{
	return A && !vtb_output_any() && !A->broke && !A->n_mappings && !A->mask_changed && !A->changed_actions &&
	       vtb_files_clean() && vtb_put_back_none();
}
