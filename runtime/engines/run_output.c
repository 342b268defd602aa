/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run prints. Standard output and standard error lead to one file of the tool's. On engine snapshot what is
 * written there goes to memory that the tool shares, without a system call, since nothing can have turned the two
 * descriptors elsewhere but what tells so here.
 *
 *     shared memory | 0 ...... in_file ...... used |
 *     the file      | 0 ...... in_file |
 *
 * What in_file has not reached goes to the file before a call can see it; and, with every write from then on, when the
 * memory is full.
 *
 * So the text is in the file if there is no more room for it in memory.
 *
 * Of what is more than VTB_OUTPUT_MAX only the number of bytes is known, on every engine: not kept here, a hole in the
 * file where the kernel writes. The hash is that of what is kept.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engines.h"
#include "base.h"
#include "kernel.h"

#define FNV_START 0xcbf29ce484222325ull
#define FNV_PRIME 0x100000001b3ull
#define MARK 4711                /* an offset that no file has by chance */
#define KERNEL_MAX 0x7ffff000ull /* the kernel writes no more at a time */
#define PARTS_MAX 1024

int vtb_output_fd = -1;
static off_t stdin_start = -1;
static long stdin_flags;

/* In shared memory: survives the rollback. NULL: every write is the kernel's, and the hash is that of the file. */
static struct output {
	const void *object[3]; /* of the descriptors that lead to the file and nowhere else; by number */
	bool turned[3];        /* the run has closed it: its number is any other file's now */
	char *memory;
	uint64_t size, used, in_file;
	uint64_t written; /* bytes in all */
	uint64_t hash;
	bool full;         /* the rest goes straight to the file */
	bool touched;      /* the file is not empty */
	struct stat empty; /* what it is when it is */
	bool knows_empty;
} * O;

void vtb_output_take(void)
{
	stdin_start = lseek(0, 0, SEEK_CUR);
	stdin_flags = fcntl(0, F_GETFL);
	if (!(vtb_rt.options & VTB_OPT_CAPTURE))
		return;
	vtb_output_fd = fcntl((int)vtb_rt.block->output_fd, F_DUPFD_CLOEXEC, 900);
	if (vtb_output_fd < 0)
		return;
	close((int)vtb_rt.block->output_fd);
	dup2(vtb_output_fd, 1);
	dup2(vtb_output_fd, 2);
}

long vtb_output_input(void)
{
	return stdin_start;
}

/* An earlier run may have had it append or not block: it is the same open file. */
static void empty_file(void)
{
	sys3(SYS_fcntl, vtb_output_fd, F_SETFL, 0);
	sys3(SYS_ftruncate, vtb_output_fd, 0, 0);
	sys3(SYS_lseek, vtb_output_fd, 0, SEEK_SET);
}

void vtb_output_begin(void)
{
	if (stdin_start >= 0 && !vtb_engine->call) { /* else it is put back after each run */
		sys3(SYS_fcntl, 0, F_SETFL, stdin_flags);
		sys3(SYS_lseek, 0, stdin_start, SEEK_SET); /* every run reads the same input */
	}
	if (vtb_output_fd >= 0)
		empty_file();
}

static uint64_t hash_on(uint64_t hash, const char *bytes, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * FNV_PRIME;
	return hash;
}

/* ---- in the file */

void vtb_output_limit(void)
{
	const long end = vtb_output_fd < 0 ? 0 : sys3(SYS_lseek, vtb_output_fd, 0, SEEK_CUR);

	if (VTB_UNLIKELY(end > (long)VTB_OUTPUT_MAX))
		sys6(SYS_fallocate, vtb_output_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (long)VTB_OUTPUT_MAX,
		     end - (long)VTB_OUTPUT_MAX, 0, 0);
}

static uint64_t file_size(void)
{
	struct stat st;

	return vtb_output_fd >= 0 && sys3(SYS_fstat, vtb_output_fd, (long)&st, 0) == 0 ? (uint64_t)st.st_size : 0;
}

static void hash_file(struct vtb_wire_outcome *o)
{
	const uint64_t size = file_size(), end = size < VTB_OUTPUT_MAX ? size : VTB_OUTPUT_MAX;
	uint64_t hash = FNV_START, at = 0;
	char part[4096];
	long n = 1;

	for (; at < end && n > 0; at += n > 0 ? (uint64_t)n : 0) {
		n = sys6(SYS_pread64, vtb_output_fd, (long)part,
		         (long)(end - at < sizeof(part) ? end - at : sizeof(part)), (long)at, 0, 0);
		hash = hash_on(hash, part, n > 0 ? (uint64_t)n : 0);
	}
	o->output_hash = hash;
	o->output_size = size;
}

static void note_rest(struct vtb_wire_outcome *o)
{
	if (o->output_size <= VTB_OUTPUT_MAX)
		return;
	o->uncontrolled |= VTB_UNC_OUTPUT;
	__atomic_fetch_or(&vtb_rt.block->uncontrolled, VTB_UNC_OUTPUT, __ATOMIC_RELAXED);
}

void vtb_output_hash(struct vtb_wire_outcome *o)
{
	if (!O) {
		hash_file(o);
		note_rest(o);
		return;
	}
	if (vtb_rt.options & VTB_OPT_OUTPUT)
		vtb_output_sync();
	o->output_hash = O->hash;
	o->output_size = O->written;
	note_rest(o);
}

/* ---- in memory */

