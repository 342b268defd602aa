/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses to memory: the operations of which there are most. While the run is calm (scheduler.h) and the thread is at
 * ease, a plain one is done here in one piece. It is the same operation with the same record as by arrive and done
 * (scheduler.c), but for the questions of which is known that the answer is no. Whatever comes up on the way is left to
 * those.
 *
 *     at ease ── whom the policy chooses ── its turn ── still calm? ── record ── what it means to who spins
 *        no: arrive, done                                  no: done
 */
#include "base.h"
#include "point.h"
#include "run_records.h"

/* Whether an access is one of these is asked before anything of it stands on the stack: where it is not, the way to
 * vtb_ctl_arrive() is the same as ever, as the frames on that way are part of where the thread stands. */

/* t has had its turn. */
static void finish(struct vtb_rt_thread *t, struct vtb_call *call)
{
	if (VTB_UNLIKELY(t->sched.cancelled))
		vtb_cancel_async(t);
	call->value = vtb_rt_load((uint64_t)call->obj, call->size_log2);
	vtb_ctl_done(t, call);
	vtb_ctl_check_alive(call);
}

/* Something has come up during its turn. */
static __attribute__((noinline)) void finish_carefully(struct vtb_rt_thread *t, struct vtb_call *call)
{
	if (t->sched.spinning)
		vtb_progress_goes_on(t);
	t->base.inside--;
	if (t->sched.interrupted)
		vtb_sched_handle(t, call);
	finish(t, call);
}

/* Does anybody want something of t? */
static inline bool is_sought(const struct vtb_rt_thread *t)
{
	return t->sched.spinning | t->sched.interrupted | t->sched.cancelled;
}

/* Is there nothing to be said of t but what it does? It is in no loop, as far as is known. */
static inline bool is_at_ease(const struct vtb_rt_thread *t)
{
	const struct vtb_anchor *r = &t->sched.reading, *w = &t->sched.writing;

	return !((t->base.again > 0) | r->kept | r->tracks | r->clean | w->tracks | w->clean | is_sought(t));
}

static inline bool is_calm(const struct vtb_rt_thread *t, unsigned kind, const void *addr, uint64_t pc)
{
	return vtb_sched.calm && (kind == VTB_E_READ || kind == VTB_E_WRITE) && is_at_ease(t) &&
	       !vtb_progress_is_one(&t->sched.writing, kind, addr, pc) && vtb_event_has_room() &&
	       vtb_sched.points < vtb_sched.points_max;
}

static inline void put(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	struct vtb_rt_stream *s = vtb_event_switched(t);
	uint64_t *w = s->next;

	w[0] = vtb_rec_word0((uint64_t)call->obj & 0xffffffffffffull, call->kind, 1, VTB_REC_VALUE);
	w[1] = vtb_rec_word1(call->pc, 0, call->size_log2, 0);
	w[2] = call->value;
	s->next = w + 3;
	vtb_event_used();
	if (call->kind != VTB_E_WRITE)
		return;
	t->base.written_word = w + 2;
	t->base.written_addr = (uint64_t)call->obj;
	t->base.written_log2 = vtb_written_log2(t, (uint64_t)call->obj, call->size_log2);
}

/* The point before it, with t's turn. False: something has come up, and all of it is done. */
static inline bool come_to_turn(struct vtb_rt_thread *t, struct vtb_call *call)
{
	const bool far = ++t->sched.writing.steps > t->sched.writing.limit; /* without those of the stretch */
	struct vtb_rt_thread *next;

	vtb_stretch_end();
	if (t->base.written_word)
		vtb_fair_see_written(t);
	if (VTB_UNLIKELY(far))
		vtb_progress_arrive(t, call); /* moves the anchor on */
	t->sched.call = call;
	vtb_ready_set(t, true);
	vtb_sched.points++;
	next = vtb_point_by_policy(t);
	if (next != t)
		vtb_point_hand_over(t, next);
	if (VTB_LIKELY((next == t || (vtb_sched.calm && !is_sought(t))) && vtb_event_has_room()))
		return true;
	finish_carefully(t, call);
	return false;
}

static __attribute__((noinline)) void in_one_piece(struct vtb_rt_thread *t, unsigned kind, const void *addr,
                                                   unsigned size_log2, uint64_t pc)
{
	struct vtb_call call = {
		.kind = (uint8_t)kind, .obj = addr, .pc = pc, .size_log2 = (uint8_t)size_log2, .has_value = true
	};

	t->base.pc = pc;
	t->base.inside++;
	if (!come_to_turn(t, &call))
		return;
	call.value = vtb_rt_load((uint64_t)addr, size_log2);
	t->sched.ops++;
	put(t, &call);
	t->sched.call = NULL;
	vtb_fair_note_access(t, &call);
	t->base.inside--;
	vtb_stretch_begin(t, &call);
	t->base.noted = vtb_progress_cleans(t);
	if (VTB_UNLIKELY(t->base.noted))
		vtb_progress_cleaned(t, &call);
	if (VTB_UNLIKELY(vtb_heap.size))
		vtb_ctl_check_alive(&call);
}

/* Nothing of it stays on the stack if from here on it counts where t stands. */
static __attribute__((noinline)) bool access_calmly(struct vtb_rt_thread *t, unsigned kind, const void *addr,
                                                    unsigned size_log2, uint64_t pc)
{
	in_one_piece(t, kind, addr, size_log2, pc);
	if (VTB_UNLIKELY(t->base.noted))
		vtb_stance_wipe();
	return true;
}

/* Of its own, as its registers and its frame are part of where t stands. */
static __attribute__((noinline)) void access_carefully(struct vtb_rt_thread *t, unsigned kind, const void *addr,
                                                       unsigned size_log2, uint64_t pc)
{
	struct vtb_call call = {
		.kind = (uint8_t)kind, .obj = addr, .pc = pc, .size_log2 = (uint8_t)size_log2, .has_value = true
	};

	vtb_ctl_arrive(t, &call);
	finish(t, &call);
}

bool vtb_ctl_access_calmly(struct vtb_rt_thread *t, unsigned kind, const void *addr, unsigned size_log2, uint64_t pc)
{
	return is_calm(t, kind, addr, pc) && access_calmly(t, kind, addr, size_log2, pc);
}

void vtb_ctl_access(struct vtb_rt_thread *t, unsigned kind, const void *addr, unsigned size_log2, uint64_t pc)
{
	t->base.pc = pc;
	if (VTB_LIKELY(is_calm(t, kind, addr, pc)))
		access_calmly(t, kind, addr, size_log2, pc);
	else
		access_carefully(t, kind, addr, size_log2, pc);
}

void vtb_ctl_range(struct vtb_rt_thread *t, unsigned kind, const void *addr, uint64_t size, uint64_t pc)
{
	struct vtb_call call = {
		.kind = (uint8_t)kind, .obj = addr, .pc = pc, .size_log2 = VTB_REC_SIZE_IN_ARG, .arg = size
	};

	if (VTB_UNLIKELY(vtb_rt_some_stack((uint64_t)addr)))
		vtb_rt_stack_access(t, (uint64_t)addr);
	t->base.pc = pc;
	vtb_ctl_arrive(t, &call);
	vtb_ctl_done(t, &call);
	vtb_ctl_check_alive(&call);
}
