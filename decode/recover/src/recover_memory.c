/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recover_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

#define WORD 4u /* bytes; neighbouring ints must not count as one */
#define NOBODY UINT32_MAX
#define MANY (UINT32_MAX - 1)
#define SCAN_MIN (64u << 10)
#define FORGET_MAX (64ull << 20) /* a longer range: everything */

struct recover_word {
	uint64_t addr; /* a multiple of 4 */
	uint32_t value;
	uint32_t epoch;
	uint32_t writer, written; /* stamp of the last write; NOBODY: initial contents */
	uint32_t reader, read;    /* stamp of the last read since; MANY: row `read` of readers */
	uint8_t known;            /* mask of bytes */
	bool racy;
	bool fixed; /* read-only: no epoch forgets it */
};

static const struct recover_word nothing_known = { .writer = NOBODY, .reader = NOBODY };

/* Did `a` certainly happen before `b`? Same thread: yes. Else a's next entry must come before b's last. */
static bool is_before(const struct recover_order *order, struct recover_stamp a, struct recover_stamp b)
{
	uint32_t next, last;

	if (a.slot == b.slot || order->total)
		return true;
	if (a.slot >= order->n_slots || a.passed >= order->n[a.slot] || !b.passed)
		return false;
	next = order->entries[a.slot][a.passed];
	last = order->entries[b.slot][b.passed - 1];
	return next < last;
}

int recover_memory_init(struct recover_memory *m, const struct vtb_pt_recording *rec, const struct recover_order *order)
{
	*m = (struct recover_memory){ .rec = rec, .order = order };
	if (vtb_array_room(m, words) < 0)
		return -ENOMEM;
	m->words[m->n_words++] = nothing_known; /* stands for all for which there is no memory */
	return 0;
}

void recover_memory_reset(struct recover_memory *m)
{
	vtb_map64_clear(&m->by_key);
	m->n_words = 1;
	m->epoch = 0;
	m->n_readers = 0;
	m->n_forgotten = 0;
	m->new_racy = false;
}

void recover_memory_fini(struct recover_memory *m)
{
	free(m->words);
	vtb_map64_fini(&m->by_key);
	vtb_map64_fini(&m->racy);
	free(m->readers);
	free(m->forgotten);
	*m = (struct recover_memory){ 0 };
}

/* ------------------------------------------------------------------ words */

static const struct vtb_pt_map *map_of(const struct vtb_pt_recording *rec, uint64_t addr)
{
	for (size_t i = 0; i < rec->n_maps; i++)
		if (addr >= rec->maps[i].lo && addr < rec->maps[i].hi)
			return &rec->maps[i];
	return NULL;
}

/* All of [lo, hi)? */
static bool is_forgotten(const struct recover_memory *m, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < m->n_forgotten; i++)
		if (lo >= m->forgotten[i].lo && hi <= m->forgotten[i].hi)
			return true;
	return false;
}

/* Contents at the start of the recording: data.bin, else code. */
static void load_initial(const struct recover_memory *m, struct recover_word *w, uint64_t addr)
{
	const struct vtb_pt_recording *rec = m->rec;
	const struct vtb_pt_map *map = map_of(rec, addr);
	uint8_t bytes[WORD] = { 0 };
	size_t n = 0;

	w->fixed = map && map->perms[1] != 'w';
	if ((m->epoch && !w->fixed) || is_forgotten(m, addr, addr + WORD))
		return;
	for (size_t i = 0; i < rec->n_data && !n; i++)
		if (vtb_pt_chunk_holds(&rec->data[i], addr, WORD)) {
			memcpy(bytes, rec->data[i].data + (addr - rec->data[i].addr), WORD);
			n = WORD;
		}
	if (!n)
		n = vtb_pt_image_read(rec->session.image, addr, bytes, WORD);
	memcpy(&w->value, bytes, WORD);
	w->known = (uint8_t)((1u << n) - 1);
}

static struct recover_word *new_word(struct recover_memory *m, uint64_t addr)
{
	struct recover_word *w;

	if (vtb_array_room(m, words) < 0 || vtb_map64_set(&m->by_key, addr / WORD, m->n_words) < 0) {
		m->failed = true;
		return &m->words[0];
	}
	w = &m->words[m->n_words++];
	*w = nothing_known;
	w->addr = addr & ~(uint64_t)(WORD - 1);
	w->racy = vtb_map64_at(&m->racy, w->addr);
	load_initial(m, w, w->addr);
	w->epoch = m->epoch;
	if (w->racy)
		w->known = 0;
	return w;
}

static struct recover_word *word_at(struct recover_memory *m, uint64_t addr)
{
	const uint64_t *at = vtb_map64_at(&m->by_key, addr / WORD);
	struct recover_word *w = at ? &m->words[*at] : new_word(m, addr);

	if (w->epoch != m->epoch && !w->fixed)
		w->known = 0;
	w->epoch = m->epoch;
	return w;
}

static void make_racy(struct recover_memory *m, struct recover_word *w)
{
	w->racy = true;
	w->known = 0;
	if (vtb_map64_at(&m->racy, w->addr))
		return;
	if (vtb_map64_set(&m->racy, w->addr, 1) < 0)
		m->failed = true;
	m->new_racy = true;
}

/* ------------------------------------------------------------------ order of accesses */

static uint32_t *readers_row(struct recover_memory *m, uint32_t row)
{
	return m->readers + (size_t)row * m->order->n_slots;
}

