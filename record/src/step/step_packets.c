/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "step_packets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES (1u << 20)
#define ROOM_BYTES 1024u /* more than one call of ours writes */
#define STACK_DEPTH 64u
#define TNT_SHORT 6u
#define TNT_LONG 47u
#define TSC_EVERY 200u /* instructions */

/* Packets, by their first bytes: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3, "Intel
 * Processor Trace", "Packet Definitions". */
enum packet { TIP = 0x0d, TIP_PGE = 0x11, TIP_PGD = 0x01, FUP = 0x1d, TSC = 0x19, MODE = 0x99 };
enum { LONG_TNT = 0xa302, PSBEND = 0x2302 };
#define PSB_HALF 0x8202820282028202u /* two of them are one packet */
#define MODE_EXEC_64 0x01u           /* 64-bit code */

struct step_packets {
	FILE *file;
	uint8_t *buffer;
	size_t used;
	uint64_t written;  /* bytes handed to `file` */
	uint64_t last_psb; /* bytes written when the last PSB ended */
	uint64_t last_ip, last_tsc;
	uint64_t tnt; /* bits not yet written, oldest highest */
	unsigned n_tnt, max_tnt;
	uint32_t psb_bytes;
	bool compress, enabled, failed;
	uint64_t returns[STACK_DEPTH]; /* oldest first */
	unsigned n_returns;
};

static void flush_file(struct step_packets *p)
{
	p->failed |= fwrite(p->buffer, 1, p->used, p->file) != p->used;
	p->written += p->used;
	p->used = 0;
}

/* Little-endian. */
static void put(struct step_packets *p, uint64_t bytes, unsigned n)
{
	memcpy(p->buffer + p->used, &bytes, n);
	p->used += n;
}

/* The last branch is lowest, and a bit set above the first one says where they begin. */
static void put_tnt(struct step_packets *p)
{
	const uint64_t bits = p->tnt | 1ull << p->n_tnt;

	if (!p->n_tnt)
		return;
	if (p->n_tnt > TNT_SHORT) {
		put(p, LONG_TNT, 2);
		put(p, bits, 6);
	} else {
		put(p, bits << 1, 1);
	}
	p->tnt = 0;
	p->n_tnt = 0;
}

static void add_tnt(struct step_packets *p, bool taken)
{
	p->tnt = p->tnt << 1 | taken;
	if (++p->n_tnt == p->max_tnt)
		put_tnt(p);
}

/* How an address is shortened against the last one written. */
static unsigned compression(const struct step_packets *p, uint64_t ip)
{
	const uint64_t differs = ip ^ p->last_ip;

	if (!ip)
		return 0;
	if (!p->last_ip || differs >> 32)
		return 3;
	return differs >> 16 ? 2 : 1;
}

/* An address; 0: none. */
static void put_ip(struct step_packets *p, enum packet packet, uint64_t ip)
{
	static const uint8_t lengths[] = { 0, 2, 4, 6 };
	const unsigned how = compression(p, ip);

	put_tnt(p);
	put(p, packet | how << 5, 1);
	put(p, ip, lengths[how]);
	if (ip)
		p->last_ip = ip;
}

static void put_tsc(struct step_packets *p, uint64_t tsc)
{
	p->last_tsc = tsc;
	put(p, TSC, 1);
	put(p, tsc, 7);
}

static void put_mode(struct step_packets *p)
{
	put(p, MODE, 1);
	put(p, MODE_EXEC_64, 1);
}

/* A PSB and what belongs to it; ip 0: tracing is off. */
static void put_psb(struct step_packets *p, uint64_t tsc, uint64_t ip)
{
	put_tnt(p);
	put(p, PSB_HALF, 8);
	put(p, PSB_HALF, 8);
	p->last_ip = 0;
	p->n_returns = 0;
	put_tsc(p, tsc);
	if (ip) {
		put_mode(p);
		put_ip(p, FUP, ip);
	}
	put(p, PSBEND, 2);
	p->last_psb = p->written + p->used;
}

int step_packets_new(const char *path, const struct vtb_step_opts *opts, uint64_t tsc, struct step_packets **ret,
                     struct vtb_error *err)
{
	struct step_packets *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->buffer = malloc(BUFFER_BYTES);
	p->file = fopen(path, "wbe");
	if (!p->file || !p->buffer) {
		const int r = p->file ? -ENOMEM : -errno;

		p->failed = true;
		step_packets_free(p);
		return vtb_error_set(err, r, path, 0, "cannot write packets: %s", vtb_strerror(r));
	}
	p->max_tnt = opts->long_tnt ? TNT_LONG : TNT_SHORT;
	p->psb_bytes = opts->psb_bytes ? opts->psb_bytes : 4096;
	p->compress = !opts->no_ret_compression;
	put_psb(p, tsc, 0);
	*ret = p;
	return 0;
}

int64_t step_packets_free(struct step_packets *p)
{
	int64_t r;

	if (p->buffer && p->file) {
		put_tnt(p);
		flush_file(p);
	}
	if (p->file)
		p->failed |= fclose(p->file) != 0;
	r = p->failed ? -EIO : (int64_t)p->written;
	free(p->buffer);
	free(p);
	return r;
}

bool step_packets_enabled(const struct step_packets *p)
{
	return p->enabled;
}

void step_packets_enable(struct step_packets *p, uint64_t tsc, uint64_t ip)
{
	if (p->used > BUFFER_BYTES - ROOM_BYTES)
		flush_file(p);
	put_tsc(p, tsc);
	put_mode(p);
	put_ip(p, TIP_PGE, ip);
	p->n_returns = 0;
	p->enabled = true;
}

void step_packets_disable(struct step_packets *p, uint64_t at)
{
	put_tnt(p);
	if (at)
		put_ip(p, FUP, at);
	put_ip(p, TIP_PGD, 0);
	p->enabled = false;
}

static void push_return(struct step_packets *p, uint64_t ip)
{
	if (p->n_returns == STACK_DEPTH) {
		memmove(p->returns, p->returns + 1, (STACK_DEPTH - 1) * sizeof(*p->returns));
		p->n_returns--;
	}
	p->returns[p->n_returns++] = ip;
}

static void take_return(struct step_packets *p, uint64_t next)
{
	if (p->compress && p->n_returns && p->returns[p->n_returns - 1] == next) {
		p->n_returns--;
		add_tnt(p, true);
	} else {
		p->n_returns = 0;
		put_ip(p, TIP, next);
	}
}

void step_packets_executed(struct step_packets *p, uint64_t tsc, const struct step_insn *insn, uint64_t ip,
                           uint64_t next)
{
	const uint64_t after = ip + insn->size;

	switch (insn->class) {
	case STEP_COND:
		add_tnt(p, next != after);
		break;
	case STEP_CALL:
		if (next != after) /* a call to the next instruction only reads the program counter */
			push_return(p, after);
		break;
	case STEP_CALL_INDIRECT:
		put_ip(p, TIP, next);
		push_return(p, after);
		break;
	case STEP_JUMP_INDIRECT:
		put_ip(p, TIP, next);
		break;
	case STEP_RETURN:
		take_return(p, next);
		break;
	default:
		break;
	}
	if (p->used > BUFFER_BYTES - ROOM_BYTES)
		flush_file(p);
	if (p->written + p->used - p->last_psb > p->psb_bytes)
		put_psb(p, tsc, next);
	else if (!p->n_tnt && tsc - p->last_tsc > TSC_EVERY)
		put_tsc(p, tsc);
}
