/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The adapter to libipt (with pt_flow_probe.c; no other file here includes intel-pt.h): packets to blocks. */
#include "pt_flow.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "pt_flow_image.h"
#include "vtb/array.h"

#define PSB_SIZE 16u
#define TAIL_MAX (1u << 20) /* instructions that no packet steers; more is an endless loop */

/* ------------------------------------------------------------------ flow */

/* What one decoding thread keeps between segments. */
struct worker {
	struct pt_image *image;
	struct vtb_pt_code *code; /* for the tails only */
};

struct vtb_pt_flow {
	const uint8_t *buffer;
	size_t size;
	struct pt_config config;
	const struct vtb_pt_image *image;
	struct worker workers[VTB_PT_JOBS_MAX];
	uint64_t *psbs;
	size_t n_psbs, cap_psbs;
};

static const uint8_t psb[PSB_SIZE] = { 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
	                               0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82 };

static int find_psbs(struct vtb_pt_flow *flow)
{
	size_t at = 0;

	while (at + PSB_SIZE <= flow->size) {
		const uint8_t *hit = memmem(flow->buffer + at, flow->size - at, psb, PSB_SIZE);

		if (!hit)
			break;
		if (vtb_array_room(flow, psbs) < 0)
			return -ENOMEM;
		flow->psbs[flow->n_psbs++] = (uint64_t)(hit - flow->buffer);
		at = (size_t)(hit - flow->buffer) + PSB_SIZE;
	}
	return 0;
}

int vtb_pt_flow_new(const void *buffer, size_t size, const struct vtb_pt_cpu *cpu, const struct vtb_pt_image *image,
                    struct vtb_pt_flow **ret)
{
	struct vtb_pt_flow *flow = calloc(1, sizeof(*flow));
	struct pt_config *config;

	if (!flow)
		return -ENOMEM;
	flow->buffer = buffer;
	flow->size = size;
	flow->image = image;
	config = &flow->config;
	pt_config_init(config);
	config->begin = (uint8_t *)(uintptr_t)buffer; /* libipt's decoders only read */
	if (cpu && cpu->family) {
		config->cpu = (struct pt_cpu){
			.vendor = pcv_intel, .family = cpu->family, .model = cpu->model, .stepping = cpu->stepping
		};
		pt_cpu_errata(&config->errata, &config->cpu);
	}
	if (cpu) {
		config->mtc_freq = cpu->mtc_freq;
		config->nom_freq = cpu->nom_freq;
		config->cpuid_0x15_eax = cpu->cpuid_15_eax;
		config->cpuid_0x15_ebx = cpu->cpuid_15_ebx;
	}
	if (find_psbs(flow) < 0) {
		vtb_pt_flow_free(flow);
		return -ENOMEM;
	}
	*ret = flow;
	return 0;
}

void vtb_pt_flow_free(struct vtb_pt_flow *flow)
{
	if (!flow)
		return;
	for (unsigned i = 0; i < VTB_PT_JOBS_MAX; i++) {
		pt_image_free(flow->workers[i].image);
		vtb_pt_code_free(flow->workers[i].code);
	}
	free(flow->psbs);
	free(flow);
}

size_t vtb_pt_flow_segments(const struct vtb_pt_flow *flow)
{
	return flow->n_psbs;
}

uint64_t vtb_pt_flow_offset(const struct vtb_pt_flow *flow, size_t segment)
{
	return segment < flow->n_psbs ? flow->psbs[segment] : flow->size;
}

void vtb_pt_items_fini(struct vtb_pt_items *items)
{
	free(items->items);
	free(items->gaps);
	*items = (struct vtb_pt_items){ 0 };
}

void vtb_pt_items_clear(struct vtb_pt_items *items)
{
	items->n_items = items->n_gaps = 0;
	items->instructions = 0;
	items->joins = false;
}

