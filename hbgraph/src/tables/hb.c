/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/hb.h"

int vtb_hb_of(const struct vtb_trace *trace, unsigned sections, struct vtb_hb *ret)
{
	struct vtb_hb hb = { .trace = trace, .sections = sections };
	int r = 0;

	if (sections & VTB_HB_PROFILE)
		r = vtb_profile_of(trace, &hb.profile);
	if (r >= 0 && sections & VTB_HB_RACES)
		r = vtb_races_of(trace, &hb.races);
	if (r >= 0 && sections & VTB_HB_RACES)
		r = vtb_discipline_of(trace, &hb.races, &hb.discipline);
	if (r >= 0 && sections & VTB_HB_LOCKS)
		r = vtb_lockorder_of(trace, &hb.locks);
	if (r < 0)
		vtb_hb_fini(&hb);
	else
		*ret = hb;
	return r;
}

/* ---- without holding the events */

struct scanning {
	const struct vtb_trace *trace;
	struct vtb_profiler *profiler; /* NULL: no event has come yet */
};

static int take(const struct vtb_event *events, size_t n, void *data)
{
	struct scanning *s = data;
	int r = s->profiler ? 0 : vtb_profiler_new(&s->trace->tab, &s->profiler);

	return r < 0 ? r : vtb_profiler_feed(s->profiler, events, n);
}

static int scan(const char *path, struct vtb_trace *trace, struct vtb_hb *ret, struct vtb_error *err)
{
	struct scanning s = { .trace = trace };
	int r = vtb_trace_scan(path, trace, take, &s, err);

	if (r >= 0 && !s.profiler)
		r = vtb_profiler_new(&trace->tab, &s.profiler);
	*ret = (struct vtb_hb){ .trace = trace, .sections = VTB_HB_PROFILE };
	if (r >= 0)
		r = vtb_profiler_end(s.profiler, &ret->profile);
	vtb_profiler_free(s.profiler);
	return r;
}

int vtb_hb_read(const char *path, unsigned sections, struct vtb_trace *trace, struct vtb_hb *ret, struct vtb_error *err)
{
	int r;

	if (sections == VTB_HB_PROFILE)
		return scan(path, trace, ret, err);
	r = vtb_trace_read(path, trace, err);
	return r < 0 ? r : vtb_hb_of(trace, sections, ret);
}

void vtb_hb_fini(struct vtb_hb *hb)
{
	vtb_profile_fini(&hb->profile);
	vtb_races_fini(&hb->races);
	vtb_discipline_fini(&hb->discipline);
	vtb_lockorder_fini(&hb->locks);
}
