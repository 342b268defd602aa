/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which operations depend on each other, and which of two could have come first. See strategy_dpor.c. */
#include "dpor.h"

#include "vtb/wire.h"

static bool is_io(const struct vtb_event *e)
{
	return e->kind == VTB_E_IO_READ || vtb_event_changes_io(e->kind);
}

/* The end of the process decides what is still seen of the others. Where its receiver is when a signal is sent or a
 * thread cancelled decides where the handler runs or the thread ends. So does what a
 * child process does that has memory in common with this one. */
bool vtb_dpor_is_global(const struct dpor_op *op)
{
	const unsigned kind = op->event.kind;

	return op->world || kind == VTB_E_PROCESS_EXIT || kind == VTB_E_FORK || kind == VTB_E_THREAD_CANCEL ||
	       (kind == VTB_E_SIGNAL_SEND && !vtb_dpor_only_pends(&op->event)) ||
	       (vtb_event_moves_children(&op->event) && (op->event.order != VTB_MOVES_IO || !is_io(&op->event)));
}

static bool touches_mutex(const struct vtb_event *e)
{
	return e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE;
}

/* A read may be a poll of many descriptors, of which its event names none; and what child processes do when they go on
 * may be anything of that kind. */
static bool reads_somewhere(const struct vtb_event *a, const struct vtb_event *b)
{
	return (vtb_event_reads_io(a) && is_io(b)) || (vtb_event_reads_io(b) && is_io(a));
}

/* A lock of the whole process, which counts as a write of what is locked. It ends with any descriptor of the file. */
static bool locks_for_process(const struct vtb_event *e)
{
	return e->kind == VTB_E_IO_WRITE && e->flags & VTB_EVF_TRY;
}

/* A file is locked by a descriptor: whether that is open, and of which file it is, what is done to descriptors decides.
 * Who only writes to one changes none. */
static bool goes_by_descriptor(const struct vtb_event *a, const struct vtb_event *b)
{
	return (vtb_dpor_locks_file(a) || locks_for_process(a)) && (vtb_event_reads_io(b) || b->kind == VTB_E_IO_CLOSE);
}

/* Which signals are pending is decided by who takes one, and looked at, or taken through a signalfd, by reads. Who
 * sends one depends on everything, unless nobody has been open to it: then on these, and on who says that it is
 * ignored, which is a write. */
static bool takes_signal(const struct vtb_event *a, const struct vtb_event *b)
{
	if (vtb_dpor_only_pends(a))
		return b->kind == VTB_E_SIGNAL_HANDLE || is_io(b);
	return a->kind == VTB_E_SIGNAL_HANDLE && (b->kind == VTB_E_SIGNAL_HANDLE || vtb_event_reads_io(b));
}

static bool same_thread_object(const struct vtb_event *a, const struct vtb_event *b)
{
	return a->kind == VTB_E_THREAD_CREATE && b->kind == VTB_E_THREAD_BEGIN && a->var == b->var;
}

bool vtb_dpor_touch(const struct vtb_event *a, const struct vtb_event *b)
{
	if (vtb_event_conflict(a, b) || reads_somewhere(a, b) || same_thread_object(a, b) || same_thread_object(b, a))
		return true;
	if (goes_by_descriptor(a, b) || goes_by_descriptor(b, a) || takes_signal(a, b) || takes_signal(b, a))
		return true;
	if (touches_mutex(a) && a->aux != VTB_NONE && (a->aux == b->var || (touches_mutex(b) && a->aux == b->aux)))
		return true;
	return touches_mutex(b) && b->aux != VTB_NONE && b->aux == a->var;
}

bool vtb_dpor_dependent(const struct dpor_op *a, const struct dpor_op *b)
{
	return vtb_dpor_is_global(a) || vtb_dpor_is_global(b) || vtb_dpor_touch(&a->event, &b->event);
}

bool vtb_dpor_coenabled(const struct vtb_event *a, const struct vtb_event *b)
{
	if (a->kind == VTB_E_THREAD_END && b->kind == VTB_E_THREAD_JOIN && !(b->flags & VTB_EVF_TRY) &&
	    a->var == b->var)
		return false;
	return !(a->kind == VTB_E_THREAD_CREATE && (b->kind == VTB_E_THREAD_BEGIN || b->kind == VTB_E_THREAD_END) &&
	         a->var == b->var);
}

static bool is(const struct vtb_event *e, uint32_t flag)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return info && info->flags & flag;
}

/* A compare-exchange that fails only reads, and its event does not say that it is one. And with whatever sees something
 * the run may fail: then it depends on everything. */
bool vtb_dpor_outcome_sure(const struct dpor_op *a, const struct dpor_op *b, bool pending)
{
	return !pending &&
	       (!is(&b->event, VTB_EV_READS) || !is(&a->event, VTB_EV_WRITES) || !vtb_dpor_touch(&a->event, &b->event));
}
