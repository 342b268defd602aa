/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "vtb/signature.h"

struct names {
	struct vtb_symtab tab;
	uint32_t site[3], var[3];
};

/* Site i: line 10 + i of f0, f1, f2, which begin at line 7. Variables: lock, block with a thread in its name, field of
 * it. */
static void setup_names(struct names *n)
{
	static const char *const functions[] = { "f0", "ns::f1(int)", "f2" };
	static const char *const variables[] = { "lock", "get() at a.c:3 (thread 0.1, 2nd)",
		                                 "get() at a.c:3 (thread 0.1)->next" };
	const struct vtb_object o = {
		.kind = VTB_OBJ_SYNC, .name = "o", .thread = VTB_NONE, .site = VTB_NONE, .stack = { VTB_NONE }
	};

	memset(n, 0, sizeof(*n));
	assert_int_equal(vtb_symtab_add_object(&n->tab, &o), 0);
	for (uint32_t i = 0; i < 3; i++) {
		const struct vtb_site s = { .module = VTB_NONE,
			                    .offset = i,
			                    .function = functions[i],
			                    .file = "/src/a.c",
			                    .line = 10 + i,
			                    .function_line = 7 };
		const struct vtb_variable v = { .offset = i, .name = variables[i] };

		n->site[i] = (uint32_t)vtb_symtab_add_site(&n->tab, &s);
		n->var[i] = (uint32_t)vtb_symtab_add_variable(&n->tab, &v);
	}
}

static void expect(struct names *n, struct vtb_outcome o, const struct vtb_event *pending, size_t n_pending,
                   const char *want)
{
	assert_int_equal(vtb_signature(&o, &n->tab, pending, n_pending), 0);
	assert_string_equal(o.signature, want);
}

static struct vtb_outcome outcome(enum vtb_verdict verdict, const char *message, uint32_t var, uint32_t site)
{
	return (
	    struct vtb_outcome){ .verdict = verdict, .thread = VTB_NONE, .site = site, .var = var, .message = message };
}

static struct vtb_outcome ended_by(enum vtb_verdict verdict, int signal, int status, uint32_t site)
{
	struct vtb_outcome o = outcome(verdict, "", VTB_NONE, site);

	o.signal = signal;
	o.exit_status = status;
	return o;
}

static void a_run_that_did_not_fail_has_none(void **state)
{
	struct names n;

	(void)state;
	setup_names(&n);
	expect(&n, outcome(VTB_V_NONE, "", VTB_NONE, VTB_NONE), NULL, 0, "");
	expect(&n, outcome(VTB_V_DIVERGED, "", VTB_NONE, VTB_NONE), NULL, 0, "");
	vtb_symtab_fini(&n.tab);
}

static void assertions_are_named_by_function_and_text(void **state)
{
	struct names n;

	(void)state;
	setup_names(&n);
	expect(&n,
	       outcome(VTB_V_ASSERTION, "bank: bank.c:42: check_total: Assertion `balance == 300' failed.\n", VTB_NONE,
	               VTB_NONE),
	       NULL, 0, "assertion:check_total:balance == 300");
	expect(&n,
	       outcome(VTB_V_ASSERTION, "bank: a: b.cc:1: void ns::check(int, long): Assertion `x == y' failed.",
	               VTB_NONE, VTB_NONE),
	       NULL, 0, "assertion:void ns::check(int, long):x == y");
	expect(
	    &n,
	    outcome(
	        VTB_V_ASSERTION,
	        "terminate called after throwing an instance of 'std::runtime_error'\n  what():  empty at 0x7ffe12\n",
	        VTB_NONE, VTB_NONE),
	    NULL, 0, "assertion:std::runtime_error: empty at 0x?");
	expect(&n, outcome(VTB_V_ASSERTION, "", VTB_NONE, n.site[0]), NULL, 0, "assertion:f0+3");
	expect(&n, outcome(VTB_V_ASSERTION, "", VTB_NONE, VTB_NONE), NULL, 0, "assertion");
	expect(&n, outcome(VTB_V_ASSERTION, "Assertion `", VTB_NONE, VTB_NONE), NULL, 0, "assertion::");
	expect(&n, outcome(VTB_V_ASSERTION, NULL, VTB_NONE, VTB_NONE), NULL, 0, "assertion");
	vtb_symtab_fini(&n.tab);
}

