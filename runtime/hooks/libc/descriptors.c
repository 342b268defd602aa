/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that have the kernel read or write the program's memory, or take it away. That the call is an operation on
 * a descriptor or on files is told where it traps (kernel/syscall_tell.c); but fstat, which stdio makes as well.
 */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include <stdarg.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kernel.h"
#include "models.h"
#include "told_memory.h"
#include "computed.h"

/* ---- reading and writing */

AROUND(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size), result > 0, changes(to, size, pc))
ANSWERS(ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at), (void)0, OUT(to, size),
        result > 0, WROTE(0, (size_t)result))
ANSWERS(ssize_t, pread64, (int fd, void *to, size_t size, off64_t at), (fd, to, size, at), (void)0, OUT(to, size),
        result > 0, WROTE(0, (size_t)result))
AROUND(ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags), result > 0,
       changes(to, size, pc))
AROUND(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size), result > 0, looks(from, size, pc))
AROUND(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at), result > 0,
       looks(from, size, pc))
AROUND(ssize_t, pwrite64, (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at), result > 0,
       looks(from, size, pc))
AROUND(ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags), result > 0,
       looks(from, size, pc))

static void each_part(unsigned kind, const struct iovec *parts, int n, uint64_t pc)
{
	looks(parts, (size_t)n * sizeof(*parts), pc);
	for (int i = 0; i < n; i++)
		if (parts[i].iov_len)
			vtb_rt_range(kind, parts[i].iov_base, parts[i].iov_len, pc);
}
AROUND(ssize_t, writev, (int fd, const struct iovec *parts, int n), (fd, parts, n), result > 0,
       each_part(VTB_E_READ, parts, n, pc))

#define AT(name, kind)                                                                                              \
	AROUND(ssize_t, name, (int fd, const struct iovec *parts, int n, off_t at), (fd, parts, n, at), result > 0, \
	       each_part(kind, parts, n, pc))
AT(pwritev, VTB_E_READ)

/* What is read into several parts is written part by part: others may come in between. So the kernel writes to room of
 * ours. */
struct scatter {
	struct computed computed;
	struct iovec own[COMPUTED_PLACES];
	size_t room;
};

/* Without room each part is told as written before and after the call, by the call. */
static void scatter_start(struct scatter *s, const struct iovec *parts, size_t n, uint64_t pc)
{
	size_t sum = 0;

	computed_start(&s->computed, pc);
	s->room = 0;
	if (!s->computed.keeps || n > COMPUTED_PLACES || !vtb_answer_is_memory(parts, n * sizeof(*parts)))
		return;
	for (size_t i = 0; i < n; i++) {
		if (!vtb_answer_is_memory(parts[i].iov_base, parts[i].iov_len))
			return;
		sum += parts[i].iov_len;
	}
	s->room = vtb_rt_fits_on_stack(sum);
}

static const struct iovec *scatter_into(struct scatter *s, const struct iovec *parts, size_t n, char *room)
{
	if (!s->room) {
		each_part(VTB_E_WRITE, parts, (int)n, s->computed.pc);
		return parts;
	}
	looks(parts, n * sizeof(*parts), s->computed.pc);
	for (size_t i = 0; i < n; i++) {
		s->own[i].iov_base = vtb_answer_into(&s->computed, parts[i].iov_base, parts[i].iov_len, room);
		s->own[i].iov_len = parts[i].iov_len;
		room += parts[i].iov_len;
	}
	return s->own;
}

static void scatter_end(struct scatter *s, const struct iovec *parts, size_t n, size_t read)
{
	const int saved = errno;

	for (unsigned i = 0; s->room && i < n; i++) {
		const size_t size = parts[i].iov_len < read ? parts[i].iov_len : read;

		computed_wrote(&s->computed, i, size);
		read -= size;
	}
	if (s->room)
		vtb_answer_end(&s->computed);
	else
		each_part(VTB_E_WRITE, parts, (int)n, s->computed.pc);
	errno = saved;
}

