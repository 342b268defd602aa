/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a run ended. */
#include <errno.h>
#include <stdlib.h>

#include "kept_records.h"
#include "kept_rows.h"
#include "vtb/hash.h"

/* Whoever adds a member to one of these has to write it down here, or it would be missing from runs that are kept. */
_Static_assert(sizeof(struct vtb_exec) == 280u, "a member of struct vtb_exec is not kept");
_Static_assert(sizeof(struct vtb_outcome) == 72u, "a member of struct vtb_outcome is not kept");
_Static_assert(sizeof(struct vtb_event) == 40u, "a member of struct vtb_event is not kept");

static void put_outcome(struct kept_out *record, const struct vtb_outcome *o, const int64_t ids[3])
{
	kept_put(record, o->verdict);
	kept_put(record, o->flags);
	kept_put(record, (uint32_t)o->exit_status);
	kept_put(record, (uint32_t)o->signal);
	for (int i = 0; i < 3; i++)
		kept_put_id(record, (uint32_t)ids[i]);
	kept_put_text(record, o->message);
	kept_put_text(record, o->signature);
	kept_put(record, o->output_hash);
	kept_put(record, o->output_size);
	kept_put(record, o->points);
}

static int put_clock_reads(struct kept_names *names, const struct vtb_exec *x, struct kept_out *out,
                           struct kept_out *record)
{
	kept_put(record, x->n_vain);
	kept_put(record, x->n_clock_reads);
	for (size_t i = 0; i < x->n_clock_reads; i++) {
		const int64_t thread = kept_names_file(names, KEPT_THREADS, x->clock_reads[i].thread, out);

		if (thread < 0)
			return (int)thread;
		kept_put(record, x->clock_reads[i].row);
		kept_put_id(record, (uint32_t)thread);
	}
	return record->failed ? -ENOMEM : 0;
}

static int put_tail(struct kept_names *names, const struct vtb_exec *x, struct kept_out *out, struct kept_out *record)
{
	const int64_t ids[3] = { kept_names_file(names, KEPT_THREADS, x->outcome.thread, out),
		                 kept_names_file(names, KEPT_SITES, x->outcome.site, out),
		                 kept_names_file(names, KEPT_VARIABLES, x->outcome.var, out) };
	int r = ids[0] < 0 || ids[1] < 0 || ids[2] < 0 ? -EINVAL : 0;

	put_outcome(record, &x->outcome, ids);
	kept_put(record, x->kinds);
	kept_put(record, x->n_pending);
	for (size_t i = 0; i < x->n_pending && r >= 0; i++)
		r = kept_event_put(names, &x->pending[i], out, record);
	kept_put(record, x->n_waits);
	for (size_t i = 0; i < x->n_waits && r >= 0; i++) {
		const int64_t thread = kept_names_file(names, KEPT_THREADS, x->waits[i].thread, out);

		r = thread < 0 ? (int)thread : r;
		kept_put(record, x->waits[i].row);
		kept_put_id(record, (uint32_t)thread);
		kept_put(record, x->waits[i].kind);
		kept_put(record, x->waits[i].armed);
	}
	return r < 0 ? r : put_clock_reads(names, x, out, record);
}

static int64_t add_tail(struct kept_rows *rows, const uint8_t *bytes, size_t n)
{
	const struct kept_tail tail = { .at = rows->tails.n_bytes, .size = n };

	kept_put_bytes(&rows->tails, bytes, n);
	if (rows->tails.failed || rows->n_tail >= UINT32_MAX - 1 || vtb_array_room(rows, tail) < 0)
		return -ENOMEM;
	rows->tail[rows->n_tail] = tail;
	return vtb_map64_set(&rows->tails_by_content, vtb_hash(bytes, n), rows->n_tail) < 0 ? -ENOMEM
	                                                                                    : (int64_t)rows->n_tail++;
}

int64_t kept_tail_put(struct kept_rows *rows, const struct vtb_exec *x, struct kept_out *out)
{
	struct kept_out record = { 0 };
	int64_t r = put_tail(rows->names, x, out, &record);
	uint64_t known;

	if (r >= 0 && vtb_map64_get(&rows->tails_by_content, vtb_hash(record.bytes, record.n_bytes), &known) &&
	    rows->tail[known].size == record.n_bytes &&
	    !memcmp(rows->tails.bytes + rows->tail[known].at, record.bytes, record.n_bytes)) {
		r = (int64_t)known;
	} else if (r >= 0) {
		r = add_tail(rows, record.bytes, record.n_bytes);
		kept_put_record(out, KEPT_TAIL, &record);
	}
	free(record.bytes);
	return r;
}