/* One segment being decoded. */
struct segment {
	struct vtb_pt_flow *flow;
	struct worker *worker;
	struct vtb_pt_items *out;
	struct pt_block_decoder *decoder;
	uint64_t begin, end; /* offsets in the buffer */
	bool last;           /* no PSB follows */
	uint64_t next_ip;    /* address in the PSB that follows; 0: tracing was off there */
	bool enabled;        /* tracing is on */
	bool mode64;         /* packets have said that the code is 64-bit code */
	uint64_t tsc;
	uint64_t ip;              /* where the next block should start, as far as known */
	uint64_t seen, unsteered; /* offset at which the decoder was last seen, instructions since */
};

static int put(struct segment *s, enum vtb_pt_kind kind, uint64_t value, uint32_t n)
{
	if (vtb_array_room(s->out, items) < 0)
		return -ENOMEM;
	s->out->items[s->out->n_items++] = (struct vtb_pt_item){ .value = value, .n = n, .kind = kind };
	return 0;
}

static int put_gap(struct segment *s, struct vtb_pt_gap gap)
{
	if (vtb_array_room(s->out, gaps) < 0)
		return -ENOMEM;
	gap.tsc = s->tsc;
	s->out->gaps[s->out->n_gaps++] = gap;
	return put(s, VTB_PT_GAP, s->out->n_gaps - 1, 0);
}

static int put_time(struct segment *s, uint64_t tsc)
{
	if (tsc == s->tsc)
		return 0;
	s->tsc = tsc;
	return put(s, VTB_PT_TIME, tsc, 0);
}

/* Everything up to the next PSB is lost. */
static int put_loss(struct segment *s, int status, uint64_t ip)
{
	uint64_t offset = s->begin;

	pt_blk_get_offset(s->decoder, &offset);
	return put_gap(s, (struct vtb_pt_gap){
	                      .kind = status == -pte_nomap ? VTB_PT_GAP_UNMAPPED : VTB_PT_GAP_DECODE,
	                      .code = -status,
	                      .offset = offset,
	                      .resume = s->end,
	                      .ip = ip,
	                  });
}

static int put_event(struct segment *s, const struct pt_event *event)
{
	int r = event->has_tsc && event->tsc > s->tsc ? put_time(s, event->tsc) : 0;

	if (r < 0)
		return r;
	switch (event->type) {
	case ptev_enabled:
		s->enabled = true;
		s->ip = event->variant.enabled.ip;
		return put(s, VTB_PT_ENABLED, s->ip, event->variant.enabled.resumed);
	case ptev_disabled:
		s->enabled = false;
		return put(s, VTB_PT_DISABLED, event->has_tsc ? event->tsc : 0, 0);
	case ptev_async_disabled:
		s->enabled = false;
		r = put(s, VTB_PT_ASYNC, event->variant.async_disabled.at, 0);
		return r < 0 ? r : put(s, VTB_PT_DISABLED, event->has_tsc ? event->tsc : 0, 0);
	case ptev_async_branch:
		return put(s, VTB_PT_BRANCH, event->variant.async_branch.from, 0);
	case ptev_overflow:
		s->enabled = !event->ip_suppressed;
		s->ip = event->ip_suppressed ? 0 : event->variant.overflow.ip;
		return put_gap(s, (struct vtb_pt_gap){ .kind = VTB_PT_GAP_OVERFLOW, .ip = s->ip });
	case ptev_exec_mode:
		s->mode64 = event->variant.exec_mode.mode == ptem_64bit;
		return 0;
	default: /* power states, paging and the like say nothing about this program's flow */
		return 0;
	}
}

/* Take all pending events. Returns libipt's status, or -pte_nomem. */
static int take_events(struct segment *s, int status)
{
	struct pt_event event;

	while (status >= 0 && (status & pts_event_pending)) {
		status = pt_blk_event(s->decoder, &event, sizeof(event));
		if (status >= 0 && put_event(s, &event) < 0)
			return -pte_nomem;
	}
	return status;
}

static int put_block(struct segment *s, const struct pt_block *block, uint32_t n)
{
	s->out->instructions += n;
	return n ? put(s, VTB_PT_BLOCK, block->ip, n) : 0;
}

/* Time packets read ahead belong after the block before: libipt reads on to the next packet that steers the flow. */
static int put_time_now(struct segment *s)
{
	uint64_t tsc = 0;

	return pt_blk_time(s->decoder, &tsc, NULL, NULL) >= 0 ? put_time(s, tsc) : 0;
}

