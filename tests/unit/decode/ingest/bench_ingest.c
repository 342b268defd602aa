/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one event costs vtb_ingest_exec() in steady state: the same run again and again, as in a search. Three threads
 * take turns on globals, heap blocks and a lock; and main fills a table of numbers. Prints nanoseconds an event
 * (process CPU time); not a test.
 */
#include <inttypes.h>
#include <time.h>

#include "vtb/ingest.h"
#include "vtb/symbols.h"

#define STREAM_WORDS (1u << 20)
#include "wire_build.h"

#define BASE 0x555555550000u
#define HEAP 0x7f0000001000u

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* `events` accesses, a lock pair every 16, `blocks` heap blocks. */
static void fill(struct stream *s, unsigned events, unsigned blocks)
{
	PUT_CREATE(s, 1, 0, BASE + 0x1200);
	PUT_CREATE(s, 2, 1, BASE + 0x1200);
	for (unsigned i = 0; i < blocks; i++)
		PUT_ALLOC(s, HEAP + 64 * i, BASE + 0x1300, 32);
	for (unsigned i = 0; i < events; i++) {
		const uint64_t pc = BASE + 0x1100 + i % 40 * 8;

		if (i % 8 == 0)
			PUT_SWITCH(s, i / 8 % 3);
		if (i % 16 == 0)
			PUT(s, LOCK, BASE + 0x4100, pc, 0);
		else if (i % 16 == 15)
			PUT(s, UNLOCK, BASE + 0x4100, pc, 0);
		else if (blocks && i % 3 == 0)
			PUT(s, WRITE, HEAP + 64 * (i * 7 % blocks) + i % 4 * 8, pc, .size_log2 = 3, .value = i,
			    .flags = VTB_REC_VALUE);
		else
			PUT(s, READ, BASE + 0x4000 + i % 16 * 4, pc, .size_log2 = 2, .value = i,
			    .flags = VTB_REC_VALUE);
	}
}

/* One block of ints, each written once. */
static void fill_table(struct stream *s, unsigned events)
{
	PUT_ALLOC(s, HEAP, BASE + 0x1300, 4 * events);
	for (unsigned i = 0; i < events; i++)
		PUT(s, WRITE, HEAP + 4 * i, BASE + 0x1100 + i % 4 * 8, .size_log2 = 2, .value = i,
		    .flags = VTB_REC_VALUE);
}

static void measure(const char *program, const char *what, const struct stream *s, unsigned rounds)
{
	struct vtb_wire_outcome outcome = { 0 };
	static struct block_image block;
	struct vtb_symtab tab = { 0 };
	struct vtb_symbols *symbols;
	struct vtb_ingest *in;
	double start = 0;
	uint64_t n = 0;

	block_init(&block, VTB_MODE_CONTROL);
	block_module(&block, program, BASE, 0x10000);
	if (vtb_symbols_new(&symbols) < 0 || vtb_ingest_new(&tab, symbols, &in) < 0 ||
	    vtb_ingest_modules(in, &block, sizeof(block), NULL) < 0)
		abort();
	for (unsigned i = 0; i < rounds; i++) {
		struct vtb_exec x = { 0 };

		if (i == 10) { /* everything has been named */
			start = cpu_ns();
			n = 0;
		}
		if (vtb_ingest_exec(in, s->words, s->n, &outcome, &x, NULL) < 0)
			abort();
		n += x.n_events;
		vtb_exec_fini(&x);
	}
	printf("%s: %.1f ns an event\n", what, (cpu_ns() - start) / (double)n);
	vtb_ingest_free(in);
	vtb_symbols_free(symbols);
	vtb_symtab_fini(&tab);
}

static void measure_blocks(const char *program, unsigned events, unsigned blocks, unsigned rounds)
{
	static struct stream s;
	char what[64];

	s.n = 0;
	fill(&s, events, blocks);
	snprintf(what, sizeof(what), "%6u events, %4u heap blocks", events, blocks);
	measure(program, what, &s, rounds);
}

static void measure_table(const char *program, unsigned events, unsigned rounds)
{
	static struct stream s;
	char what[64];

	s.n = 0;
	fill_table(&s, events);
	snprintf(what, sizeof(what), "%6u events, a table on the heap", events);
	measure(program, what, &s, rounds);
}

int main(int argc, char **argv)
{
	const char *program = argc > 1 ? argv[1] : FIXTURE;

	measure_blocks(program, 40, 0, 100000);
	measure_blocks(program, 40, 4, 100000);
	measure_blocks(program, 1000, 16, 5000);
	measure_blocks(program, 10000, 0, 1000);
	measure_blocks(program, 10000, 1000, 1000);
	measure_table(program, 200000, 60);
	return 0;
}
