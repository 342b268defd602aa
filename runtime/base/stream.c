/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event streams. Record mode: one file a thread. Records are written into a shared mapping of its front, so that what
 * was written survives SIGKILL; `used` in the header grows after each record but the short ones (near.c), which can be
 * seen to be there. When the tail is full, it is written behind the others: a page that is written to a file costs a
 * third of one that is stored into through a mapping. Most of what loops record is not written (runs.c).
 *
 *     file    | header page | tail, 256 KB | records stored ............................ |
 *     mapped  [ always                    ]
 *
 * Control mode: one area in the process block for all threads (only one runs at a time), with a SWITCH record wherever
 * the thread changes.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "fast.h"
#include "rt.h"
#include "stance.h"
#include "strides.h"
#include "sys.h"
#include "plain_text.h"

#define WINDOW ((uint64_t)VTB_RT_TAIL_BYTES)
#define PAGE 4096ull

/* The accesses of the window so far go into the count. */
static void count(struct vtb_rt_thread *t)
{
	t->base.accesses += (uint64_t)(t->base.stream.next - t->base.stream.from) / VTB_FAST_WORDS_RECORD;
	t->base.stream.from = t->base.stream.next;
}

void vtb_rt_stream_count(struct vtb_rt_thread *t)
{
	if (t->base.stream.window && !vtb_rt_controls())
		count(t);
}

static void lose(struct vtb_rt_thread *t)
{
	if (!vtb_rt.block)
		return;
	__atomic_add_fetch(&vtb_rt.block->lost, 1, __ATOMIC_RELAXED);
	if (t->base.entry)
		t->base.entry->lost++;
}

static char *append(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to = 0;
	return to;
}

static void slot_name(char *to, uint32_t slot)
{
	char digits[12];
	int n = 0;

	do {
		digits[n++] = (char)('0' + slot % 10);
		slot /= 10;
	} while (slot);
	while (n)
		*to++ = digits[--n];
	*to = 0;
}

/* The tail goes behind the records that are stored, with runs in it; 0 or negative errno. Killed in between, the file
 * still has each record once: `which` changes all at once. */
