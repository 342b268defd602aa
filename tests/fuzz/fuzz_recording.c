/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the runtime leaves behind, as an attacker could write it: the same bytes as a process block, as the events of a
 * controlled run, and as a thread's event file in a recording whose block is good.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/decode/wire_build.h"
#include "vtb/ingest.h"
#include "vtb/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[64];

static void remove_directory(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/process.vtb", directory);
	unlink(path);
	snprintf(path, sizeof(path), "%s/thread-0.vtbe", directory);
	unlink(path);
	rmdir(directory);
}

static void make_directory(void)
{
	static struct block_image block;

	new_directory(directory);
	atexit(remove_directory);
	block_init(&block, VTB_MODE_RECORD);
	block_module(&block, "/nonexistent/prog", 0x555555550000u, 0x10000);
	block_thread(&block, VTB_NO_PATH, 0);
	write_bytes(directory, "process.vtb", &block, sizeof(block));
}

/* An event always refers to something that is there. */
static void check_exec(const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	VTB_ASSERT(x->n_enabled == x->n_events * x->stride);
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		VTB_ASSERT(e->thread < tab->n_threads && vtb_exec_enabled(x, i, e->thread));
		VTB_ASSERT(e->var == VTB_NONE || e->var < tab->n_variables);
		VTB_ASSERT(e->site == VTB_NONE || e->site < tab->n_sites);
	}
}

static void as_block_and_run(const uint8_t *data, size_t size)
{
	struct vtb_wire_outcome outcome = { .verdict = VTB_V_DEADLOCK };
	uint64_t *words = malloc(size + 8); /* aligned, and no byte longer than it is */
	struct vtb_exec x = { 0 };
	struct vtb_symtab tab = { 0 };
	struct vtb_symbols *symbols = NULL;
	struct vtb_ingest *in = NULL;
	struct vtb_error err = { 0 };

	if (!words || vtb_symbols_new(&symbols) < 0 || vtb_ingest_new(&tab, symbols, &in) < 0)
		abort();
	memcpy(words, data, size);
	VTB_ASSERT(vtb_ingest_modules(in, words, size, &err) == 0 || err.text[0]);
	if (vtb_ingest_exec(in, words, size / 8, &outcome, &x, &err) == 0)
		check_exec(&x, &tab);
	vtb_exec_fini(&x);
	vtb_ingest_free(in);
	vtb_symbols_free(symbols);
	vtb_symtab_fini(&tab);
	free(words);
}

static void as_event_file(const uint8_t *data, size_t size)
{
	struct vtb_error err = { 0 };
	struct vtb_trace trace;

	if (!directory[0])
		make_directory();
	write_bytes(directory, "thread-0.vtbe", data, size);
	vtb_trace_init(&trace);
	VTB_ASSERT(vtb_ingest_recording(directory, &trace, &err) == 0 || err.text[0]);
	vtb_trace_fini(&trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	as_block_and_run(data, size);
	as_event_file(data, size);
	return 0;
}
