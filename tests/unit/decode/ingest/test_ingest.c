/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names: equal things get equal ids, in every run. */
#include <pthread.h>

#include "ingest_program.h"

static void accesses_are_named_and_placed(void **state)
{
	struct program *p = open_program(fixtures[0]);
	const uint64_t balance = address_of('g', "accounts[2].balance"), pc = address_of('p', "main");
	const struct vtb_site *site;

	(void)state;
	PUT(&p->s, READ, balance, pc + 1, .size_log2 = 3, .value = 300, .flags = VTB_REC_VALUE);
	PUT(&p->s, WRITE, balance, pc + 1, .size_log2 = 3);
	assert_int_equal(run(p), 0);
	assert_int_equal(p->x.n_events, 2);
	assert_string_equal(name_of(p, 0), "accounts[2].balance");
	assert_int_equal(p->x.events[0].var, p->x.events[1].var);
	assert_int_equal(p->x.events[0].value, 300);
	assert_true(p->x.events[0].flags & VTB_EVF_VALUE);
	assert_false(p->x.events[1].flags & VTB_EVF_VALUE);
	assert_int_equal(p->x.events[0].size, 8);
	site = &p->tab.sites[p->x.events[0].site];
	assert_string_equal(site->function, "main");
	assert_string_equal(site->text, "HERE(pc, sp); /* in main */");
	assert_int_not_equal(site->text_hash, 0);
	assert_int_equal(site->offset, pc + 1 - BASE);
	assert_string_equal(p->tab.objects[p->tab.variables[p->x.events[0].var].object].name, "accounts");
	close_program(p);
}

/* A lock is an object of its own, even where plain accesses touch its bytes. */
static void synchronisation_objects_are_variables_of_their_own(void **state)
{
	struct program *p = open_program(fixtures[0]);
	const uint64_t m = address_of('g', "accounts[1].m"), c = address_of('g', "ready");

	(void)state;
	PUT(&p->s, LOCK, m, 0, 0);
	PUT(&p->s, TRYLOCK, m, 0, .result = EBUSY, .value = 0, .flags = VTB_REC_VALUE);
	PUT(&p->s, READ, m, 0, .size_log2 = 2);
	PUT(&p->s, COND_WAIT, c, 0, .arg = m, .flags = VTB_REC_ARG);
	PUT(&p->s, COND_WAKE, c, 0, 0);
	assert_int_equal(run(p), 0);
	assert_string_equal(name_of(p, 0), "accounts[1].m");
	assert_string_equal(name_of(p, 2), "accounts[1].m");
	assert_int_not_equal(p->x.events[0].var, p->x.events[2].var);
	assert_int_equal(p->tab.objects[p->tab.variables[p->x.events[0].var].object].kind, VTB_OBJ_SYNC);
	assert_int_equal(p->tab.objects[p->tab.variables[p->x.events[2].var].object].kind, VTB_OBJ_GLOBAL);
	assert_int_equal(p->x.events[0].size, 0);
	assert_true(p->x.events[0].flags & VTB_EVF_ACQUIRES);
	assert_int_equal(p->x.events[1].value, EBUSY);
	assert_false(p->x.events[1].flags & VTB_EVF_ACQUIRES);
	assert_int_equal(p->x.events[3].aux, p->x.events[0].var);
	assert_int_equal(p->x.events[4].aux, VTB_NONE);
	close_program(p);
}

/* What the fixture says about one block: see fixtures/expect.h. */
static void check_block(const char *path, char **f, size_t n, void *arg)
{
	const struct vtb_object *block, *lock;
	struct program *p;
	const char *name, *at, *suffix = f[5];
	uint64_t pcs[13] = { 0 }, offset;
	size_t *seen = arg, len, n_pcs = 0;
	char *list, *pc;

	if (f[0][0] != 'a')
		return;
	assert_int_equal(n, 6);
	p = open_program(path);
	for (list = f[1]; (pc = strsep(&list, ",")) && n_pcs < 13;)
		pcs[n_pcs++] = BASE + hex(pc);
	offset = strtoull(f[3], NULL, 10);
	PUT_ALLOC(&p->s, HEAP, pcs[0], strtoull(f[2], NULL, 10), .stack = pcs, .n_stack = (unsigned)n_pcs);
	PUT(&p->s, WRITE, HEAP + offset, pcs[0], .size_log2 = 15, .arg = strtoull(f[4], NULL, 10),
	    .flags = VTB_REC_ARG);
	PUT(&p->s, LOCK, HEAP, pcs[0], 0);
	assert_int_equal(run(p), 0);
	assert_int_equal(p->x.n_events, 2);
	block = &p->tab.objects[p->tab.variables[p->x.events[0].var].object];
	lock = &p->tab.objects[p->tab.variables[p->x.events[1].var].object];
	if ((*block->type != 0) != (*suffix != '+'))
		fail_msg("%s: block at %s is of type \"%s\", expected \"...%s\"", path, f[1], block->type, suffix);
	assert_memory_equal(block->stack, lock->stack, sizeof(block->stack)); /* of which block it is */
	name = name_of(p, 0);
	len = strlen(suffix);
	at = strstr(name, "() at ");
	if (!at || strlen(at) < len || strcmp(at + strlen(at) - len, suffix) != 0)
		fail_msg("%s: block at %s is called \"%s\", expected \"...() at ...%s\"", path, f[1], name, suffix);
	if (!*suffix)
		assert_null(strpbrk(at, "+>["));
	close_program(p);
	(*seen)++;
}

