/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A controlled run without what its stem leaves out (vtb/exec_stem.h). The runtime tells much of that by its number
 * (OWNED); what it tells one by one is counted here. */
#include "ingest_fold.h"

static void ends(struct fold *f, bool as_it_should)
{
	f->stray |= as_it_should && (f->stem_told != f->stem->told || f->stem_out != f->stem->before[f->stem->told]);
	f->stem = NULL;
}

static int is_told(struct fold *f)
{
	if (f->stem_told >= f->stem->told || f->stem_out != f->stem->before[f->stem_told]) {
		f->stray = true;
		f->stem = NULL;
	} else {
		f->stem_told++;
	}
	return 0;
}

/* For what a free() means to names. */
static int frees(struct fold *f, const struct vtb_raw_record *rec)
{
	struct vtb_event e;
	const int r = vtb_ingest_event(f->in, f->thread, rec, &e);

	f->stem_out++;
	return r < 0 ? r : 1;
}

static int operation(struct fold *f, const struct vtb_raw_record *rec)
{
	switch (vtb_event_in_stem(rec->kind)) {
	case VTB_STEM_LEFT_OUT:
		if (rec->kind == VTB_E_FREE)
			return frees(f, rec);
		f->stem_out++;
		return 1;
	case VTB_STEM_TOLD:
		if (!ingest_is_weak(rec))
			return is_told(f);
		/* fallthrough */
	default:
		ends(f, rec->kind != VTB_E_FAIL);
		return 0;
	}
}

int ingest_in_stem(struct fold *f, const struct vtb_raw_record *rec)
{
	switch (rec->kind) {
	case VTB_E_OWNED:
		if (!rec->value || rec->value > VTB_OWNED_MAX)
			return -VTB_E_FORMAT;
		f->stem_out += (uint32_t)rec->value;
		return 1;
	case VTB_E_SWITCH:
		if (rec->value)
			ends(f, true);
		return 0;
	case VTB_E_SIGNAL_DUE:
		ends(f, true);
		return 0;
	case VTB_E_LOST:
		ends(f, false);
		return 0;
	default:
		return vtb_event_info(rec->kind)->flags & VTB_EV_VISIBLE ? operation(f, rec) : 0;
	}
}
