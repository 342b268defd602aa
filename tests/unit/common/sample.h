/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file sample.h A small trace, schedules and a failure with every member in use, and a directory for files. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vtb/array.h"
#include "vtb/failure.h"
#include "vtb/hash.h"

/* ---- files */

static char sample_dir[64];

__attribute__((unused)) static int make_dir(void **state)
{
	(void)state;
	strcpy(sample_dir, "/tmp/vtb-test.XXXXXX");
	return mkdtemp(sample_dir) ? 0 : -1;
}

__attribute__((unused)) static int remove_dir(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", sample_dir);
	return system(command);
}

/* One of four rotating buffers. */
__attribute__((unused)) static const char *in_dir(const char *name)
{
	static char paths[4][128];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", sample_dir, name);
	return path;
}

__attribute__((unused)) static void put_bytes(const char *name, const void *bytes, size_t size)
{
	FILE *f = fopen(in_dir(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

__attribute__((unused)) static void put_file(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

/* The whole file; free it. */
__attribute__((unused)) static char *get_file(const char *name, size_t *ret_size)
{
	FILE *f = fopen(in_dir(name), "r");
	char *text;
	long size;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	text = malloc((size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, f), size);
	text[size] = '\0';
	fclose(f);
	if (ret_size)
		*ret_size = (size_t)size;
	return text;
}

/* ---- names: account.c, two threads and main */

__attribute__((unused)) static void sample_names(struct vtb_symtab *tab)
{
	const struct vtb_module module = { .path = "/bin/account",
		                           .build_id = { 0xde, 0xad, 0x01 },
		                           .build_id_size = 3,
		                           .base = 0x555500000000,
		                           .lo = 0x555500000000,
		                           .hi = 0x555500004000 };
	const struct vtb_site read = { .module = 0,
		                       .offset = 0x1190,
		                       .function = "deposit",
		                       .file = "src/account.c",
		                       .line = 12,
		                       .function_line = 9,
		                       .text = "int old = balance;",
		                       .text_hash = 77,
		                       .instruction = "mov eax, [rip+0x2e7a]" };
	const struct vtb_site write = { .module = 0,
		                        .offset = 0x119a,
		                        .function = "deposit",
		                        .file = "src/account.c",
		                        .line = 13,
		                        .function_line = 9,
		                        .text = "balance = old + 1; /* \"ü\" */",
		                        .text_hash = UINT64_MAX };
	const struct vtb_site nowhere = { .module = VTB_NONE, .offset = UINT64_MAX };
	struct vtb_object global = { .kind = VTB_OBJ_GLOBAL,
		                     .name = "balance",
		                     .type = "int",
		                     .key = 1,
		                     .size = 4,
		                     .thread = VTB_NONE,
		                     .site = VTB_NONE };
	struct vtb_object heap = { .kind = VTB_OBJ_HEAP,
		                   .name = "malloc at account.c:20 (thread 0.0, 1st)",
		                   .type = "struct node",
		                   .key = UINT64_MAX,
		                   .size = 16,
		                   .thread = 1,
		                   .site = 1,
		                   .loop = 3 };
	struct vtb_object mutex = { .kind = VTB_OBJ_SYNC, .name = "m", .key = 5, .thread = VTB_NONE, .site = VTB_NONE };
	const struct vtb_variable balance = { .object = 0, .size = 4, .name = "balance", .type = "int" };
	const struct vtb_variable next = {
		.object = 1, .offset = 8, .size = 8, .name = "node.next", .type = "struct node *"
	};
	const struct vtb_variable m = { .object = 2, .name = "m", .type = "pthread_mutex_t" };

	memset(global.stack, 0xff, sizeof(global.stack));
	memset(heap.stack, 0xff, sizeof(heap.stack));
	memset(mutex.stack, 0xff, sizeof(mutex.stack));
	heap.stack[0] = 1;
	heap.stack[1] = 0;
	assert_int_equal(vtb_symtab_add_module(tab, &module), 0);
	assert_int_equal(vtb_symtab_add_site(tab, &read), 0);
	assert_int_equal(vtb_symtab_add_site(tab, &write), 1);
	assert_int_equal(vtb_symtab_add_site(tab, &nowhere), 2);
	assert_int_equal(vtb_symtab_thread_by_path(tab, "0"), 0);
	assert_int_equal(vtb_symtab_thread_by_path(tab, "0.0"), 1);
	assert_int_equal(vtb_symtab_thread_by_path(tab, "0.1"), 2);
	tab->threads[1].site = 0;
	tab->threads[1].start = vtb_symtab_string(tab, "worker");
	assert_int_equal(vtb_symtab_add_object(tab, &global), 0);
	assert_int_equal(vtb_symtab_add_object(tab, &heap), 1);
	assert_int_equal(vtb_symtab_add_object(tab, &mutex), 2);
	assert_int_equal(vtb_symtab_add_variable(tab, &balance), 0);
	assert_int_equal(vtb_symtab_add_variable(tab, &next), 1);
	assert_int_equal(vtb_symtab_add_variable(tab, &m), 2);
}

__attribute__((unused)) static char **sample_argv(void)
{
	char **argv = calloc(3, sizeof(*argv));

	assert_non_null(argv);
	argv[0] = strdup("./account");
	argv[1] = strdup("two words \"and\" quotes");
	return argv;
}

/* ---- a trace: one event of each sort of address and auxiliary number, then `n_more` accesses */

__attribute__((unused)) static void sample_trace(struct vtb_trace *t, size_t n_more)
{
	static const struct vtb_event first[] = {
		{ .addr = 0x555500004010,
		  .value = 1,
		  .var = 0,
		  .site = 0,
		  .size = 4,
		  .thread = 1,
		  .kind = VTB_E_READ,
		  .flags = VTB_EVF_VALUE },
		{ .addr = 0x555500004010,
		  .value = UINT64_MAX,
		  .var = 0,
		  .site = 1,
		  .size = 4,
		  .thread = 2,
		  .kind = VTB_E_WRITE,
		  .flags = VTB_EVF_VALUE },
		{ .addr = 8,
		  .var = 1,
		  .site = 2,
		  .size = 8,
		  .thread = 2,
		  .kind = VTB_E_READ,
		  .flags = VTB_EVF_ADDR_SYMBOLIC },
		{ .var = VTB_NONE,
		  .site = VTB_NONE,
		  .size = 1,
		  .thread = 0,
		  .kind = VTB_E_WRITE,
		  .flags = VTB_EVF_ADDR_UNKNOWN },
		{ .addr = 0x7000,
		  .var = 2,
		  .site = 1,
		  .thread = 0,
		  .kind = VTB_E_COND_WAIT,
		  .aux = 2,
		  .flags = VTB_EVF_RELEASES },
		{ .addr = 0x7000,
		  .value = ETIMEDOUT,
		  .var = 2,
		  .site = 1,
		  .thread = 0,
		  .kind = VTB_E_COND_WAKE,
		  .aux = 2,
		  .deviation = VTB_DEV_TIMEOUT,
		  .flags = VTB_EVF_ACQUIRES | VTB_EVF_VALUE | VTB_EVF_DEVIATED },
		{ .addr = 0x7000,
		  .value = 1,
		  .var = 2,
		  .site = 1,
		  .thread = 0,
		  .kind = VTB_E_COND_SIGNAL,
		  .deviation = VTB_DEV_WAITER,
		  .place = 2,
		  .flags = VTB_EVF_RELEASES | VTB_EVF_VALUE | VTB_EVF_DEVIATED },
		{ .addr = 0x8000,
		  .var = 0,
		  .site = 1,
		  .size = 4,
		  .thread = 1,
		  .kind = VTB_E_ATOMIC_RMW,
		  .order = VTB_ORDER_ACQ_REL,
		  .flags = VTB_EVF_ACQUIRES | VTB_EVF_RELEASES },
		{ .value = 12,
		  .var = VTB_NONE,
		  .site = VTB_NONE,
		  .thread = 1,
		  .kind = VTB_E_LOST,
		  .flags = VTB_EVF_VALUE },
		{ .var = VTB_NONE, .site = VTB_NONE, .thread = 2, .kind = VTB_E_PENDING, .aux = VTB_E_LOCK },
		{ .var = VTB_NONE, .site = 1, .thread = 2, .kind = VTB_E_FAIL, .aux = VTB_V_ASSERTION },
	};
	const size_t n = sizeof(first) / sizeof(first[0]);
	void *events = NULL;

	vtb_trace_init(t);
	t->argv = sample_argv();
	t->cwd = strdup("/home/me");
	t->backend = strdup("rt");
	sample_names(&t->tab);
	t->order = VTB_ORDER_SYNC;
	t->lost = 12;
	t->outcome = (struct vtb_outcome){ .verdict = VTB_V_ASSERTION,
		                           .flags = 4,
		                           .exit_status = 134,
		                           .signal = 6,
		                           .thread = 2,
		                           .site = 1,
		                           .var = 0,
		                           .message = vtb_symtab_string(&t->tab, "balance == 2"),
		                           .signature = vtb_symtab_string(&t->tab, "assertion account.c:30"),
		                           .output_hash = UINT64_MAX,
		                           .output_size = 5,
		                           .points = 40 };
	assert_int_equal(vtb_array_reserve(&events, &t->cap_events, n + n_more, sizeof(struct vtb_event)), 0);
	t->events = events;
	memcpy(t->events, first, sizeof(first));
	for (size_t i = 0; i < n_more; i++)
		t->events[n + i] = (struct vtb_event){ .addr = 0x555500004010 + i * 7919 % 4096,
			                               .value = i * i,
			                               .var = (uint32_t)(i * 31 % 3),
			                               .site = (uint32_t)(i % 3),
			                               .size = 4,
			                               .thread = (uint16_t)(i / 5 % 3),
			                               .kind = i % 3 ? VTB_E_READ : VTB_E_WRITE,
			                               .flags = VTB_EVF_VALUE };
	t->n_events = n + n_more;
}

/* ---- a schedule with every part */

__attribute__((unused)) static void sample_schedule(struct vtb_schedule *s)
{
	const struct vtb_opname name = { .kind = VTB_E_READ,
		                         .function = "deposit",
		                         .line_in_function = 3,
		                         .text_hash = UINT64_MAX,
		                         .file = "src/account.c",
		                         .line = 12,
		                         .variable = "balance",
		                         .occurrence = 1,
		                         .site = 0 };
	const struct vtb_op a = { .thread = 1, .index = 2, .name = name },
	                    b = { .thread = 2, .index = 0, .name = { .site = VTB_NONE } };

	*s = (struct vtb_schedule){ .policy = VTB_SCHEDULE_PRIORITY,
		                    .seed = UINT64_MAX,
		                    .tuple = { 1, 2, 3, 4 },
		                    .note = strdup("observed order") };
	assert_int_equal(vtb_array_room(s, ranks), 0);
	s->ranks[s->n_ranks++] = 2;
	s->ranks[s->n_ranks++] = 7 | VTB_RANK_FRAGMENT_BIT;
	assert_int_equal(vtb_schedule_deviate(s, 1, 2, VTB_DEV_SWITCH, 2, 0, 1), 0);
	s->deviations[0].after.name = name;
	assert_int_equal(vtb_schedule_deviate(s, 2, 5, VTB_DEV_WAITER, 3, VTB_NONE, 1), 0);
	assert_int_equal(vtb_schedule_deviate(s, 0, 9, VTB_DEV_CAS_FAIL, 0, 1, 1), 0);
	assert_int_equal(vtb_schedule_deviate(s, 0, 9, VTB_DEV_TIMEOUT, 1, 1, 0), 0);
	assert_int_equal(vtb_schedule_constrain(s, a, b), 0);
	for (int essential = -1; essential <= 1; essential++) {
		assert_int_equal(vtb_array_room(s, reorders), 0);
		s->reorders[s->n_reorders++] = (struct vtb_reorder){ a, b, 0, essential };
	}
}

__attribute__((unused)) static void sample_schedules(struct vtb_schedules *set)
{
	struct vtb_symtab tab = { 0 };
	struct vtb_schedule s;

	*set = (struct vtb_schedules){ .argv = sample_argv(), .cwd = strdup("/home/me") };
	sample_names(&tab);
	sample_schedule(&s);
	assert_int_equal(vtb_schedules_add(set, &s, &tab), 0);
	assert_int_equal(vtb_schedules_add(set, &(struct vtb_schedule){ 0 }, &tab), 0);
	vtb_schedule_fini(&s);
	vtb_symtab_fini(&tab);
}

__attribute__((unused)) static void sample_failure(struct vtb_failure *f)
{
	vtb_failure_init(f);
	sample_schedules(&f->schedule);
	f->schedule.n_schedules = 1; /* the second one is empty and owns nothing */
	sample_trace(&f->trace, 0);
	f->verdict = VTB_V_ASSERTION;
	f->signature = strdup("assertion account.c:30");
	f->tuple = (struct vtb_tuple){ .c = 1, .v = 1, .t = 2 };
	f->tuple_known = true;
	f->confirmed = 3;
	f->left.thread = 1;
	f->entered.thread = 2;
	assert_int_equal(vtb_stack_add(&f->left, 0), 0);
	assert_int_equal(vtb_stack_add(&f->left, 1), 0);
	assert_int_equal(vtb_stack_add(&f->entered, 1), 0);
	f->heap[VTB_HEAP_FREED].thread = 1;
	assert_int_equal(vtb_stack_add(&f->heap[VTB_HEAP_FREED], 1), 0);
	f->replay_command = strdup("vtb-replay failure.json");
	f->files = sample_argv();
	f->statement = strdup("every schedule with at most 1 preemption");
	f->options = (struct vtb_tool_options){
		.tier = strdup("tsan"), .engine = strdup("forkserver"), .carrier = strdup("threads"), .seed = 9
	};
}

#endif /* SAMPLE_H */