static void heap_blocks_are_named_by_their_guessed_type(void **state)
{
	size_t seen = 0;

	(void)state;
	for (size_t i = 0; i < N_FIXTURES; i++)
		fixture_run(fixtures[i], check_block, &seen);
	assert_true(seen >= (10 + 18) * N_FIXTURES / 2);
}

/* Two threads allocate twice each, in either order and at other addresses. */
static void heap_names_are_equal_in_every_run(void **state)
{
	struct program *p = open_program(fixtures[0]);
	const uint64_t pc = address_of('p', "main");
	uint32_t vars[4];

	(void)state;
	PUT_CREATE(&p->s, 1, 0, pc);
	PUT_ALLOC(&p->s, HEAP, pc, 32);
	PUT_ALLOC(&p->s, HEAP + 64, pc, 32);
	PUT_SWITCH(&p->s, 1);
	PUT_ALLOC(&p->s, HEAP + 128, pc, 32);
	PUT_ALLOC(&p->s, HEAP + 192, pc, 32);
	for (unsigned i = 0; i < 4; i++)
		PUT(&p->s, WRITE, HEAP + 64 * i + 8, pc, .size_log2 = 3);
	assert_int_equal(run(p), 0);
	for (unsigned i = 0; i < 4; i++)
		vars[i] = p->x.events[1 + i].var;
	assert_true(strncmp(name_of(p, 1), "main() at plain.c:", 18) == 0);
	assert_non_null(strstr(name_of(p, 2), " (2nd)"));
	assert_non_null(strstr(name_of(p, 3), " (thread 0.0)"));
	assert_non_null(strstr(name_of(p, 4), " (thread 0.0, 2nd)"));
	assert_int_equal(p->tab.objects[p->tab.variables[vars[3]].object].loop, 1);

	PUT_CREATE(&p->s, 1, 0, pc);
	PUT_SWITCH(&p->s, 1);
	PUT_ALLOC(&p->s, 0x100010, pc, 32);
	PUT_SWITCH(&p->s, 0);
	PUT_ALLOC(&p->s, HEAP + 192, pc, 32);
	PUT_ALLOC(&p->s, HEAP, pc, 32);
	PUT_SWITCH(&p->s, 1);
	PUT_ALLOC(&p->s, 0x200010, pc, 32);
	PUT(&p->s, WRITE, HEAP + 192 + 8, pc, .size_log2 = 3);
	PUT(&p->s, WRITE, HEAP + 8, pc, .size_log2 = 3);
	PUT(&p->s, WRITE, 0x100018, pc, .size_log2 = 3);
	PUT(&p->s, WRITE, 0x200018, pc, .size_log2 = 3);
	assert_int_equal(run(p), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(p->x.events[1 + i].var, vars[i]);
	close_program(p);
}

static void names_are_equal_in_another_process(void **state)
{
	struct program *p = open_program(fixtures[0]), *q = open_program(fixtures[0]);
	const uint64_t pc = address_of('p', "main");
	uint64_t key;

	(void)state;
	PUT_ALLOC(&p->s, HEAP, pc, 32);
	PUT(&p->s, WRITE, HEAP + 8, pc, .size_log2 = 3);
	assert_int_equal(run(p), 0);
	key = p->tab.objects[p->tab.variables[p->x.events[0].var].object].key;

	q->block.modules[0].base = q->block.modules[0].lo = BASE + 0x100000;
	q->block.modules[0].hi = q->block.modules[0].lo + 0x10000;
	assert_int_equal(vtb_ingest_modules(q->in, &q->block, sizeof(q->block), NULL), 0);
	PUT(&q->s, READ, address_of('g', "counter") + 0x100000, pc + 0x100000, .size_log2 = 2);
	PUT_ALLOC(&q->s, 0x5000, pc + 0x100000, 32);
	PUT(&q->s, WRITE, 0x5008, pc + 0x100000, .size_log2 = 3);
	assert_int_equal(run(q), 0);
	assert_string_equal(name_of(q, 0), "counter");
	assert_string_equal(name_of(q, 1), name_of(p, 0));
	assert_int_equal(q->tab.objects[q->tab.variables[q->x.events[1].var].object].key, key);
	close_program(p);
	close_program(q);
}

static void an_ingest_over_a_used_table_finds_the_old_ids(void **state)
{
	struct program *p = open_program(fixtures[0]);
	const uint64_t pc = address_of('p', "main"), counter = address_of('g', "counter");
	struct vtb_event before[3];
	size_t n_vars;

	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		PUT_ALLOC(&p->s, HEAP, pc, 32);
		PUT(&p->s, WRITE, HEAP + 8, pc, .size_log2 = 3);
		PUT(&p->s, WRITE, counter, pc, .size_log2 = 2);
		PUT(&p->s, THREAD_END, 0, pc, 0);
		assert_int_equal(run(p), 0);
		for (unsigned i = 0; i < 3; i++) {
			if (round) {
				assert_int_equal(p->x.events[i].var, before[i].var);
				assert_int_equal(p->x.events[i].site, before[i].site);
			}
			before[i] = p->x.events[i];
		}
		if (round)
			assert_int_equal(p->tab.n_variables, n_vars);
		n_vars = p->tab.n_variables;
		vtb_ingest_free(p->in);
		assert_int_equal(vtb_ingest_new(&p->tab, p->symbols, &p->in), 0);
		assert_int_equal(vtb_ingest_modules(p->in, &p->block, sizeof(p->block), NULL), 0);
	}
	close_program(p);
}

