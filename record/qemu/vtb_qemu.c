/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU user-mode TCG plugin: every memory access of an unmodified x86-64 program, with its address.
 *
 * QEMU's plugin API, version 1 (QEMU 4.2 to 8.x); Debian does not package its header, so the few prototypes are written
 * out here from the documented interface (docs/devel/tcg-plugins.rst).
 *
 * Output: DIR/vcpu-N-K.qacc, one file a thread (the K-th that had virtual processor N): struct vtb_qemu_header, then
 * struct vtb_qemu_access in program order. Files are appended to in blocks; a full disk counts what is lost in the
 * header. Arguments: dir=PATH [max=BYTES a thread]
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vtb/qemu_record.h"

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { QEMU_PLUGIN_CB_NO_REGS = 0, QEMU_PLUGIN_MEM_RW = 3 };

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                                  void (*cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
extern void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                             void (*cb)(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                                        void *arg),
                                             int flags, int rw, void *arg);
extern void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t id, unsigned vcpu));
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t id, void *arg), void *arg);
extern bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
extern uint64_t qemu_plugin_start_code(void);
extern uint64_t qemu_plugin_end_code(void);
extern unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);

#define EXPORT __attribute__((visibility("default")))
#define VCPUS_MAX 4096u
#define BLOCK 4096u /* accesses written at once */

EXPORT extern int qemu_plugin_version;
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);

/* Each virtual processor is one host thread, so its buffer needs no lock. */
struct vcpu {
	int fd; /* -1: cannot be written */
	uint32_t n;
	uint64_t written, lost;
	struct vtb_qemu_access block[BLOCK];
};

static struct vcpu *vcpus[VCPUS_MAX];
static uint32_t threads[VCPUS_MAX]; /* that a number was given to */
static char dir[3900];
static uint64_t max_bytes = UINT64_MAX;

static struct vcpu *open_vcpu(unsigned i)
{
	const struct vtb_qemu_header header = { .magic = VTB_QEMU_MAGIC,
		                                .version = VTB_QEMU_VERSION,
		                                .header_size = sizeof(header),
		                                .vcpu = i,
		                                .nth = threads[i],
		                                .code_lo = qemu_plugin_start_code(),
		                                .code_hi = qemu_plugin_end_code() };
	struct vcpu *v = calloc(1, sizeof(*v));
	char path[4000];

	if (!v)
		return NULL;
	snprintf(path, sizeof(path), "%s/vcpu-%u-%u.qacc", dir, i, threads[i]++);
	v->fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
	if (v->fd >= 0 && write(v->fd, &header, sizeof(header)) != (ssize_t)sizeof(header)) {
		close(v->fd);
		v->fd = -1;
	}
	return vcpus[i] = v;
}

static void flush(struct vcpu *v)
{
	const size_t size = v->n * sizeof(v->block[0]);

	if (v->fd < 0 || v->written + size > max_bytes || write(v->fd, v->block, size) != (ssize_t)size)
		v->lost += v->n;
	else
		v->written += size;
	v->n = 0;
}

static void close_vcpu(unsigned i)
{
	struct vcpu *v = i < VCPUS_MAX ? vcpus[i] : NULL;

	if (!v)
		return;
	flush(v);
	if (v->fd >= 0) {
		if (v->lost && pwrite(v->fd, &v->lost, sizeof(v->lost), offsetof(struct vtb_qemu_header, lost)) < 0)
			v->lost++; /* nothing more can be done from in here */
		close(v->fd);
	}
	vcpus[i] = NULL;
	free(v);
}

static void on_access(unsigned i, qemu_plugin_meminfo_t info, uint64_t addr, void *ip)
{
	struct vcpu *v = i < VCPUS_MAX ? vcpus[i] : NULL;

	if (!v && i < VCPUS_MAX)
		v = open_vcpu(i);
	if (!v)
		return;
	v->block[v->n++] =
	    (struct vtb_qemu_access){ .ip = (uint64_t)(uintptr_t)ip | (uint64_t)qemu_plugin_mem_is_store(info) << 63 |
		                            (uint64_t)(qemu_plugin_mem_size_shift(info) & 7) << 60,
		                      .addr = addr };
	if (v->n == BLOCK)
		flush(v);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	const size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
		                                 (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
	}
}

/* The number may be given to a later thread, which then gets a file of its own. */
static void on_vcpu_exit(qemu_plugin_id_t id, unsigned i)
{
	(void)id;
	close_vcpu(i);
}

static void on_exit_all(qemu_plugin_id_t id, void *arg)
{
	(void)id;
	(void)arg;
	for (unsigned i = 0; i < VCPUS_MAX; i++)
		close_vcpu(i);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "dir=", 4))
			snprintf(dir, sizeof(dir), "%s", argv[i] + 4);
		else if (!strncmp(argv[i], "max=", 4))
			max_bytes = strtoull(argv[i] + 4, NULL, 10);
	}
	if (!dir[0])
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_vcpu_exit_cb(id, on_vcpu_exit);
	qemu_plugin_register_atexit_cb(id, on_exit_all, NULL);
	return 0;
}
