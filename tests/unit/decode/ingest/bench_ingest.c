/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one event costs vtb_ingest_exec() in steady state: the same run again and again, as in a search. Three threads
 * take turns on globals, heap blocks and a lock. Prints nanoseconds an event (process CPU time); not a test.
 */
#include <inttypes.h>
#include <time.h>

#include "vtb/ingest.h"
#include "vtb/symbols.h"
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

static void measure(const char *program, unsigned events, unsigned blocks, unsigned rounds)
{
	struct vtb_wire_outcome outcome = { 0 };
	static struct block_image block;
	static struct stream s;
	struct vtb_symtab tab = { 0 };
	struct vtb_symbols *symbols;
	struct vtb_ingest *in;
	double start = 0;
	uint64_t n = 0;

	s.n = 0;
	fill(&s, events, blocks);
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
		if (vtb_ingest_exec(in, s.words, s.n, &outcome, &x, NULL) < 0)
			abort();
		n += x.n_events;
		vtb_exec_fini(&x);
	}
	printf("%5u events, %4u heap blocks: %.1f ns an event\n", events, blocks, (cpu_ns() - start) / (double)n);
	vtb_ingest_free(in);
	vtb_symbols_free(symbols);
	vtb_symtab_fini(&tab);
}

int main(int argc, char **argv)
{
	const char *program = argc > 1 ? argv[1] : FIXTURE;

	measure(program, 40, 0, 100000);
	measure(program, 40, 4, 100000);
	measure(program, 1000, 16, 5000);
	measure(program, 10000, 0, 1000);
	measure(program, 10000, 1000, 1000);
	return 0;
}
