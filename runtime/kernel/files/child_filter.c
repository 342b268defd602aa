/* SPDX-License-Identifier: BSD-2-Clause */
/* Which calls of child processes change files: by number, and by flags that stand in registers. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "base.h"
#include "child_files.h"

#define NEWEST 462u /* mseal; later calls are not known here */
#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
#define INSNS_MAX 512u

/* Besides those of the table that change something. */
static const uint16_t others[] = {
	SYS_shmctl,
	SYS_semctl,
	SYS_msgctl,
	SYS_mq_unlink,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_swapon,
	SYS_swapoff,
	SYS_acct,
	SYS_quotactl,
	SYS_chroot,
	SYS_setns,
	SYS_unshare,
	SYS_io_uring_setup,
	SYS_move_mount,
	SYS_fsmount,
	SYS_open_tree,
	SYS_fsopen,
	SYS_fspick,
	SYS_fsconfig,
	SYS_open_by_handle_at,
	442 /* mount_setattr */,
	443 /* quotactl_fd */,
};
static const uint32_t attribute_calls[] = { FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION };

static struct sock_filter insns[INSNS_MAX];
static uint16_t n_insns;

static bool is_change(long number)
{
	const struct vtb_syscall *row = vtb_syscall_row(number);

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i] == number)
			return true;
	return row->deed != DEED_NONE && row->deed != DEED_LOOK && row->deed != DEED_WRITE && row->deed != DEED_COPY;
}

/* Of calls that change something only by these flags, the argument that has them; -1: others. */
static int flags_of(long number)
{
	return number == SYS_open || number == SYS_mq_open ? 1 : number == SYS_openat ? 2 : -1;
}

bool vtb_child_files_asks(uint64_t number, const uint64_t *args)
{
	const int flags = flags_of((long)number);

	if (number > NEWEST)
		return true;
	return flags >= 0 ? (args[flags] & WRITES) != 0 : number == SYS_execve || is_change((long)number);
}

/* ---- as instructions */

static void put(uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	if (n_insns < INSNS_MAX)
		insns[n_insns++] = (struct sock_filter)BPF_JUMP(code, k, yes, no);
}

static void load(size_t offset)
{
	put(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void ask_if(uint16_t test, uint32_t k)
{
	put((uint16_t)(BPF_JMP | test | BPF_K), k, 0, 1);
	put(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF, 0, 0);
}

static void put_flagged(uint32_t number, int arg)
{
	put(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
	load(offsetof(struct seccomp_data, args) + 8ul * (size_t)arg);
	ask_if(BPF_JSET, WRITES);
	put(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

static void build(bool execs)
{
	load(offsetof(struct seccomp_data, arch));
	put(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	put(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF, 0, 0);
	load(offsetof(struct seccomp_data, nr));
	ask_if(BPF_JGT, NEWEST); /* those of X32, too */
	for (uint32_t i = 0; i <= NEWEST; i++)
		if (flags_of(i) >= 0)
			put_flagged(i, flags_of(i));
		else if (is_change(i) || (execs && (i == SYS_execve || i == SYS_execveat)))
			ask_if(BPF_JEQ, i);
	put(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 1, 0);
	put(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	load(offsetof(struct seccomp_data, args) + 8);
	for (size_t i = 0; i < sizeof(attribute_calls) / sizeof(*attribute_calls); i++)
		ask_if(BPF_JEQ, attribute_calls[i]);
	put(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

const struct sock_fprog *vtb_child_filter(bool execs)
{
	static struct sock_fprog program;

	if (!n_insns)
		build(execs);
	program = (struct sock_fprog){ .len = n_insns, .filter = insns };
	return n_insns < INSNS_MAX ? &program : NULL;
}
