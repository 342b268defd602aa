/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A word index over several documents: threads take documents, split them into words, and put these into one hash
 * table with open addressing; a slot is claimed by compare-and-swap. Each thread keeps the slots of words that it met
 * lately. Statistics and progress are told at the end.
 */
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 64u
#define WORD_MAX 15
#define THREADS_MAX 8
#define CACHED 4u

struct document {
	const char *name, *text;
};

static const struct document documents[] = {
	{ "fox", "the quick brown fox jumps" },
	{ "dog", "over the lazy dog" },
	{ "hen", "a brown hen" },
	{ "owl", "the owl sleeps" },
};
#define N_DOCUMENTS (sizeof(documents) / sizeof(*documents))

struct word {
	char text[WORD_MAX + 1];
	uint32_t hash;
	atomic_uint seen_in; /* a bit a document */
	atomic_uint times;
};

struct cache {
	uint32_t hash[CACHED];
	unsigned slot[CACHED];
	unsigned next;
	unsigned long hits, misses;
};

struct worker {
	pthread_t thread;
	unsigned number;
	struct cache cache;
	unsigned long words, bytes, probes;
};

static _Atomic(struct word *) table[SLOTS];
static atomic_uint next_document;
static unsigned n_documents;

static struct {
	pthread_mutex_t lock;
	unsigned long words, bytes, longest, probes;
	unsigned by_length[WORD_MAX + 1];
} stats = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct {
	pthread_mutex_t lock;
	unsigned done;
	unsigned percent;
	const char *last;
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER };

static uint32_t hash_of(const char *word, size_t length)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)word[i]) * 16777619u;
	return h;
}

static struct word *new_word(const char *text, size_t length, uint32_t hash)
{
	struct word *w = calloc(1, sizeof(*w));

	if (!w) {
		fprintf(stderr, "out of memory\n");
		exit(2);
	}
	memcpy(w->text, text, length);
	w->hash = hash;
	return w;
}

/* ---- words a thread met lately */

static bool cache_find(struct cache *c, uint32_t hash, unsigned *ret_slot)
{
	for (unsigned i = 0; i < CACHED; i++)
		if (c->hash[i] == hash) {
			*ret_slot = c->slot[i];
			c->hits++;
			return true;
		}
	c->misses++;
	return false;
}

static void cache_add(struct cache *c, uint32_t hash, unsigned slot)
{
	c->hash[c->next] = hash;
	c->slot[c->next] = slot;
	c->next = (c->next + 1) % CACHED;
}

/* ---- the table */

/* The slot that holds the word; if there is none, the first free one is claimed. */
static unsigned table_slot(struct worker *me, const char *text, size_t length, uint32_t hash)
{
	struct word *own = NULL;
	unsigned slot = hash % SLOTS;

	for (unsigned tried = 0; tried < SLOTS; tried++, slot = (slot + 1) % SLOTS) {
		struct word *there = atomic_load(&table[slot]);

		assert(slot < SLOTS);
		me->probes++;
		if (!there) {
			own = own ? own : new_word(text, length, hash);
			if (atomic_compare_exchange_strong(&table[slot], &there, own))
				return slot;
		}
		if (there->hash == hash && !strncmp(there->text, text, length) && !there->text[length]) {
			free(own);
			return slot;
		}
	}
	fprintf(stderr, "the table is full\n");
	exit(2);
}

static void add_word(struct worker *me, unsigned document, const char *text, size_t length)
{
	const uint32_t hash = hash_of(text, length);
	struct word *w;
	unsigned slot;

	assert(length > 0 && length <= WORD_MAX);
	if (!cache_find(&me->cache, hash, &slot)) {
		slot = table_slot(me, text, length, hash);
		cache_add(&me->cache, hash, slot);
	}
	w = atomic_load(&table[slot]);
	atomic_fetch_or(&w->seen_in, 1u << document);
	atomic_fetch_add(&w->times, 1);
	me->words++;
}

/* ---- statistics and progress */

static void count_length(size_t length)
{
	pthread_mutex_lock(&stats.lock);
	stats.by_length[length]++;
	if (length > stats.longest)
		stats.longest = length;
	pthread_mutex_unlock(&stats.lock);
}

static void add_statistics(const struct worker *me)
{
	pthread_mutex_lock(&stats.lock);
	stats.words += me->words;
	stats.bytes += me->bytes;
	stats.probes += me->probes;
	pthread_mutex_unlock(&stats.lock);
}

static void tell_progress(const struct document *d)
{
	pthread_mutex_lock(&progress.lock);
	progress.done++;
	progress.percent = progress.done * 100 / n_documents;
	progress.last = d->name;
	pthread_mutex_unlock(&progress.lock);
}

/* ---- threads */

static void index_document(struct worker *me, unsigned number)
{
	const char *at = documents[number].text;

	while (*at) {
		const char *begin = at;

		while (isalpha((unsigned char)*at) && at - begin < WORD_MAX)
			at++;
		if (at > begin) {
			add_word(me, number, begin, (size_t)(at - begin));
			count_length((size_t)(at - begin));
		} else {
			at++;
		}
		me->bytes += (unsigned long)(at - begin);
	}
	tell_progress(&documents[number]);
}

static void *work(void *arg)
{
	struct worker *me = arg;

	for (;;) {
		const unsigned number = atomic_fetch_add(&next_document, 1);

		if (number >= n_documents)
			break;
		assert(number < N_DOCUMENTS);
		index_document(me, number);
	}
	add_statistics(me);
	return NULL;
}

/* ---- what is told at the end */

static void print_report(const struct worker *workers, unsigned n)
{
	unsigned words = 0;

	for (unsigned i = 0; i < SLOTS; i++) {
		const struct word *w = atomic_load(&table[i]);

		if (!w)
			continue;
		words++;
		printf("%-*s %u time(s), documents %#x\n", WORD_MAX, w->text, w->times, w->seen_in);
	}
	printf("%u words, %lu read, %lu bytes, the longest has %lu letters, %lu probes\n", words, stats.words,
	       stats.bytes, stats.longest, stats.probes);
	for (unsigned i = 0; i < n; i++)
		printf("thread %u: %lu words, %lu found in its cache, %lu not\n", workers[i].number, workers[i].words,
		       workers[i].cache.hits, workers[i].cache.misses);
	printf("%u %% done, last %s\n", progress.percent, progress.last);
}

int main(int argc, char **argv)
{
	static struct worker workers[THREADS_MAX];
	const unsigned n = 2;

	n_documents = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
	if (n_documents > N_DOCUMENTS)
		n_documents = N_DOCUMENTS;
	for (unsigned i = 0; i < n; i++) {
		workers[i].number = i;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (unsigned i = 0; i < n; i++)
		pthread_join(workers[i].thread, NULL);
	assert(progress.done == n_documents);
	print_report(workers, n);
	return 0;
}
