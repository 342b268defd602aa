/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the libipt adapter that knows code: images for its decoders, and single instructions for pt_code.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pt_flow.h"
#include "pt_flow_image.h"
#include "pt_image.h"

#define SECTION_CACHE_BYTES (1ull << 30) /* libipt drops its block caches beyond this much mapped code */

/* ------------------------------------------------------------------ image */

static int read_bytes(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip, void *context)
{
	const size_t n = vtb_pt_image_read(context, ip, buffer, size);

	(void)asid;
	return n ? (int)n : -pte_nomap;
}

/* Sections of files go through a section cache (libipt keeps a cache of decoded blocks for each), the rest through
 * read_bytes(). */
struct shared {
	struct pt_image_section_cache *cache;
	int *ids; /* of each section, < 0: none */
};

static void shared_free(void *p)
{
	struct shared *shared = p;

	pt_iscache_free(shared->cache);
	free(shared->ids);
	free(shared);
}

static struct shared *shared_of(struct vtb_pt_image *image)
{
	struct shared *shared = image->shared;

	if (shared)
		return shared;
	shared = calloc(1, sizeof(*shared));
	if (!shared)
		return NULL;
	shared->cache = pt_iscache_alloc(NULL);
	shared->ids = calloc(image->n_sections + 1, sizeof(*shared->ids));
	if (!shared->cache || !shared->ids || pt_iscache_set_limit(shared->cache, SECTION_CACHE_BYTES) < 0) {
		shared_free(shared);
		return NULL;
	}
	for (size_t i = 0; i < image->n_sections; i++) {
		const struct vtb_pt_section *s = &image->sections[i];

		shared->ids[i] = -1;
		if (s->file->path)
			shared->ids[i] =
			    pt_iscache_add_file(shared->cache, s->file->path, s->offset, s->hi - s->lo, s->lo);
	}
	image->shared = shared;
	image->shared_free = shared_free;
	return shared;
}

/* libipt's images are not for several threads, so every decoding thread has its own. */
struct pt_image *vtb_pt_flow_image(const struct vtb_pt_image *image)
{
	/* The lazily made cache is the only thing that changes; callers make it before they start threads. */
	struct vtb_pt_image *owner = (struct vtb_pt_image *)(uintptr_t)image;
	struct shared *shared = shared_of(owner);
	struct pt_image *out;

	if (!shared)
		return NULL;
	out = pt_image_alloc(NULL);
	if (!out)
		return NULL;
	pt_image_set_callback(out, read_bytes, owner);
	for (size_t i = 0; i < image->n_sections; i++)
		if (shared->ids[i] >= 0)
			pt_image_add_cached(out, shared->cache, shared->ids[i], NULL);
	return out;
}

/* ------------------------------------------------------------------ single instructions */

/* libipt decodes instructions only along a trace, so the probe holds the shortest one: PSB, MODE.Exec (64 bit), FUP
 * with the address, PSBEND. */
struct vtb_pt_probe {
	struct pt_insn_decoder *decoder;
	struct pt_image *image;
	uint8_t packets[32];
};

static const uint8_t probe_packets[32] = {
	0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, /* PSB */
	0x99, 0x01,                                                                                     /* MODE.Exec */
	0xdd, 0,    0,    0,    0,    0,    0,    0,    0, /* FUP, 64-bit address */
	0x02, 0x23,                                        /* PSBEND */
	0,    0,    0,                                     /* PAD */
};
#define PROBE_ADDRESS 19u