#define SCATTERS(name, params, args)                                         \
	VTB_EXPORT ssize_t name params;                                      \
	VTB_EXPORT ssize_t name params                                       \
	{                                                                    \
		const uint64_t pc = VTB_CALLER;                              \
		const struct iovec *const theirs = parts;                    \
		const size_t count = n > 0 ? (size_t)n : 0;                  \
		struct scatter s;                                            \
		ssize_t result;                                              \
		BEHIND(ssize_t, call, params, name)                          \
                                                                             \
		if (!vtb_rt_is_hooked(pc))                                   \
			return call args;                                    \
		scatter_start(&s, theirs, count, pc);                        \
		parts = scatter_into(&s, theirs, count, alloca(s.room + 1)); \
		result = call args;                                          \
		if (result > 0)                                              \
			scatter_end(&s, theirs, count, (size_t)result);      \
		return result;                                               \
	}
SCATTERS(readv, (int fd, const struct iovec *parts, int n), (fd, parts, n))
SCATTERS(preadv, (int fd, const struct iovec *parts, int n, off_t at), (fd, parts, n, at))
SCATTERS(preadv64, (int fd, const struct iovec *parts, int n, off64_t at), (fd, parts, n, at))

/* What it says of itself stands in the message. */
static ssize_t receive(int fd, struct msghdr *message, int flags, ssize_t (*call)(int, struct msghdr *, int),
                       uint64_t pc)
{
	const struct iovec *const parts = message->msg_iov;
	struct msghdr own = *message;
	struct scatter s;
	ssize_t r;

	scatter_start(&s, parts, message->msg_iovlen, pc);
	own.msg_iov = (struct iovec *)(uintptr_t)scatter_into(&s, parts, message->msg_iovlen, alloca(s.room + 1));
	vtb_rt_tell_message(message, false, pc);
	r = call(fd, &own, flags);
	if (r < 0)
		return r;
	vtb_rt_tell_message(&own, false, pc);
	scatter_end(&s, parts, own.msg_iovlen, (size_t)r);
	changes(message, sizeof(*message), pc);
	message->msg_namelen = own.msg_namelen;
	message->msg_controllen = own.msg_controllen;
	message->msg_flags = own.msg_flags;
	return r;
}

VTB_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags);
VTB_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	const uint64_t pc = VTB_CALLER;
	BEHIND(ssize_t, call, (int, struct msghdr *, int), recvmsg)

	return vtb_rt_is_hooked(pc) && vtb_answer_is_memory(message, sizeof(*message))
	           ? receive(fd, message, flags, call, pc)
	           : call(fd, message, flags);
}
AROUND(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), result >= 0,
       vtb_rt_tell_message(message, true, pc);
       each_part(VTB_E_READ, message->msg_iov, (int)message->msg_iovlen, pc))

/* Whose memory it is, is not asked: it is the program's own, or for others to change. */
#define COPIES(name, to, from)                                                                                   \
	AROUND(ssize_t, name,                                                                                    \
	       (pid_t id, const struct iovec *here, unsigned long n, const struct iovec *there, unsigned long m, \
	        unsigned long flags),                                                                            \
	       (id, here, n, there, m, flags), result > 0, each_part(to, here, (int)n, pc);                      \
	       each_part(from, there, (int)m, pc))
COPIES(process_vm_readv, VTB_E_WRITE, VTB_E_READ)
COPIES(process_vm_writev, VTB_E_READ, VTB_E_WRITE)

/* ---- results */

#define ENDS OUT(ends, 2 * sizeof(*ends))
ANSWERS(int, pipe, (int ends[2]), (ends), (void)0, ENDS, result == 0, (void)0)
ANSWERS(int, pipe2, (int ends[2], int flags), (ends, flags), (void)0, ENDS, result == 0, (void)0)
ANSWERS(int, socketpair, (int domain, int type, int protocol, int ends[2]), (domain, type, protocol, ends), (void)0,
        ENDS, result == 0, (void)0)

static char *reads_directory(char *to, size_t size)
{
	BEHIND(char *, call, (char *, size_t), getcwd)

	return call(to, size);
}