/* One open file, not two of the same name: they share their offset. */
static bool is_captured(int fd)
{
	struct stat mine, captured;

	if (sys3(SYS_fstat, fd, (long)&mine, 0) < 0 || sys3(SYS_fstat, vtb_output_fd, (long)&captured, 0) < 0)
		return false;
	if (mine.st_dev != captured.st_dev || mine.st_ino != captured.st_ino)
		return false;
	sys3(SYS_lseek, vtb_output_fd, MARK, SEEK_SET);
	return sys3(SYS_lseek, fd, 0, SEEK_CUR) == MARK;
}

bool vtb_output_remember(void)
{
	if (vtb_output_fd < 0)
		return true;
	O = vtb_shared_pages(sizeof(*O));
	for (int fd = 1; O && fd <= 2; fd++)
		O->object[fd] = is_captured(fd) ? vtb_io_object(fd) : NULL;
	empty_file();
	if (O)
		O->knows_empty = sys3(SYS_fstat, vtb_output_fd, (long)&O->empty, 0) == 0;
	return O != NULL;
}

bool vtb_output_status(int fd, struct stat *ret)
{
	if (!vtb_output_object(fd) || !O->knows_empty || O->written || O->touched)
		return false;
	*ret = O->empty;
	return true;
}

void vtb_output_run_begins(struct vtb_wire_slot *slot)
{
	if (!O)
		return;
	if (O->touched)
		empty_file();
	O->memory = slot->output_size ? (char *)vtb_rt.block + slot->output_offset : NULL;
	O->size = slot->output_size;
	O->used = O->in_file = O->written = 0;
	O->hash = FNV_START;
	O->full = O->touched = O->turned[1] = O->turned[2] = false;
	if (O->size)
		slot->output_used = 0;
}

bool vtb_output_any(void)
{
	return O && O->written;
}

const void *vtb_output_object(int fd)
{
	return O && (fd == 1 || fd == 2) && !O->turned[fd] ? O->object[fd] : NULL;
}

void vtb_output_turned(int fd)
{
	if (O && (fd == 1 || fd == 2))
		O->turned[fd] = true;
}

static void put_in_file(const char *bytes, uint64_t n)
{
	uint64_t done = 0;
	long r = 1;

	for (; done < n && r > 0; done += r > 0 ? (uint64_t)r : 0)
		r = sys3(SYS_write, vtb_output_fd, (long)(bytes + done), (long)(n - done));
	O->touched = true;
}

void vtb_output_sync(void)
{
	if (!O || O->in_file == O->used)
		return;
	put_in_file(O->memory + O->in_file, O->used - O->in_file);
	O->in_file = O->used;
}

/* Of the program's memory, which need not be there. */
static bool copy(char *to, const char *from, uint64_t n)
{
	uint64_t word;

	for (; n >= sizeof(word); n -= sizeof(word), from += sizeof(word), to += sizeof(word)) {
		if (!vtb_rt_peek(from, sizeof(word), &word))
			return false;
		memcpy(to, &word, sizeof(word));
	}
	if (!vtb_rt_peek(from, (uint32_t)n, &word))
		return false;
	for (; n; n--, word >>= 8)
		*to++ = (char)word;
	return true;
}

/* Of the next n bytes, those that are within the limit. */
static uint64_t kept_of(uint64_t n)
{
	const uint64_t room = O->written < VTB_OUTPUT_MAX ? VTB_OUTPUT_MAX - O->written : 0;

	return n < room ? n : room;
}

static void note(const char *bytes, uint64_t n)
{
	O->hash = hash_on(O->hash, bytes, kept_of(n));
	O->written += n;
}

/* What cannot be read is the kernel's to find out. */
static long by_kernel(const greg_t *g, const char *from)
{
	const long r = vtb_syscall_make(g);

	O->touched = true;
	if (r > 0)
		note(from, (uint64_t)r);
	vtb_output_limit();
	return r;
}

/* The memory is full: by way of a buffer, so that what is hashed is what is kept. */
static long write_through(const greg_t *g, const char *from, uint64_t n)
{
	char part[1024];
	uint64_t done = 0;

	vtb_output_sync();
	O->full = true;
	vtb_sched.slot->output_used = VTB_OUTPUT_IN_FILE;
	while (done < n) {
		const uint64_t some = n - done < sizeof(part) ? n - done : sizeof(part);

		if (!copy(part, from + done, some))
			return done ? (long)done : by_kernel(g, from + done);
		put_in_file(part, kept_of(some));
		note(part, some);
		done += some;
	}
	return (long)n;
}

static long write_bytes(const greg_t *g, const char *from, uint64_t n)
{
	if (n > KERNEL_MAX)
		n = KERNEL_MAX;
	if (O->full || n > O->size - O->used || !copy(O->memory + O->used, from, n))
		return write_through(g, from, n);
	note(O->memory + O->used, n);
	O->used += n;
	vtb_sched.slot->output_used = O->used;
	return (long)n;
}

long vtb_output_write(const greg_t *g)
{
	const struct iovec *parts = (const void *)g[REG_RSI];
	uint64_t base, length;
	long done = 0, r;

	if (g[REG_RDX] < 0 || (g[REG_RAX] == SYS_writev && g[REG_RDX] > PARTS_MAX))
		return vtb_syscall_make(g); /* an error */
	if (g[REG_RAX] == SYS_write)
		return write_bytes(g, (const char *)g[REG_RSI], (uint64_t)g[REG_RDX]);
	for (int i = 0; i < (int)g[REG_RDX]; i++) {
		if (!vtb_rt_peek(&parts[i].iov_base, 8, &base) || !vtb_rt_peek(&parts[i].iov_len, 8, &length))
			return done ? done : vtb_syscall_make(g);
		r = write_bytes(g, (const char *)base, length);
		if (r < 0)
			return done ? done : r;
		done += r;
		if ((uint64_t)r < length)
			break;
	}
	return done;
}