static void freed_memory_keeps_its_name_until_it_is_handed_out_again(void **state)
{
	struct program *p = open_program(fixtures[0]);
	const uint64_t pc = address_of('p', "main");

	(void)state;
	PUT_ALLOC(&p->s, HEAP, pc, 32);
	PUT(&p->s, WRITE, HEAP + 8, pc, .size_log2 = 3);
	PUT(&p->s, FREE, HEAP, pc, 0);
	PUT(&p->s, READ, HEAP + 8, pc, .size_log2 = 3);
	PUT_ALLOC(&p->s, HEAP - 16, pc, 32);
	PUT(&p->s, READ, HEAP + 8, pc, .size_log2 = 3);
	PUT(&p->s, READ, HEAP + 24, pc, .size_log2 = 3);
	PUT(&p->s, FREE, 0x1234, pc, 0); /* a block that was allocated before we looked */
	assert_int_equal(run(p), 0);
	assert_int_equal(p->x.events[0].var, p->x.events[2].var);
	assert_int_equal(p->x.events[1].kind, VTB_E_FREE);
	assert_int_equal(p->x.events[1].size, 32);
	assert_int_equal(p->tab.variables[p->x.events[1].var].object, p->tab.variables[p->x.events[0].var].object);
	assert_int_not_equal(p->x.events[3].var, p->x.events[0].var);
	assert_non_null(strstr(name_of(p, 3), "(2nd)+24"));
	assert_null(strstr(name_of(p, 4), "main()")); /* outside the new block; the old one is gone */
	assert_int_equal(p->x.events[5].var, VTB_NONE);
	close_program(p);
}

struct frame_check {
	struct program *p;
	const char *path;
	size_t seen;
};

/* Compilers name the function of a lambda in their own ways. */
static void check_name(const char *name, const char *variable, const char *activation)
{
	char want[256];

	snprintf(want, sizeof(want), "%s in %s", variable, strcmp(variable, "own") ? "locals()" : "lambda");
	assert_memory_equal(name, want, strlen(want));
	assert_non_null(strstr(name, activation));
}

static void check_frame(const char *path, char **f, size_t n, void *arg)
{
	struct frame_check *c = arg;
	const uint64_t pc = BASE + hex(f[1]), addr = n > 3 ? hex(f[3]) : 0;
	struct program *p;

	if (f[0][0] != 'l')
		return;
	p = open_program(path);
	PUT_CREATE(&p->s, 1, 0, pc);
	for (unsigned i = 0; i < 2; i++) {
		PUT(&p->s, FRAME, addr, pc, .value = 1, .arg = hex(f[2]), .flags = VTB_REC_VALUE | VTB_REC_ARG);
		PUT(&p->s, READ, addr, pc, .size_log2 = 15, .arg = strtoull(f[4], NULL, 10), .flags = VTB_REC_ARG);
	}
	assert_int_equal(run(p), 0);
	check_name(name_of(p, 1), f[5], " (thread 0.0)");
	check_name(name_of(p, 2), f[5], " (thread 0.0, 2nd call)");
	assert_int_equal(p->tab.objects[p->tab.variables[p->x.events[1].var].object].kind, VTB_OBJ_STACK);
	close_program(p);
	c->seen++;
}

