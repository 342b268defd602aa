/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "step_packets.h"

#include <errno.h>
#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES (1u << 20)
#define ROOM_BYTES 1024u /* more than one call of ours writes */
#define STACK_DEPTH 64u
#define TNT_SHORT 6u
#define TNT_LONG 47u
#define TSC_EVERY 200u /* instructions */

struct step_packets {
	FILE *file;
	struct pt_encoder *encoder;
	uint8_t *buffer;
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

static uint64_t offset(const struct step_packets *p)
{
	uint64_t at = 0;

	pt_enc_get_offset(p->encoder, &at);
	return at;
}

static void flush_file(struct step_packets *p)
{
	const uint64_t n = offset(p);

	p->failed |= fwrite(p->buffer, 1, n, p->file) != n;
	p->written += n;
	pt_enc_sync_set(p->encoder, 0);
}

static void put(struct step_packets *p, const struct pt_packet *packet)
{
	p->failed |= pt_enc_next(p->encoder, packet) < 0;
}

static void put_simple(struct step_packets *p, enum pt_packet_type type)
{
	const struct pt_packet packet = { .type = type };

	put(p, &packet);
}

static void put_tnt(struct step_packets *p)
{
	struct pt_packet packet = { .type = p->n_tnt > TNT_SHORT ? ppt_tnt_64 : ppt_tnt_8 };

	if (!p->n_tnt)
		return;
	packet.payload.tnt.bit_size = (uint8_t)p->n_tnt;
	packet.payload.tnt.payload = p->tnt;
	put(p, &packet);
	p->tnt = 0;
	p->n_tnt = 0;
}

static void add_tnt(struct step_packets *p, bool taken)
{
	p->tnt = p->tnt << 1 | taken;
	if (++p->n_tnt == p->max_tnt)
		put_tnt(p);
}

/* An address, shortened against the last one written. */
static void put_ip(struct step_packets *p, enum pt_packet_type type, uint64_t ip)
{
	struct pt_packet packet = { .type = type };
	const uint64_t differs = ip ^ p->last_ip;

	put_tnt(p);
	packet.payload.ip.ip = ip;
	if (!ip)
		packet.payload.ip.ipc = pt_ipc_suppressed;
	else if (p->last_ip && !(differs >> 16))
		packet.payload.ip.ipc = pt_ipc_update_16;
	else if (p->last_ip && !(differs >> 32))
		packet.payload.ip.ipc = pt_ipc_update_32;
	else
		packet.payload.ip.ipc = pt_ipc_sext_48;
	if (packet.payload.ip.ipc == pt_ipc_update_16)
		packet.payload.ip.ip &= 0xffff;
	else if (packet.payload.ip.ipc == pt_ipc_update_32)
		packet.payload.ip.ip &= 0xffffffff;
	if (ip)
		p->last_ip = ip;
	put(p, &packet);
}

static void put_tsc(struct step_packets *p, uint64_t tsc)
{
	struct pt_packet packet = { .type = ppt_tsc };

	packet.payload.tsc.tsc = tsc;
	p->last_tsc = tsc;
	put(p, &packet);
}

static void put_mode(struct step_packets *p)
{
	struct pt_packet packet = { .type = ppt_mode };

	packet.payload.mode.leaf = pt_mol_exec;
	packet.payload.mode.bits.exec.csl = 1; /* 64 bit */
	put(p, &packet);
}

/* A PSB and what belongs to it; ip 0: tracing is off. */
static void put_psb(struct step_packets *p, uint64_t tsc, uint64_t ip)
{
	put_tnt(p);
	put_simple(p, ppt_psb);
	p->last_ip = 0;
	p->n_returns = 0;
	put_tsc(p, tsc);
	if (ip) {
		put_mode(p);
		put_ip(p, ppt_fup, ip);
	}
	put_simple(p, ppt_psbend);
	p->last_psb = p->written + offset(p);
}

int step_packets_new(const char *path, const struct vtb_step_opts *opts, uint64_t tsc, struct step_packets **ret,
                     struct vtb_error *err)
{
	struct step_packets *p = calloc(1, sizeof(*p));
	struct pt_config config;

	if (!p)
		return -ENOMEM;
	p->buffer = malloc(BUFFER_BYTES);
	p->file = fopen(path, "wbe");
	pt_config_init(&config);
	config.begin = p->buffer;
	config.end = p->buffer + BUFFER_BYTES;
	p->encoder = p->buffer ? pt_alloc_encoder(&config) : NULL;
	if (!p->file || !p->encoder) {
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

	if (p->encoder && p->file) {
		put_tnt(p);
		flush_file(p);
	}
	if (p->file)
		p->failed |= fclose(p->file) != 0;
	pt_free_encoder(p->encoder);
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
	if (offset(p) > BUFFER_BYTES - ROOM_BYTES)
		flush_file(p);
	put_tsc(p, tsc);
	put_mode(p);
	put_ip(p, ppt_tip_pge, ip);
	p->n_returns = 0;
	p->enabled = true;
}

void step_packets_disable(struct step_packets *p, uint64_t at)
{
	put_tnt(p);
	if (at)
		put_ip(p, ppt_fup, at);
	put_ip(p, ppt_tip_pgd, 0);
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
		put_ip(p, ppt_tip, next);
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
		put_ip(p, ppt_tip, next);
		push_return(p, after);
		break;
	case STEP_JUMP_INDIRECT:
		put_ip(p, ppt_tip, next);
		break;
	case STEP_RETURN:
		take_return(p, next);
		break;
	default:
		break;
	}
	if (offset(p) > BUFFER_BYTES - ROOM_BYTES)
		flush_file(p);
	if (p->written + offset(p) - p->last_psb > p->psb_bytes)
		put_psb(p, tsc, next);
	else if (!p->n_tnt && tsc - p->last_tsc > TSC_EVERY)
		put_tsc(p, tsc);
}
