/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls by their numbers: what they read and write at their arguments. Functions of libc that do little more
 * than make one are told so, and what programs make themselves by syscall().
 */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include <asm/prctl.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>

#include "told_memory.h"
#include "rows.h"

enum { FIXED, BY_COUNT, BY_ROOM, BY_BITS, BY_PAGES, BY_END };

struct place {
	short nr;
	uint8_t arg;
	bool reads;
	uint8_t how, other;
	unsigned size;
};

#define BYTES(n) FIXED, 0, n
#define MANY(n, size) BY_COUNT, n, size
#define ROOM(n) BY_ROOM, n, 0
#define BITS(n) BY_BITS, n, 0
#define PAGES(n) BY_PAGES, n, 0
#define TEXT BY_END, 0, 0
#define LEAVES(nr, arg, ...) { SYS_##nr, arg, false, __VA_ARGS__ },
#define LOOKS(nr, arg, ...) { SYS_##nr, arg, true, __VA_ARGS__ },
static const struct place places[] = {
#include "call_results.def"
};

static void meets(const void *at, size_t size, bool reads, uint64_t pc)
{
	if (reads)
		looks(at, size, pc);
	else
		changes(at, size, pc);
}

/* An argument may be a number, and what is no memory the kernel refuses. */
static bool is_memory(const void *at)
{
	uint64_t byte;

	return at && vtb_rt_peek(at, 1, &byte);
}

static void reads_or_writes(const void *at, size_t size, bool reads, uint64_t pc)
{
	if (is_memory(at))
		meets(at, size, reads, pc);
}

void vtb_rt_tell_text(const char *text, uint64_t pc)
{
	uint64_t at = (uint64_t)text, byte = 1;

	if (vtb_rt_is_constant(at))
		return;
	while (byte)
		if (!vtb_rt_load_if(at++, 0, &byte))
			return;
	looks(text, at - (uint64_t)text, pc);
}

static void tell_place(const struct place *p, const long *args, uint64_t pc)
{
	const void *at = (const void *)args[p->arg];
	const long other = args[p->other];
	const socklen_t *room = (const socklen_t *)other;
	size_t size = p->size;

	if (p->how == BY_END)
		vtb_rt_tell_text(at, pc);
	if (!at || (p->how != FIXED && other <= 0) || p->how == BY_END)
		return;
	if (p->how == BY_COUNT)
		size *= (size_t)other;
	else if (p->how == BY_BITS)
		size = ((size_t)other + 63) / 64 * 8;
	else if (p->how == BY_PAGES)
		size = ((size_t)other + 4095) / 4096;
	else if (p->how == BY_ROOM)
		size = *room;
	reads_or_writes(at, size, p->reads, pc);
	if (p->how == BY_ROOM)
		changes(room, sizeof(*room), pc);
}

/* ---- those whose arguments say more */

static void each_part(const struct iovec *parts, size_t n, bool reads, uint64_t pc)
{
	looks(parts, n * sizeof(*parts), pc);
	for (size_t i = 0; i < n; i++)
		meets(parts[i].iov_base, parts[i].iov_len, reads, pc);
}

void vtb_rt_tell_message(const struct msghdr *m, bool reads, uint64_t pc)
{
	reads_or_writes(m->msg_name, m->msg_namelen, reads, pc);
	reads_or_writes(m->msg_control, m->msg_controllen, reads, pc);
	if (reads)
		looks(m, sizeof(*m), pc);
}

static void each_message(struct mmsghdr *all, size_t n, bool reads, uint64_t pc)
{
	for (size_t i = 0; i < n; i++) {
		each_part(all[i].msg_hdr.msg_iov, all[i].msg_hdr.msg_iovlen, reads, pc);
		vtb_rt_tell_message(&all[i].msg_hdr, reads, pc);
	}
	changes(all, n * sizeof(*all), pc);
}

#define UNKNOWN 64u /* bytes, of what a driver understands alone */

/* Requests that are older than the rule that they say themselves what they do. */
static void tell_request(unsigned long request, const void *at, uint64_t pc)
{
	switch (request) {
	case TCSETS:
	case TCSETSW:
	case TCSETSF:
	case TIOCSWINSZ:
	case TIOCSPGRP:
	case FIONBIO:
	case FIOASYNC:
		looks(at, request == FIONBIO || request == FIOASYNC || request == TIOCSPGRP ? sizeof(int) : 8, pc);
		return;
	case FIOCLEX:
	case FIONCLEX:
	case TIOCSCTTY:
	case TIOCNOTTY:
		return;
	case FIONREAD:
	case TIOCOUTQ:
	case TIOCGPGRP:
	case TIOCGSID:
		changes(at, sizeof(int), pc);
		return;
	case TIOCGWINSZ:
		changes(at, sizeof(struct winsize), pc);
		return;
	default:
		break;
	}
	if (_IOC_DIR(request) == _IOC_WRITE)
		looks(at, _IOC_SIZE(request), pc);
	else
		changes(at, _IOC_DIR(request) & _IOC_READ ? _IOC_SIZE(request) : UNKNOWN, pc);
}