static long store_tail(struct vtb_rt_stream *s)
{
	static uint64_t bytes; /* of all files of the process */
	struct vtb_stream_header *h = s->header;
	const struct vtb_stream_stored *was = &h->stored[h->which];
	const uint64_t records = (uint64_t)((char *)s->next - (char *)s->window);
	const uint64_t size =
	    vtb_rt_find_runs(s->window, records / sizeof(uint64_t), s->runs, s->runs_room) * sizeof(uint64_t);
	uint64_t done = 0;

	if (vtb_rt.block->max_bytes && __atomic_add_fetch(&bytes, size, __ATOMIC_RELAXED) > vtb_rt.block->max_bytes)
		return -EFBIG;
	while (done < size) {
		const long r = sys6(SYS_pwrite64, s->fd, (long)s->runs + (long)done, (long)(size - done),
		                    (long)(h->header_size + was->bytes + done), 0, 0);

		if (r == -EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? r : -ENOSPC;
		done += (uint64_t)r;
	}
	h->stored[!h->which] = (struct vtb_stream_stored){ was->bytes + size, was->records + records };
	h->used = was->records + records; /* exact now: what lies in the tail is not looked at until it is empty */
	__atomic_store_n(&h->more, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&h->which, !h->which, __ATOMIC_RELEASE);
	return 0;
}

static void clear_tail(struct vtb_rt_stream *s)
{
	vtb_strides_clear(s->window, WINDOW);
	memset(s->runs_room->marks, 0, sizeof(s->runs_room->marks));
}

/* Room in the tail from its first byte on. It is all zeros: short records in it count without `used`. */
static void begin_tail(struct vtb_rt_stream *s)
{
	__atomic_store_n(&s->header->more, 1, __ATOMIC_RELEASE);
	s->next = s->from = s->window;
	s->end = s->window + WINDOW / sizeof(uint64_t);
	s->limit = vtb_rt.options & VTB_OPT_ACCESSES ? s->end - VTB_LONG_WORDS + 1 : NULL;
	s->used_bias = s->header->stored[s->header->which].records - (uint64_t)s->window;
}

/* No more can be stored; what is in the tail stays there. */
static long give_up(struct vtb_rt_stream *s, long r)
{
	s->window = s->next = s->end = s->from = s->limit = NULL;
	return r;
}

/* With vector registers, which at a pad are the program's. */
static long empty_tail(struct vtb_rt_stream *s)
{
	long r;

	vtb_vectors_keep(s->runs_room->vectors);
	r = store_tail(s);
	if (r >= 0)
		clear_tail(s);
	vtb_vectors_take_back(s->runs_room->vectors);
	return r;
}

static long next_tail(struct vtb_rt_stream *s)
{
	const long r = s->window ? empty_tail(s) : -EBADF;

	if (r < 0)
		return give_up(s, r);
	begin_tail(s);
	return 0;
}

/* Room for what is written of a tail, and to find that. */
static uint64_t *map_runs(void)
{
	vtb_vectors_find();
	return sys_pages(WINDOW + sizeof(struct vtb_rt_runs_room) + vtb_vectors_bytes);
}

/* Header and tail of the new file, mapped for good, and reserved on the disk: a store could only answer with SIGBUS
 * that the disk is full. */
static long map_front(struct vtb_rt_stream *s)
{
	long r = sys6(SYS_fallocate, s->fd, 0, 0, PAGE + WINDOW, 0, 0);

	if (r == -EOPNOTSUPP || r == -ENOSYS)
		r = sys3(SYS_ftruncate, s->fd, PAGE + WINDOW, 0);
	if (r < 0)
		return r;
	return sys6(SYS_mmap, 0, PAGE + WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
}

void vtb_rt_stream_open(struct vtb_rt_thread *t)
{
	struct vtb_rt_stream *s = &t->base.stream;
	char path[sizeof(vtb_rt.directory) + 32];
	char *end = append(path, vtb_rt.directory);
	long r;

	end = append(end, "/thread-");
	slot_name(end, t->base.slot);
	append(path + strlen(path), ".vtbe");
	s->fd = -1;
	r = sys6(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644, 0, 0);
	if (r < 0)
		return;
	/* out of the way of programs that count on low descriptor numbers */
	s->fd = (int)sys3(SYS_fcntl, r, F_DUPFD_CLOEXEC, 600);
	if (s->fd < 0)
		s->fd = (int)r;
	else
		sys3(SYS_close, r, 0, 0);
	s->runs = map_runs();
	s->runs_room = (struct vtb_rt_runs_room *)(s->runs + WINDOW / sizeof(uint64_t));
	r = s->runs ? map_front(s) : -ENOMEM;
	if (r < 0 && r > -4096)
		return;
	s->header = (struct vtb_stream_header *)r;
	s->header->version = VTB_STREAM_VERSION;
	s->header->header_size = PAGE + WINDOW;
	s->header->slot = t->base.slot;
	s->header->used = 0;
	s->header->tail = PAGE;
	s->header->tail_size = WINDOW;
	/* last: who is killed before has begun no file, and readers can tell */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	memcpy(s->header->magic, VTB_STREAM_MAGIC, sizeof(s->header->magic));
	vtb_rt_tell_special(t);
	s->window = (uint64_t *)(r + (long)PAGE);
	begin_tail(s); /* a new file, new memory */
}

/* Room for `words` words in the thread's file; false if it cannot be had. */
static bool record_room(struct vtb_rt_thread *t, uint32_t words)
{
	struct vtb_rt_stream *s = &t->base.stream;

	if (VTB_LIKELY(s->next && s->next + words <= s->end))
		return true;
	if (!s->header)
		return false;
	vtb_rt_stream_count(t);
	vtb_rt_tell_special(t);
	/* sites look for accesses around the last one; where that word was none, around nothing that matters */
	vtb_rt_clear(t, s->window && s->next > s->window ? s->next[-1] >> 16 : 0);
	return next_tail(s) == 0;
}

static uint64_t *write_words(uint64_t *w, const struct vtb_rec *rec, uint32_t extra, unsigned flags)
{
	uint64_t *value = NULL;

	*w++ = vtb_rec_word0(rec->addr, rec->kind, extra, flags);
	*w++ = vtb_rec_word1(rec->pc, rec->order, rec->size_log2, rec->result);
	if (flags & VTB_REC_VALUE) {
		value = w;
		*w++ = rec->value;
	}
	if (flags & VTB_REC_ARG)
		*w++ = rec->arg;
	if (flags & VTB_REC_STAMP)
		*w++ = rec->stamp ? rec->stamp : vtb_rt_stamp();
	for (uint32_t i = 0; i < rec->n_pcs; i++)
		*w++ = rec->pcs[i];
	return value;
}

static uint32_t extra_words(const struct vtb_rec *rec)
{
	return (rec->flags & 1u) + (rec->flags >> 1 & 1u) + (rec->flags >> 2 & 1u) + rec->n_pcs; /* VALUE, ARG, STAMP */
}

uint64_t *vtb_rt_put(struct vtb_rt_thread *t, const struct vtb_rec *rec)
{
	const uint32_t extra = extra_words(rec);
	const unsigned flags = rec->flags | (rec->n_pcs ? VTB_REC_STACK : 0u);
	struct vtb_rt_stream *s = vtb_rt_controls() ? vtb_rt_sink->stream(t) : &t->base.stream;
	uint64_t *value;

	if (s == &t->base.stream ? !record_room(t, 2 + extra) : s->next + 2 + extra > s->end) {
		lose(t);
		if (s != &t->base.stream)
			vtb_rt_sink->truncated();
		return NULL;
	}
	value = write_words(s->next, rec, extra, flags);
	s->next += 2 + extra;
	if (s == &t->base.stream) {
		const uint64_t at = (uint64_t)(s->next - s->window) - 2 - extra;

		s->runs_room->marks[at / VTB_RT_RUNS_CHUNK] = at;
		s->from += 2 + extra; /* not an access of the fast way */
		s->header->used = (uint64_t)s->next + s->used_bias;
	} else {
		vtb_rt_sink->used();
	}
	return value;
}