/* Instructions of the block before `ip`, or -ENOENT if `ip` is not in it. */
static int64_t find_in_block(struct segment *s, const struct pt_block *block, uint64_t ip)
{
	struct vtb_pt_code *code = s->worker->code;
	int64_t index = vtb_pt_code_at(code, block->ip);

	for (uint32_t i = 0; index >= 0 && i < block->ninsn; i++) {
		if (vtb_pt_code_insn(code, (uint32_t)index)->ip == ip)
			return i;
		if (i + 1u < block->ninsn)
			index = vtb_pt_code_next(code, (uint32_t)index);
	}
	return index == -ENOMEM ? -ENOMEM : -ENOENT;
}

static int put_join_gap(struct segment *s)
{
	return put_gap(s,
	               (struct vtb_pt_gap){ .kind = VTB_PT_GAP_JOIN, .offset = s->end, .resume = s->end, .ip = s->ip });
}

/* All packets are used up. The code runs on without branches that need one to the place where the next PSB stands:
 * decode that far. */
static int decode_tail(struct segment *s)
{
	const uint64_t to = s->next_ip;
	uint32_t total = 0;

	if (!s->enabled || !to) {
		s->out->joins = !s->enabled && !to;
		return s->out->joins ? 0 : put_join_gap(s);
	}
	while (total < TAIL_MAX) {
		struct pt_block block = { .ip = s->ip };
		const int status = pt_blk_next(s->decoder, &block, sizeof(block));
		const int64_t cut = find_in_block(s, &block, to);

		if (cut == -ENOMEM)
			return -ENOMEM;
		if (cut >= 0) {
			s->out->joins = true;
			return put_block(s, &block, (uint32_t)cut);
		}
		if (put_block(s, &block, block.ninsn) < 0)
			return -ENOMEM;
		if (status < 0 || (status & pts_event_pending))
			break;
		total += block.ninsn;
	}
	return put_join_gap(s);
}

/* Damaged packets may lead into a loop of direct jumps, which no packet ends. */
static bool is_stuck(struct segment *s, uint32_t n)
{
	uint64_t offset = 0;

	s->unsteered += n;
	if (s->unsteered < TAIL_MAX)
		return false;
	pt_blk_get_offset(s->decoder, &offset);
	if (offset == s->seen)
		return true;
	s->seen = offset;
	s->unsteered = 0;
	return false;
}

/* How much of the loop was decoded depends on how blocks were cut: what follows the last item that does not depend on
 * it is lost, too. */
static int lose_loop(struct segment *s)
{
	struct vtb_pt_items *out = s->out;
	size_t n = out->n_items;

	while (n > 0 && (out->items[n - 1].kind == VTB_PT_BLOCK || out->items[n - 1].kind == VTB_PT_TIME)) {
		n--;
		if (out->items[n].kind == VTB_PT_BLOCK)
			out->instructions -= out->items[n].n;
	}
	out->n_items = n;
	return put_loss(s, 0, 0);
}

static int decode_blocks(struct segment *s)
{
	int status = pt_blk_sync_set(s->decoder, s->begin);

	if (status >= 0 && put_time_now(s) < 0)
		return -ENOMEM;
	for (;;) {
		struct pt_block block = { .ip = s->ip };

		status = take_events(s, status);
		if (status < 0 || (status & pts_eos))
			break;
		if (s->enabled && !s->mode64) /* libipt's cache of blocks does not tell modes apart: what it says would
		                                 depend on what was decoded before */
			return put_loss(s, 0, s->ip);
		if (put_time_now(s) < 0)
			return -ENOMEM;
		status = pt_blk_next(s->decoder, &block, sizeof(block));
		if (put_block(s, &block, block.ninsn) < 0)
			return -ENOMEM;
		s->ip = block.ninsn ? 0 : block.ip;
		if (is_stuck(s, block.ninsn))
			return lose_loop(s);
	}
	if (status == -pte_nomem)
		return -ENOMEM;
	if (status < 0 && status != -pte_eos)
		return put_loss(s, status, s->ip);
	return s->last ? 0 : decode_tail(s);
}