static void tell_file_control(long command, const void *at, uint64_t pc)
{
	switch (command) {
	case F_GETLK:
	case F_OFD_GETLK:
		reads_or_writes(at, sizeof(struct flock), false, pc);
		break;
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		reads_or_writes(at, sizeof(struct flock), true, pc);
		break;
	case F_GETOWN_EX:
	case F_GET_RW_HINT:
	case F_GET_FILE_RW_HINT:
		reads_or_writes(at, 8, false, pc);
		break;
	case F_SETOWN_EX:
	case F_SET_RW_HINT:
	case F_SET_FILE_RW_HINT:
		reads_or_writes(at, 8, true, pc);
		break;
	default:
		break;
	}
}

/* Of a queue, a segment or a set of the System V kind: `size` bytes that describe it. */
static void tell_described(long command, const void *at, size_t size, uint64_t pc)
{
	const bool asks = command == IPC_STAT || command == SHM_STAT || command == MSG_STAT || command == SEM_STAT ||
	                  command == IPC_INFO || command == SHM_INFO || command == MSG_INFO || command == SEM_INFO;

	if (asks || command == IPC_SET)
		reads_or_writes(at, size, command == IPC_SET, pc);
}

static void tell_semaphores(long id, long command, const void *at, uint64_t pc)
{
	struct semid_ds set;

	if (command != GETALL && command != SETALL)
		tell_described(command, at, sizeof(set), pc);
	else if (!sys6(SYS_semctl, id, 0, IPC_STAT, (long)&set, 0, 0))
		reads_or_writes(at, set.sem_nsems * sizeof(unsigned short), command == SETALL, pc);
}

static void tell_more(long nr, const long *args, uint64_t pc)
{
	const void *third = (const void *)args[2];

	switch (nr) {
	case SYS_readv:
	case SYS_preadv:
	case SYS_preadv2:
	case SYS_writev:
	case SYS_pwritev:
	case SYS_pwritev2:
		each_part((const struct iovec *)args[1], (size_t)args[2],
		          nr == SYS_writev || nr == SYS_pwritev || nr == SYS_pwritev2, pc);
		break;
	case SYS_recvmmsg:
	case SYS_sendmmsg:
		each_message((struct mmsghdr *)args[1], (size_t)args[2], nr == SYS_sendmmsg, pc);
		break;
	case SYS_recvmsg:
	case SYS_sendmsg: {
		const struct msghdr *m = (const struct msghdr *)args[1];

		each_part(m->msg_iov, m->msg_iovlen, nr == SYS_sendmsg, pc);
		vtb_rt_tell_message(m, nr == SYS_sendmsg, pc);
		if (nr == SYS_recvmsg)
			changes(m, sizeof(*m), pc);
		break;
	}
	case SYS_ioctl:
		if (is_memory(third))
			tell_request((unsigned long)args[1], third, pc);
		break;
	case SYS_fcntl:
		tell_file_control(args[1], third, pc);
		break;
	case SYS_vmsplice:
		each_part((const struct iovec *)args[1], (size_t)args[2], true, pc);
		break;
	case SYS_shmctl:
		tell_described(args[1], third, sizeof(struct shmid_ds), pc);
		break;
	case SYS_msgctl:
		tell_described(args[1], third, sizeof(struct msqid_ds), pc);
		break;
	case SYS_semctl:
		tell_semaphores(args[0], args[2], (const void *)args[3], pc);
		break;
	case SYS_msgsnd:
		reads_or_writes((const void *)args[1], sizeof(long) + (size_t)args[2], true, pc);
		break;
	case SYS_arch_prctl:
		if (args[0] == ARCH_GET_FS || args[0] == ARCH_GET_GS)
			reads_or_writes((const void *)args[1], sizeof(long), false, pc);
		break;
	case SYS_prctl:
		if (args[0] == PR_SET_NAME && is_memory((const void *)args[1]))
			looks_start((const char *)args[1], 16, pc);
		else if (args[0] == PR_GET_NAME)
			changes((const void *)args[1], 16, pc);
		else if (args[0] == PR_GET_PDEATHSIG || args[0] == PR_GET_CHILD_SUBREAPER)
			changes((const void *)args[1], sizeof(int), pc);
		break;
	default:
		break;
	}
}

static void tell_places(long nr, const long *args, bool failed, uint64_t pc)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (places[i].nr == nr && (places[i].reads || !failed))
			tell_place(&places[i], args, pc);
}

void vtb_rt_tell_call(long nr, const long args[6], uint64_t pc)
{
	const int saved = errno;

	tell_places(nr, args, false, pc);
	tell_more(nr, args, pc);
	errno = saved;
}

void vtb_rt_tell_failed_call(long nr, const long args[6], uint64_t pc)
{
	const int saved = errno;

	tell_places(nr, args, true, pc);
	errno = saved;
}