static void signals_and_memory_are_named_by_place_and_object(void **state)
{
	struct names n;

	(void)state;
	setup_names(&n);
	expect(&n, ended_by(VTB_V_SIGNAL, 11, 0, n.site[1]), NULL, 0, "signal:SIGSEGV:ns::f1(int)+4");
	expect(&n, ended_by(VTB_V_SIGNAL, 99, 0, VTB_NONE), NULL, 0, "signal:99");
	expect(&n, ended_by(VTB_V_EXIT, 0, 3, VTB_NONE), NULL, 0, "exit:3");
	expect(&n, outcome(VTB_V_MEMORY, "use after free", n.var[2], n.site[2]), NULL, 0,
	       "memory:use after free:get() at a.c:3->next:f2+5");
	expect(&n, outcome(VTB_V_MEMORY, "", n.var[1], VTB_NONE), NULL, 0, "memory:get() at a.c:3");
	expect(&n, outcome(VTB_V_LIVELOCK, "", VTB_NONE, VTB_NONE), NULL, 0, "livelock");
	vtb_symtab_fini(&n.tab);
}

static void waits_are_sorted_and_name_no_thread(void **state)
{
	struct names n;
	struct vtb_event p[4];

	(void)state;
	setup_names(&n);
	p[0] =
	    (struct vtb_event){ .kind = VTB_E_PENDING, .aux = VTB_E_THREAD_JOIN, .var = n.var[2], .site = n.site[0] };
	p[1] = (struct vtb_event){
		.kind = VTB_E_PENDING, .aux = VTB_E_LOCK, .var = n.var[0], .site = n.site[2], .thread = 1
	};
	p[2] = (struct vtb_event){
		.kind = VTB_E_PENDING, .aux = VTB_E_LOCK, .var = n.var[1], .site = n.site[0], .thread = 2
	};
	p[3] = p[2];
	expect(&n, outcome(VTB_V_DEADLOCK, "", VTB_NONE, VTB_NONE), p, 4,
	       "deadlock:get() at a.c:3 at f0+3,lock at f2+5");
	p[3] = p[1];
	p[1] = p[2];
	p[2] = p[3];
	expect(&n, outcome(VTB_V_DEADLOCK, "", VTB_NONE, VTB_NONE), p, 3,
	       "deadlock:get() at a.c:3 at f0+3,lock at f2+5");
	expect(&n, outcome(VTB_V_LOST_WAKEUP, "", VTB_NONE, VTB_NONE), p, 0, "lost-wakeup");
	vtb_symtab_fini(&n.tab);
}

static void types_of_exceptions_are_written_as_people_do(void **state)
{
	static const struct {
		const char *said, *readable;
	} rows[] = {
		{ "terminate called after throwing an instance of 'St12out_of_range'\n  what():  x",
		  "terminate called after throwing an instance of 'std::out_of_range'\n  what():  x" },
		{ "abort() was called while handling an instance of 'i'",
		  "abort() was called while handling an instance of 'int'" },
		{ "terminate called after throwing an instance of 'not a type'",
		  "terminate called after throwing an instance of 'not a type'" },
		{ "terminate called after throwing an instance of '",
		  "terminate called after throwing an instance of '" },
		{ "abort() was called", "abort() was called" },
	};
	char buf[200], tiny[8];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(vtb_readable_exception(rows[i].said, buf, sizeof(buf)), rows[i].readable);
	assert_string_equal(vtb_readable_exception(rows[0].said, tiny, sizeof(tiny)), "termina");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_of_exceptions_are_written_as_people_do),
		cmocka_unit_test(a_run_that_did_not_fail_has_none),
		cmocka_unit_test(assertions_are_named_by_function_and_text),
		cmocka_unit_test(signals_and_memory_are_named_by_place_and_object),
		cmocka_unit_test(waits_are_sorted_and_name_no_thread),
	};

	return cmocka_run_group_tests_name("signature", tests, NULL, NULL);
}
