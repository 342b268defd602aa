/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a controlled run ended, in words that are equal in every run that ended so. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ingest_private.h"
#include "vtb/exec_waits.h"
#include "vtb/signature.h"

/* Waits that follow from another thread's are left out: who else happens to run into the deadlock differs from run to
 * run. */
static int sign(struct vtb_symtab *tab, const struct vtb_exec *x, struct vtb_outcome *o)
{
	struct vtb_event *roots = x->n_pending ? malloc(x->n_pending * sizeof(*roots)) : NULL;
	size_t n = 0;
	int r;

	if (x->n_pending && !roots)
		return -ENOMEM;
	for (size_t i = 0; i < x->n_pending; i++)
		if (!vtb_exec_wait_follows(x, i))
			roots[n++] = x->pending[i];
	r = vtb_signature(o, tab, roots, n);
	free(roots);
	return r;
}

/* Most runs end without one. NULL: no memory. */
static const char *message_of(struct vtb_ingest *in, const struct vtb_wire_outcome *w)
{
	char message[VTB_WIRE_MESSAGE_MAX + 1], readable[2 * VTB_WIRE_MESSAGE_MAX];

	if (!w->message[0])
		return "";
	memcpy(message, w->message, VTB_WIRE_MESSAGE_MAX); /* may lack its NUL */
	message[VTB_WIRE_MESSAGE_MAX] = '\0';
	return vtb_symtab_string(in->tab, vtb_readable_exception(message, readable, sizeof(readable)));
}

/* Of a status that is the failure the program's side says nothing but that: who has ended the process. */
static uint32_t who_ended(const struct vtb_exec *x, uint32_t otherwise)
{
	for (size_t i = x->n_events; i-- > 0;)
		if (x->events[i].kind == VTB_E_PROCESS_EXIT)
			return x->events[i].thread;
	return otherwise;
}

int ingest_outcome(struct vtb_ingest *in, struct vtb_exec *x, const struct vtb_wire_outcome *w, uint32_t fail_site,
                   struct vtb_error *err)
{
	struct vtb_outcome *o = &x->outcome;
	const int64_t thread = ingest_thread_of_slot(in, w->thread);
	int64_t site, var;

	if (w->verdict >= VTB_VERDICTS)
		return vtb_error_set(err, -VTB_E_FORMAT, NULL, 0,
		                     "verdict %" PRIu32 " in an outcome, expected less than %d", w->verdict,
		                     VTB_VERDICTS);
	/* a fault's pc is the instruction itself, others are return addresses: what is used after it was freed, too */
	if (w->fault && w->signal && vtb_map64_set(&in->breaks, w->pc, 0) < 0)
		return vtb_error_set(err, -ENOMEM, NULL, 0, "no memory for the outcome");
	site = ingest_site(in, w->pc);
	var = site < 0 ? site : ingest_address(in, w->fault, CLASS_OTHER, 0);
	if (var < 0)
		return vtb_error_set(err, (int)var, NULL, 0, "cannot name where the run failed");
	*o = (struct vtb_outcome){
		.verdict = (enum vtb_verdict)w->verdict,
		.flags = w->flags,
		.signal = (int)(w->signal & 127),
		.exit_status = w->signal ? 128 + (int)(w->signal & 127) : (int)(w->exit_status & 255),
		.thread = thread < 0 || (w->verdict == VTB_V_NONE && !(w->flags & VTB_OUT_ASSUMED)) ? VTB_NONE
		                                                                                    : (uint32_t)thread,
		.site = site == VTB_NONE ? fail_site : (uint32_t)site,
		.var = (uint32_t)var,
		.message = message_of(in, w),
		.output_hash = w->output_hash,
		.output_size = w->output_size,
		.points = w->points,
	};
	if (o->verdict == VTB_V_EXIT)
		o->thread = who_ended(x, o->thread);
	if (!o->message || sign(in->tab, x, o) < 0)
		return vtb_error_set(err, -ENOMEM, NULL, 0, "no memory for the outcome");
	return 0;
}