/* State at the PSB at `offset`: its address, 0 if tracing is off there; *ret_ok says whether it can be read at all. */
static int look_at_psb(struct segment *s, uint64_t offset, uint64_t *ret_ip)
{
	struct pt_config config = s->flow->config;
	struct pt_query_decoder *query;
	int status;

	config.end = (uint8_t *)(uintptr_t)s->flow->buffer + s->flow->size;
	query = pt_qry_alloc_decoder(&config);
	if (!query)
		return -ENOMEM;
	*ret_ip = 0;
	status = pt_qry_sync_set(query, ret_ip, offset);
	if (status < 0 || (status & pts_ip_suppressed))
		*ret_ip = 0;
	pt_qry_free_decoder(query);
	return 0;
}

static int decode_segment(struct vtb_pt_flow *flow, struct worker *worker, size_t index, struct vtb_pt_items *out)
{
	struct segment s = { .flow = flow,
		             .worker = worker,
		             .out = out,
		             .begin = flow->psbs[index],
		             .last = index + 1 == flow->n_psbs };
	struct pt_config config = flow->config;
	int r;

	s.end = vtb_pt_flow_offset(flow, index + 1);
	config.end = (uint8_t *)(uintptr_t)flow->buffer + s.end;
	r = look_at_psb(&s, s.begin, &s.ip);
	s.enabled = s.ip != 0;
	if (r >= 0 && !s.last)
		r = look_at_psb(&s, s.end, &s.next_ip);
	if (r < 0)
		return r;
	s.decoder = pt_blk_alloc_decoder(&config);
	if (!s.decoder)
		return -ENOMEM;
	r = pt_blk_set_image(s.decoder, worker->image) < 0 ? -ENOMEM : decode_blocks(&s);
	pt_blk_free_decoder(s.decoder);
	return r;
}

/* ------------------------------------------------------------------ several threads */

struct batch {
	struct vtb_pt_flow *flow;
	struct vtb_pt_items *out;
	size_t first, n;
	atomic_size_t next; /* segment to be taken */
	atomic_int error;
};

struct job {
	struct batch *batch;
	struct worker *worker;
};

static void *run_job(void *arg)
{
	struct job *job = arg;
	struct batch *batch = job->batch;

	for (;;) {
		const size_t i = atomic_fetch_add(&batch->next, 1);
		int r;

		if (i >= batch->n || atomic_load(&batch->error) < 0)
			return NULL;
		r = decode_segment(batch->flow, job->worker, batch->first + i, &batch->out[i]);
		if (r < 0)
			atomic_store(&batch->error, r);
	}
}

static int prepare_worker(struct vtb_pt_flow *flow, struct worker *worker)
{
	if (!worker->image)
		worker->image = vtb_pt_flow_image(flow->image);
	if (!worker->image)
		return -ENOMEM;
	return worker->code ? 0 : vtb_pt_code_new(flow->image, &worker->code);
}

int vtb_pt_flow_decode(struct vtb_pt_flow *flow, size_t first, size_t n, unsigned jobs, struct vtb_pt_items *ret)
{
	struct batch batch = { .flow = flow, .out = ret, .first = first, .n = n };
	struct job job[VTB_PT_JOBS_MAX];
	pthread_t threads[VTB_PT_JOBS_MAX];
	unsigned started = 0;

	if (first > flow->n_psbs || n > flow->n_psbs - first)
		return -EINVAL;
	jobs = jobs < 1 ? 1 : jobs > VTB_PT_JOBS_MAX ? VTB_PT_JOBS_MAX : jobs;
	jobs = jobs > n ? (unsigned)n : jobs;
	for (unsigned i = 0; i < jobs; i++) {
		const int r = prepare_worker(flow, &flow->workers[i]);

		if (r < 0)
			return r;
		job[i] = (struct job){ .batch = &batch, .worker = &flow->workers[i] };
	}
	for (unsigned i = 1; i < jobs; i++)
		if (pthread_create(&threads[started], NULL, run_job, &job[i]) == 0)
			started++;
	if (jobs)
		run_job(&job[0]); /* this thread takes part, so a failed pthread_create only costs speed */
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return atomic_load(&batch.error);
}