static void stack_variables_are_named_by_owner_and_activation(void **state)
{
	struct frame_check c = { 0 };

	(void)state;
	for (size_t i = 0; i < N_FIXTURES; i++)
		fixture_run(fixtures[i], check_frame, &c);
	assert_true(c.seen >= 5 * N_FIXTURES / 2);
}

#define RANGES 9u

/* Where and of which size, the name of what was touched, told by a program that has nothing else in mind. */
static void put_range(struct program *p, uint64_t addr, uint64_t size)
{
	PUT(&p->s, READ, addr, address_of('p', "main"), .size_log2 = VTB_REC_SIZE_IN_ARG, .arg = size,
	    .flags = VTB_REC_ARG);
}

static char *fresh_name(uint64_t addr, uint64_t size)
{
	struct program *p = open_program(fixtures[0]);
	char *name;

	put_range(p, addr, size);
	assert_int_equal(run(p), 0);
	name = strdup(name_of(p, 0));
	assert_non_null(name);
	close_program(p);
	return name;
}

/* A union's members, what lies behind a member of a struct, and where nobody knows what lies; also sizes for which the
 * cache of addresses has no room. */
static void ranges_of_one_address_are_told_apart_by_their_size(void **state)
{
	static const uint64_t sizes[RANGES] = { 4, 8, 3, 16, 17, 100, 8191, 8192, 1u << 20 };
	const uint64_t balance = address_of('g', "accounts[2].balance"),
	               places[] = { balance + sizeof(long) + sizeof(pthread_mutex_t), balance, 0x77777777 };
	struct program *p = open_program(fixtures[0]);

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		for (size_t i = 0; i < 2 * RANGES; i++)
			put_range(p, places[k], sizes[i % RANGES]);
		assert_int_equal(run(p), 0);
		for (size_t i = 0; i < RANGES; i++) {
			char *name = fresh_name(places[k], sizes[i]);

			assert_string_equal(name_of(p, i), name);
			assert_int_equal(p->x.events[i].var, p->x.events[i + RANGES].var);
			assert_int_equal(p->x.events[i].size, sizes[i]);
			free(name);
		}
		if (k == 0)
			assert_string_not_equal(name_of(p, 0), name_of(p, 1));
	}
	close_program(p);
}

/* One descriptor stands for both ends, or for all of them. */
static void pipes_and_sockets_are_not_called_by_one_descriptor(void **state)
{
	struct program *p = open_program(fixtures[0]);

	(void)state;
	PUT(&p->s, IO_WRITE, 0, 0, .arg = 7, .flags = VTB_REC_ARG);
	PUT(&p->s, IO_WRITE, 0, 0, .arg = 7 | VTB_IO_OF_PIPE, .flags = VTB_REC_ARG);
	PUT(&p->s, IO_WRITE, 0, 0, .arg = 7 | VTB_IO_OF_SOCKETS, .flags = VTB_REC_ARG);
	assert_int_equal(run(p), 0);
	assert_string_equal(name_of(p, 0), "fd 7");
	assert_string_equal(name_of(p, 1), "the pipe of fd 7");
	assert_string_equal(name_of(p, 2), "the sockets");
	close_program(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_are_named_and_placed),
		cmocka_unit_test(synchronisation_objects_are_variables_of_their_own),
		cmocka_unit_test(heap_blocks_are_named_by_their_guessed_type),
		cmocka_unit_test(heap_names_are_equal_in_every_run),
		cmocka_unit_test(names_are_equal_in_another_process),
		cmocka_unit_test(an_ingest_over_a_used_table_finds_the_old_ids),
		cmocka_unit_test(freed_memory_keeps_its_name_until_it_is_handed_out_again),
		cmocka_unit_test(stack_variables_are_named_by_owner_and_activation),
		cmocka_unit_test(ranges_of_one_address_are_told_apart_by_their_size),
		cmocka_unit_test(pipes_and_sockets_are_not_called_by_one_descriptor),
	};

	return cmocka_run_group_tests_name("ingest", tests, NULL, NULL);
}