void kept_tail_read(struct kept_rows *rows, struct kept_in *in)
{
	const size_t n = (size_t)(in->end - in->at);
	const uint8_t *bytes = kept_get_bytes(in, n);

	in->bad |= !bytes || add_tail(rows, bytes, n) < 0;
}

static int get_outcome(struct kept_names *names, struct kept_in *in, struct vtb_outcome *o)
{
	int64_t ids[3];

	o->verdict = (enum vtb_verdict)kept_get_to(in, VTB_VERDICTS - 1);
	o->flags = (uint32_t)kept_get_to(in, UINT32_MAX);
	o->exit_status = (int)kept_get_to(in, UINT32_MAX);
	o->signal = (int)kept_get_to(in, UINT32_MAX);
	for (int i = 0; i < 3; i++) {
		static const enum kept_table tables[] = { KEPT_THREADS, KEPT_SITES, KEPT_VARIABLES };

		ids[i] = kept_names_session(names, tables[i], (uint32_t)kept_get_to(in, UINT32_MAX) - 1);
		if (ids[i] < 0)
			return (int)ids[i];
	}
	o->thread = (uint32_t)ids[0];
	o->site = (uint32_t)ids[1];
	o->var = (uint32_t)ids[2];
	o->message = vtb_symtab_string(names->tab, kept_get_text(in));
	o->signature = vtb_symtab_string(names->tab, kept_get_text(in));
	o->output_hash = kept_get(in);
	o->output_size = kept_get(in);
	o->points = kept_get(in);
	return o->message && o->signature ? 0 : -ENOMEM;
}

static int get_pending(struct kept_names *names, struct kept_in *in, struct vtb_exec *x)
{
	const uint64_t n = kept_get_to(in, VTB_THREADS_LIMIT);
	int r = 0;

	for (uint64_t i = 0; i < n && r >= 0 && !in->bad; i++) {
		r = vtb_array_room(x, pending);
		if (r < 0)
			return r;
		kept_event_get(in, &x->pending[x->n_pending]);
		r = kept_event_settle(names, &x->pending[x->n_pending++]);
	}
	return r;
}

static int get_waits(struct kept_names *names, struct kept_in *in, struct vtb_exec *x)
{
	const uint64_t n = kept_get_to(in, (uint64_t)(in->end - in->at));

	for (uint64_t i = 0; i < n && !in->bad; i++) {
		struct vtb_wait w = { .row = (uint32_t)kept_get_to(in, UINT32_MAX) };
		const int64_t thread =
		    kept_names_session(names, KEPT_THREADS, (uint32_t)kept_get_to(in, VTB_THREADS_LIMIT) - 1);

		if (thread < 0)
			return (int)thread;
		w.thread = (uint16_t)thread;
		w.kind = (uint8_t)kept_get_to(in, UINT8_MAX);
		w.armed = kept_get_to(in, 1);
		if (vtb_array_room(x, waits) < 0)
			return -ENOMEM;
		x->waits[x->n_waits++] = w;
	}
	return 0;
}

static int get_clock_reads(struct kept_names *names, struct kept_in *in, struct vtb_exec *x)
{
	uint64_t n;

	x->n_vain = (uint32_t)kept_get_to(in, UINT32_MAX);
	n = kept_get_to(in, (uint64_t)(in->end - in->at));
	for (uint64_t i = 0; i < n && !in->bad; i++) {
		struct vtb_clock_read c = { .row = (uint32_t)kept_get_to(in, UINT32_MAX) };
		const int64_t thread =
		    kept_names_session(names, KEPT_THREADS, (uint32_t)kept_get_to(in, VTB_THREADS_LIMIT) - 1);

		if (thread < 0)
			return (int)thread;
		c.thread = (uint32_t)thread;
		if (vtb_array_room(x, clock_reads) < 0)
			return -ENOMEM;
		x->clock_reads[x->n_clock_reads++] = c;
	}
	return 0;
}

int kept_tail_get(struct kept_rows *rows, uint32_t number, struct vtb_exec *x)
{
	struct kept_in in;
	int r;

	if (number >= rows->n_tail)
		return -VTB_E_FORMAT;
	in.at = rows->tails.bytes + rows->tail[number].at;
	in.end = in.at + rows->tail[number].size;
	in.bad = false;
	r = get_outcome(rows->names, &in, &x->outcome);
	x->kinds = (uint32_t)kept_get_to(&in, UINT32_MAX);
	if (r >= 0)
		r = get_pending(rows->names, &in, x);
	if (r >= 0)
		r = get_waits(rows->names, &in, x);
	if (r >= 0)
		r = get_clock_reads(rows->names, &in, x);
	return r < 0 ? r : in.bad ? -VTB_E_FORMAT : 0;
}
