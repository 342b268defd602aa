/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_build.h
 * Writes Intel PT packets with libipt's encoder, for tests on machines without PT.
 */
#ifndef TESTS_PT_BUILD_H
#define TESTS_PT_BUILD_H

#include <intel-pt.h>
#include <stdint.h>
#include <string.h>

struct pt_build {
	uint8_t bytes[65536];
	struct pt_encoder *encoder;
};

static inline void pt_begin(struct pt_build *b)
{
	struct pt_config config;

	memset(b->bytes, 0, sizeof(b->bytes));
	pt_config_init(&config);
	config.begin = b->bytes;
	config.end = b->bytes + sizeof(b->bytes);
	b->encoder = pt_alloc_encoder(&config);
}

static inline size_t pt_size(const struct pt_build *b)
{
	uint64_t offset = 0;

	pt_enc_get_offset(b->encoder, &offset);
	return offset;
}

static inline void pt_end(struct pt_build *b)
{
	pt_free_encoder(b->encoder);
}

static inline void pt_put(struct pt_build *b, struct pt_packet packet)
{
	pt_enc_next(b->encoder, &packet);
}

static inline void pt_simple(struct pt_build *b, enum pt_packet_type type)
{
	pt_put(b, (struct pt_packet){ .type = type });
}

/* FUP, TIP, TIP.PGE, TIP.PGD with a full address; ip 0: suppressed. */
static inline void pt_ip(struct pt_build *b, enum pt_packet_type type, uint64_t ip)
{
	struct pt_packet p = { .type = type };

	p.payload.ip.ipc = ip ? pt_ipc_sext_48 : pt_ipc_suppressed;
	p.payload.ip.ip = ip;
	pt_put(b, p);
}

static inline void pt_tsc(struct pt_build *b, uint64_t tsc)
{
	struct pt_packet p = { .type = ppt_tsc };

	p.payload.tsc.tsc = tsc;
	pt_put(b, p);
}

static inline void pt_mode64(struct pt_build *b)
{
	struct pt_packet p = { .type = ppt_mode };

	p.payload.mode.leaf = pt_mol_exec;
	p.payload.mode.bits.exec.csl = 1;
	pt_put(b, p);
}

/* "10110": taken, not taken, ... oldest first; up to 6. */
static inline void pt_tnt(struct pt_build *b, const char *bits)
{
	struct pt_packet p = { .type = ppt_tnt_8 };

	for (; *bits; bits++) {
		p.payload.tnt.payload = p.payload.tnt.payload << 1 | (*bits == '1');
		p.payload.tnt.bit_size++;
	}
	pt_put(b, p);
}

/* PSB+; ip 0: tracing is off. */
static inline void pt_psb(struct pt_build *b, uint64_t tsc, uint64_t ip)
{
	pt_simple(b, ppt_psb);
	if (tsc)
		pt_tsc(b, tsc);
	if (ip) {
		pt_mode64(b);
		pt_ip(b, ppt_fup, ip);
	}
	pt_simple(b, ppt_psbend);
}

static inline void pt_pge(struct pt_build *b, uint64_t ip)
{
	pt_mode64(b);
	pt_ip(b, ppt_tip_pge, ip);
}

#endif /* TESTS_PT_BUILD_H */
