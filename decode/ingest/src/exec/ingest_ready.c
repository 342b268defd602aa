/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who can go on at each row of a controlled run, and who waits in a way that time or chance may end. */
#include "ingest_fold.h"

#include <errno.h>

#include "vtb/array.h"

int ingest_set_enabled(struct fold *f, uint32_t thread, bool on)
{
	if (thread / 64 >= f->x->stride)
		return -VTB_E_FORMAT; /* cannot be: rows are widened when a thread is named */
	if (on)
		f->now[thread / 64] |= 1ull << thread % 64;
	else
		f->now[thread / 64] &= ~(1ull << thread % 64);
	return 0;
}

int64_t ingest_thread_or_none(const struct fold *f, uint64_t slot)
{
	const int64_t thread = ingest_thread_of_slot(f->in, slot);

	return thread < 0 && slot < VTB_WIRE_THREADS_MAX ? (int64_t)VTB_NONE : thread;
}

static int add_wait(struct fold *f, uint32_t thread, uint8_t kind, bool armed)
{
	struct vtb_exec *x = f->x;

	if (vtb_array_room(x, waits) < 0)
		return -ENOMEM;
	x->waits[x->n_waits++] =
	    (struct vtb_wait){ .row = (uint32_t)x->n_events, .thread = (uint16_t)thread, .kind = kind, .armed = armed };
	f->waiting[thread / 64] ^= 1ull << thread % 64;
	return 0;
}

/* Only what time or chance may end is worth remembering. */
static int note_wait(struct fold *f, uint32_t thread, const struct vtb_raw_record *rec)
{
	const bool open = f->waiting[thread / 64] >> thread % 64 & 1, armed = rec->arg & VTB_BLOCK_ARMED;
	const uint8_t kind = (uint8_t)rec->arg;

	if (rec->kind == VTB_E_UNBLOCK)
		return open ? add_wait(f, thread, 0, rec->arg == VTB_UNBLOCK_TIME) : 0;
	return !open && (armed || kind == VTB_E_COND_WAKE) ? add_wait(f, thread, kind, armed) : 0;
}

/* One of those that spin tries again, until it is held back again. */
static void note_again(struct fold *f, uint32_t thread, const struct vtb_raw_record *rec)
{
	if (rec->kind == VTB_E_UNBLOCK && rec->arg == VTB_UNBLOCK_AGAIN) {
		f->again = thread;
		f->vain_from = f->vain_from == SIZE_MAX ? f->x->n_events : f->vain_from;
	} else if (rec->kind == VTB_E_BLOCK && f->again == thread) {
		f->again = VTB_NONE;
	}
}

static int block_thread(struct fold *f, const struct vtb_raw_record *rec, uint32_t thread)
{
	int r;

	note_again(f, thread, rec);
	r = ingest_set_enabled(f, thread, rec->kind == VTB_E_UNBLOCK);
	return r < 0 ? r : note_wait(f, thread, rec);
}

static int block_slot(struct fold *f, const struct vtb_raw_record *rec, uint64_t slot)
{
	const int64_t thread = ingest_thread_or_none(f, slot);

	if (thread < 0)
		return (int)thread;
	if (thread == VTB_NONE)
		return vtb_map64_set(&f->early, slot, rec->kind == VTB_E_BLOCK);
	return block_thread(f, rec, (uint32_t)thread);
}

/* Does the record say more of a thread than whether it can go on, unless it has an open wait? */
static bool says_more(const struct fold *f, const struct vtb_raw_record *rec)
{
	if (rec->kind == VTB_E_UNBLOCK)
		return rec->arg == VTB_UNBLOCK_AGAIN;
	return f->again != VTB_NONE || rec->arg & VTB_BLOCK_ARMED || (uint8_t)rec->arg == VTB_E_COND_WAKE;
}

/* By far the most, and many at once where many wait for one lock: a bit. False: not done. */
static inline bool set_bit(struct fold *f, uint64_t slot, bool on)
{
	const uint32_t thread = slot < f->in->n_slots ? f->in->slots[slot] : VTB_NONE;
	const uint64_t bit = 1ull << thread % 64;
	uint64_t *now;

	if (thread / 64 >= f->x->stride || (on && f->waiting[thread / 64] & bit))
		return false;
	now = &f->now[thread / 64];
	*now = on ? *now | bit : *now & ~bit;
	return true;
}

/* The threads of all slots of the record. False: not all of them are among the first, or one stands there twice. */
static bool gather(const struct fold *f, const struct vtb_raw_record *rec, slot_bits *ret)
{
	const slot_bits *of = f->in->bits;
	slot_bits sum = rec->value < FEW_SLOTS - 1 ? of[rec->value + 1] : of[0];
	int n = 1;

	for (uint32_t i = 0; i < rec->n_stack; i++) {
		const uint64_t slots = rec->stack[i];

		if (slots & ~(UINT64_C(0x0001000100010001) * (FEW_SLOTS - 1)))
			return false;
		sum |= of[slots & 0xffff] | of[slots >> 16 & 0xffff] | of[slots >> 32 & 0xffff] | of[slots >> 48];
		n += 4;
	}
	for (uint64_t last = rec->n_stack ? rec->stack[rec->n_stack - 1] : UINT64_MAX; !(last >> 48);
	     last = last << 16 | 1)
		n--;
	*ret = sum;
	return __builtin_popcountll(sum[0]) + __builtin_popcountll(sum[1]) == n;
}

/* All slots of the record at once. False: nothing was done. */
static bool set_bits(struct fold *f, const struct vtb_raw_record *rec, bool on)
{
	const bool wide = f->x->stride > 1;
	slot_bits bits;

	if (!gather(f, rec, &bits) || (bits[1] && !wide) ||
	    (on && (f->waiting[0] & bits[0] || (wide && f->waiting[1] & bits[1]))))
		return false;
	f->now[0] = on ? f->now[0] | bits[0] : f->now[0] & ~bits[0];
	if (wide)
		f->now[1] = on ? f->now[1] | bits[1] : f->now[1] & ~bits[1];
	return true;
}

/* The slot in value, and others behind it. */
static int block_slots(struct fold *f, const struct vtb_raw_record *rec)
{
	const bool plain = !says_more(f, rec), on = rec->kind == VTB_E_UNBLOCK;
	int r = 0;

	if (plain && rec->n_stack && set_bits(f, rec, on))
		return 0;
	if (!plain || !set_bit(f, rec->value, on))
		r = block_slot(f, rec, rec->value);
	for (uint32_t i = 0; r >= 0 && i < rec->n_stack; i++)
		for (uint64_t slots = rec->stack[i]; r >= 0 && slots & 0xffff; slots >>= 16)
			if (!plain || !set_bit(f, (slots & 0xffff) - 1, on))
				r = block_slot(f, rec, (slots & 0xffff) - 1);
	return r;
}

int ingest_block(struct fold *f, const struct vtb_raw_record *rec)
{
	if (rec->flags & VTB_REC_VALUE)
		return block_slots(f, rec);
	return f->thread == VTB_NONE ? -VTB_E_FORMAT : block_thread(f, rec, f->thread);
}
