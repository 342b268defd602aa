/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../hbgraph/make_trace.h"

#include "text.h"
#include "picture_words.h"
#include "vtb/report_causes.h"

/* What `call` adds to an empty text. */
#define EXPECT(call, expected)                      \
	do {                                        \
		struct text t = { 0 };              \
		char *got;                          \
		call;                               \
		got = text_take(&t);                \
		assert_non_null(got);               \
		assert_string_equal(got, expected); \
		free(got);                          \
	} while (0)

static void long_texts_lose_their_middle(void **state)
{
	(void)state;
	EXPECT(text_add_shortened(&t, "short", 5), "short");
	EXPECT(text_add_shortened(&t, "0123456789", 7), "012\u2026789");
	EXPECT(text_add_shortened(&t, "\u00e4\u00f6\u00fc\u00c4\u00d6", 4), "\u00e4\u2026\u00c4\u00d6");
	EXPECT(text_add_shortened(&t, "", 3), "");
}

static void lines_break_where_a_reader_expects_it(void **state)
{
	(void)state;
	EXPECT(text_add_wrapped(&t, "one two three", 7, 3), "one two\nthree");
	EXPECT(text_add_wrapped(&t, "space::name::thing", 13, 3), "space::name::\nthing");
	EXPECT(text_add_wrapped(&t, "abcdefghij", 4, 3), "abcd\nefgh\nij");
	EXPECT(text_add_wrapped(&t, "abcdefghijklmnop", 4, 2), "abcd\ne\u2026op");
	EXPECT(text_add_wrapped(&t, "", 4, 2), "");
}

static void functions_lose_arguments_and_templates(void **state)
{
	(void)state;
	EXPECT(text_add_function(&t, "main"), "main");
	EXPECT(text_add_function(&t, "ns::list<int, std::allocator<int> >::push(int const&)"),
	       "ns::list<\u2026>::push");
	EXPECT(text_add_function(&t, "main::<lambda>::operator()() const"), "lambda in main");
	EXPECT(text_add_function(&t, "A::operator<(A const&) const"), "A::operator<");
	EXPECT(text_add_function(&t, "(anonymous namespace)::run(void*)"), "(anonymous namespace)::run");
}

static void xml_is_escaped_and_broken_bytes_are_replaced(void **state)
{
	char *data = NULL;
	size_t size;
	FILE *f = open_memstream(&data, &size);

	(void)state;
	text_print_xml(f, "a<b>&\"\x01\xff\xc3\xa4\xed\xa0\x80");
	fclose(f);
	assert_string_equal(data, "a&lt;b&gt;&amp;&quot;\ufffd\ufffd\u00e4\ufffd\ufffd\ufffd");
	free(data);
}

static void operations_read_as_sentences(void **state)
{
	struct vtb_trace t_;
	uint32_t x, m, c;
	struct vtb_event *e;

	(void)state;
	t_begin(&t_, 2);
	x = t_int(&t_, "ns::Pool::instance()::count");
	m = t_lock(&t_, "m");
	c = t_lock(&t_, "c");
	e = t_event(&t_, 0, VTB_E_READ, x, 1);
	e->value = 0xffffffff;
	e->flags |= VTB_EVF_VALUE;
	t_.tab.variables[x].type = "int";
	EXPECT((words_event(&t, &t_, e), words_value(&t, &t_, e)), "reads ns::Pool::instance()::count = -1");
	t_.tab.variables[x].type = "unsigned int";
	EXPECT(words_value(&t, &t_, e), " = 4294967295");
	t_.tab.variables[x].type = "struct node *";
	e->kind = VTB_E_WRITE;
	e->value = 0;
	EXPECT(words_value(&t, &t_, e), " := NULL");
	t_.tab.variables[x].name = "jobs.queue_._M_impl._M_start in main()"; /* told as "jobs.queue_" */
	EXPECT(words_value(&t, &t_, e), "");
	e = t_event(&t_, 0, VTB_E_TRYLOCK, m, 1);
	e->value = 16;
	EXPECT(words_event(&t, &t_, e), "trylock does not get m");
	e = t_event(&t_, 0, VTB_E_COND_WAIT, c, 1);
	e->aux = m;
	EXPECT(words_event(&t, &t_, e), "starts to wait on c, releases m");
	e = t_event(&t_, 0, VTB_E_COND_SIGNAL, c, 1);
	e->flags |= VTB_EVF_VALUE;
	EXPECT(words_event(&t, &t_, e), "signals c but nobody waits");
	e = t_event(&t_, 0, VTB_E_PENDING, m, 1);
	e->aux = VTB_E_LOCK;
	EXPECT(words_event(&t, &t_, e), "waits for m");
	e = t_event(&t_, 0, VTB_E_READ, VTB_NONE, 1);
	e->flags |= VTB_EVF_ADDR_UNKNOWN;
	EXPECT(words_event(&t, &t_, e), "reads an unknown address");
	vtb_trace_fini(&t_);
}