/* Without room of the program's it makes some. */
VTB_EXPORT char *getcwd(char *to, size_t size);
VTB_EXPORT char *getcwd(char *to, size_t size)
{
	const uint64_t pc = VTB_CALLER;
	char *const place = to;
	struct computed computed;

	if (!to || !vtb_rt_is_hooked(pc))
		return reads_directory(to, size);
	computed_start(&computed, pc);
	OUT(to, size);
	if (!reads_directory(to, size))
		return NULL;
	WROTE(0, vtb_real.strlen(to) + 1);
	vtb_answer_end(&computed);
	return place;
}

AROUND(ssize_t, getrandom, (void *to, size_t size, unsigned flags), (to, size, flags), result > 0,
       changes(to, size, pc))
AROUND(int, getentropy, (void *to, size_t size), (to, size), result == 0, changes(to, size, pc))

#define LOOKS_UP(name, room)                                                                                     \
	ANSWERS(int, name, (const char *path, struct room *to), (path, to), IN_TEXT(path), OUT(to, sizeof(*to)), \
	        result == 0, (void)0)
LOOKS_UP(stat, stat)
LOOKS_UP(lstat, stat)
LOOKS_UP(stat64, stat64)
LOOKS_UP(lstat64, stat64)

/* What stdio asks about its own descriptors it does not ask by this name. */
static void asks(int fd, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_self;

	if (!t || !vtb_rt_controls() || !vtb_sched.active || vtb_sched.exiting || vtb_sched_alone(t))
		return;
	t->base.pc = pc;
	vtb_op(t, &vtb_primitive_always, VTB_E_IO_READ, vtb_io_object(fd));
}

/* From the operation to the call nobody else goes on. */
#define ASKS(name, room)                                                                       \
	ANSWERS(int, name, (int fd, struct room *to), (fd, to), (void)0, OUT(to, sizeof(*to)); \
	        asks(fd, pc), result == 0, (void)0)
ASKS(fstat, stat)
ASKS(fstat64, stat64)

/* ---- memory that is taken away, or is other memory from now on: all that is in it changes */

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static void *fixed(void *at, int flags)
{
	return flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) ? at : NULL;
}
/* Of which file it is, or whether there is one, the descriptor says. */
static void maps(int flags, int fd, uint64_t pc)
{
	if (!(flags & MAP_ANONYMOUS))
		asks(fd, pc);
}
ROW(void *, mmap, (void *at, size_t size, int protection, int flags, int fd, off_t from),
    (at, size, protection, flags, fd, from), changes(fixed(at, flags), size, pc);
    maps(flags, fd, pc); at = vtb_mapped_place(at, size, flags))
ROW(void *, mmap64, (void *at, size_t size, int protection, int flags, int fd, off64_t from),
    (at, size, protection, flags, fd, from), changes(fixed(at, flags), size, pc);
    maps(flags, fd, pc); at = vtb_mapped_place(at, size, flags))
ROW(int, munmap, (void *at, size_t size), (at, size), changes(at, size, pc))
ROW(int, mprotect, (void *at, size_t size, int protection), (at, size, protection), changes(at, size, pc))
ROW(int, madvise, (void *at, size_t size, int advice), (at, size, advice),
    changes(advice == MADV_DONTNEED || advice == MADV_REMOVE ? at : NULL, size, pc))

/* Where it is to go is the last argument, if the flags say that there is one. */
static void remaps(void *at, size_t size, size_t to_size, int flags, void *to, uint64_t pc)
{
	changes(at, size > to_size ? size : to_size, pc); /* as large as it may become there */
	if (flags & MREMAP_FIXED)
		changes(to, to_size, pc);
}

VTB_EXPORT void *mremap(void *at, size_t size, size_t to_size, int flags, ...);
VTB_EXPORT void *mremap(void *at, size_t size, size_t to_size, int flags, ...)
{
	const uint64_t pc = VTB_CALLER;
	BEHIND(void *, call, (void *, size_t, size_t, int, void *), mremap)
	va_list ap;
	void *to;

	va_start(ap, flags);
	to = va_arg(ap, void *);
	va_end(ap);
	if (vtb_rt_is_hooked(pc))
		remaps(at, size, to_size, flags, to, pc);
	return call(at, size, to_size, flags, to);
}