static uint32_t new_row(struct recover_memory *m)
{
	const size_t n = m->order->n_slots;
	void *items = m->readers;

	if (vtb_array_reserve(&items, &m->cap_readers, m->n_readers + n, sizeof(*m->readers)) < 0) {
		m->failed = true;
		return 0;
	}
	m->readers = items;
	memset(m->readers + m->n_readers, 0, n * sizeof(*m->readers));
	m->n_readers += n;
	return (uint32_t)(m->n_readers / n - 1);
}

static void note_read(struct recover_memory *m, struct recover_word *w, struct recover_stamp by)
{
	if (w->writer != NOBODY && !is_before(m->order, (struct recover_stamp){ w->writer, w->written }, by))
		make_racy(m, w);
	if (w->reader == NOBODY || w->reader == by.slot) {
		w->reader = by.slot;
		w->read = by.passed;
		return;
	}
	if (w->reader != MANY) {
		const uint32_t row = new_row(m);

		if (m->failed)
			return;
		readers_row(m, row)[w->reader] = w->read + 1;
		w->reader = MANY;
		w->read = row;
	}
	readers_row(m, w->read)[by.slot] = by.passed + 1;
}

static void note_write(struct recover_memory *m, struct recover_word *w, struct recover_stamp by)
{
	bool ordered = w->writer == NOBODY || is_before(m->order, (struct recover_stamp){ w->writer, w->written }, by);

	if (w->reader == MANY) {
		const uint32_t *row = readers_row(m, w->read);

		for (uint32_t i = 0; i < m->order->n_slots; i++)
			ordered &= !row[i] || is_before(m->order, (struct recover_stamp){ i, row[i] - 1 }, by);
	} else if (w->reader != NOBODY) {
		ordered &= is_before(m->order, (struct recover_stamp){ w->reader, w->read }, by);
	}
	if (!ordered)
		make_racy(m, w);
	w->reader = NOBODY;
	w->writer = by.slot;
	w->written = by.passed;
}

/* ------------------------------------------------------------------ bytes */

uint32_t recover_memory_read(struct recover_memory *m, struct recover_stamp by, uint64_t addr, unsigned n, uint8_t *ret)
{
	uint32_t known = 0;

	memset(ret, 0, n);
	for (unsigned i = 0; i < n && !m->failed;) {
		struct recover_word *w = word_at(m, addr + i);
		const unsigned first = (unsigned)((addr + i) & (WORD - 1));

		note_read(m, w, by);
		for (unsigned b = first; b < WORD && i < n; b++, i++)
			if (w->known >> b & 1) {
				ret[i] = (uint8_t)(w->value >> 8 * b);
				known |= 1u << i;
			}
	}
	return known;
}

void recover_memory_write(struct recover_memory *m, struct recover_stamp by, uint64_t addr, unsigned n,
                          const uint8_t *bytes, uint32_t known)
{
	for (unsigned i = 0; i < n && !m->failed;) {
		struct recover_word *w = word_at(m, addr + i);
		const unsigned first = (unsigned)((addr + i) & (WORD - 1));

		note_write(m, w, by);
		for (unsigned b = first; b < WORD && i < n; b++, i++) {
			const uint8_t bit = (uint8_t)(1u << b);

			w->value = (w->value & ~(0xffu << 8 * b)) | (uint32_t)bytes[i] << 8 * b;
			w->known = known >> i & 1 && !w->racy ? w->known | bit : w->known & (uint8_t)~bit;
		}
	}
}

/* A range of words much larger than what is known of it: look through these instead of making new ones. */
static void forget_known(struct recover_memory *m, struct recover_stamp by, uint64_t lo, uint64_t hi)
{
	for (size_t i = 1; i < m->n_words; i++) {
		struct recover_word *w = &m->words[i];

		if (w->addr >= lo && w->addr < hi) {
			note_write(m, w, by);
			w->known = 0;
		}
	}
	if (is_forgotten(m, lo, hi))
		return;
	if (vtb_array_room(m, forgotten) < 0) {
		m->failed = true;
		return;
	}
	m->forgotten[m->n_forgotten++] = (struct recover_range){ lo, hi };
}

static void set_range(struct recover_memory *m, struct recover_stamp by, uint64_t addr, uint64_t size, uint8_t byte,
                      bool known)
{
	const uint64_t lo = (addr + WORD - 1) & ~(uint64_t)(WORD - 1), hi = (addr + size) & ~(uint64_t)(WORD - 1);
	uint8_t bytes[32];

	if (size > FORGET_MAX ||
	    addr + size < addr) { /* round the end of the address space: nobody knows what was meant */
		recover_memory_forget_all(m);
		return;
	}
	if (!known && size > SCAN_MIN) {
		forget_known(m, by, lo, hi);
		set_range(m, by, addr, lo - addr, 0, false);
		set_range(m, by, hi, addr + size - hi, 0, false);
		return;
	}
	memset(bytes, byte, sizeof(bytes));
	while (size && !m->failed) {
		const unsigned n = size < 32 ? (unsigned)size : 32;

		recover_memory_write(m, by, addr, n, bytes, known ? UINT32_MAX : 0);
		addr += n;
		size -= n;
	}
}

void recover_memory_forget(struct recover_memory *m, struct recover_stamp by, uint64_t addr, uint64_t size)
{
	set_range(m, by, addr, size, 0, false);
}

void recover_memory_fill(struct recover_memory *m, struct recover_stamp by, uint64_t addr, uint64_t size, uint8_t byte)
{
	set_range(m, by, addr, size, byte, true);
}

void recover_memory_forget_all(struct recover_memory *m)
{
	m->epoch++;
}