static void variables_are_called_as_reports_call_them(void **state)
{
	struct vtb_trace t;
	uint32_t local, block, part;
	char name[300];

	(void)state;
	t_begin(&t, 1);
	local = t_int(&t, "pool.open in main()");
	block = t_int(&t, "instance() at dcl.cc:18->n_");
	part = t_int(&t, "jobs.queue_._M_impl._M_start in main()");
	assert_string_equal(words_variable(&t.tab, local, name, sizeof(name)), "pool.open");
	assert_string_equal(words_variable(&t.tab, block, name, sizeof(name)), "n_ of the block from dcl.cc:18");
	assert_string_equal(words_variable(&t.tab, part, name, sizeof(name)), "jobs.queue_");
	assert_string_equal(words_variable(&t.tab, VTB_NONE, name, sizeof(name)), "?");
	vtb_trace_fini(&t);
}

static void every_visible_kind_has_words(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < VTB_EVENT_KINDS; kind++) {
		const struct vtb_event_info *info = vtb_event_info(kind);
		struct text t = { 0 };
		char *got;

		if (!info || !(info->flags & VTB_EV_VISIBLE))
			continue;
		words_kind(&t, kind, "it");
		got = text_take(&t);
		assert_string_not_equal(got, info->name); /* the JSON name is the fallback */
		free(got);
	}
}

static void add_line(void *to, const char *label, const char *line)
{
	text_printf(to, "%s|%s\n", label, line);
}

static void each_further_cause_is_another_way_and_its_lock_is_named(void **state)
{
	struct vtb_cause_order order = {
		.before = { .kind = (char *)"write", .variable = (char *)"x" },
		.after = { .kind = (char *)"read", .variable = (char *)"m", .file = (char *)"src/a.c", .line = 7 }
	};
	struct vtb_cause both[2] = { { .orders = &order, .n_orders = 1, .class = (char *)"order-violation" },
		                     { .orders = &order,
		                       .n_orders = 1,
		                       .class = (char *)"atomicity-violation",
		                       .lock = (char *)"one-side",
		                       .guard = order.after } };
	const struct vtb_causes causes = { .causes = both, .n_causes = 2, .runs = 4 };
	struct text t = { 0 };
	char *got;

	(void)state;
	vtb_report_causes(&causes, 0, add_line, &t);
	got = text_take(&t);
	assert_non_null(strstr(got, "cause|order violation: this order"));
	assert_non_null(strstr(got, "\n|or atomicity violation, by this order:\n"));
	assert_non_null(strstr(got, "\n|only one of the two sides holds a lock there: `m` at a.c:7\n"));
	free(got);
	both[0].detail = (char *)"a.c:7 waits";
	t = (struct text){ 0 };
	vtb_report_causes(&causes, 0, add_line, &t);
	got = text_take(&t);
	assert_non_null(strstr(got, "cause|order violation: a.c:7 waits. This order makes it fail ("));
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_texts_lose_their_middle),
		cmocka_unit_test(lines_break_where_a_reader_expects_it),
		cmocka_unit_test(functions_lose_arguments_and_templates),
		cmocka_unit_test(xml_is_escaped_and_broken_bytes_are_replaced),
		cmocka_unit_test(operations_read_as_sentences),
		cmocka_unit_test(variables_are_called_as_reports_call_them),
		cmocka_unit_test(every_visible_kind_has_words),
		cmocka_unit_test(each_further_cause_is_another_way_and_its_lock_is_named),
	};

	return cmocka_run_group_tests_name("text and words", tests, NULL, NULL);
}