int vtb_pt_probe_new(const struct vtb_pt_image *image, struct vtb_pt_probe **ret)
{
	struct vtb_pt_probe *probe = calloc(1, sizeof(*probe));
	struct pt_config config;

	if (!probe)
		return -ENOMEM;
	memcpy(probe->packets, probe_packets, sizeof(probe_packets));
	pt_config_init(&config);
	config.begin = probe->packets;
	config.end = probe->packets + sizeof(probe->packets);
	probe->image = vtb_pt_flow_image(image);
	probe->decoder = pt_insn_alloc_decoder(&config);
	if (!probe->image || !probe->decoder || pt_insn_set_image(probe->decoder, probe->image) < 0) {
		vtb_pt_probe_free(probe);
		return -ENOMEM;
	}
	*ret = probe;
	return 0;
}

void vtb_pt_probe_free(struct vtb_pt_probe *probe)
{
	if (!probe)
		return;
	pt_insn_free_decoder(probe->decoder);
	pt_image_free(probe->image);
	free(probe);
}

/* Position of the opcode: after legacy prefixes and REX. */
static unsigned opcode_at(const struct pt_insn *insn)
{
	unsigned i = 0;

	while (i + 1u < insn->size &&
	       (strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", insn->raw[i]) != NULL && insn->raw[i]))
		i++;
	return i + 1u < insn->size && (insn->raw[i] & 0xf0) == 0x40 ? i + 1 : i;
}

/* A near direct branch ends in its displacement: 4 bytes after E8, E9 and 0F 8x, 1 byte after the others. */
static uint64_t branch_target(const struct pt_insn *insn, uint8_t opcode)
{
	const bool wide = opcode == 0xe8 || opcode == 0xe9 || opcode == 0x0f;
	int32_t by32;

	if (!wide)
		return insn->ip + insn->size + (uint64_t)(int64_t)(int8_t)insn->raw[insn->size - 1];
	memcpy(&by32, insn->raw + insn->size - 4, 4);
	return insn->ip + insn->size + (uint64_t)(int64_t)by32;
}

static void classify(const struct pt_insn *insn, struct vtb_pt_insn *ret)
{
	const uint8_t opcode = insn->raw[opcode_at(insn)];
	const bool indirect = opcode == 0xff;

	*ret = (struct vtb_pt_insn){ .ip = insn->ip, .size = insn->size, .class = VTB_PT_OTHER };
	switch (insn->iclass) {
	case ptic_call:
		ret->class = indirect ? VTB_PT_CALL_INDIRECT : VTB_PT_CALL;
		break;
	case ptic_jump:
		ret->class = indirect ? VTB_PT_JUMP_INDIRECT : VTB_PT_JUMP;
		break;
	case ptic_cond_jump:
		ret->class = VTB_PT_COND;
		break;
	case ptic_return:
		ret->class = VTB_PT_RETURN;
		break;
	case ptic_far_call:
	case ptic_far_return:
	case ptic_far_jump:
		ret->class = VTB_PT_FAR;
		break;
	default:
		break;
	}
	if (ret->class == VTB_PT_CALL || ret->class == VTB_PT_JUMP || ret->class == VTB_PT_COND)
		ret->target = branch_target(insn, opcode);
}

int vtb_pt_probe_at(struct vtb_pt_probe *probe, uint64_t ip, struct vtb_pt_insn ret[VTB_PT_PROBE_MAX])
{
	struct pt_insn insn;
	struct pt_event event;
	int status, n = 0;

	memcpy(probe->packets + PROBE_ADDRESS, &ip, sizeof(ip));
	status = pt_insn_sync_set(probe->decoder, 0);
	while (status >= 0 && n < (int)VTB_PT_PROBE_MAX) {
		while (status >= 0 && (status & pts_event_pending))
			status = pt_insn_event(probe->decoder, &event, sizeof(event));
		if (status < 0)
			break;
		insn.iclass = ptic_error;
		insn.size = 0;
		status = pt_insn_next(probe->decoder, &insn, sizeof(insn));
		if (insn.iclass == ptic_error || insn.size == 0)
			break;
		classify(&insn, &ret[n++]);
		if (ret[n - 1].class != VTB_PT_OTHER)
			break;
	}
	return n ? n : -VTB_E_DESYNC;
}
