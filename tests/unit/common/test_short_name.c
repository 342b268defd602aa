/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "vtb/short_name.h"
#include "vtb/symtab.h"

static void is_function(const char *name, const char *expected)
{
	char buf[200];

	assert_string_equal(vtb_short_function(name, buf, sizeof(buf)), expected);
}

static void functions_are_named_as_people_say_them(void **state)
{
	(void)state;
	is_function("main", "main");
	is_function("std::deque<Job, std::allocator<Job> >::push_back(Job&&)", "deque::push_back");
	is_function("void std::vector<int>::_M_realloc_insert<int const&>(int*, int const&)",
	            "vector::_M_realloc_insert");
	is_function("std::map<int, char*>::operator[](int&&)", "map::operator[]");
	is_function("(anonymous namespace)::Pool::loop() const", "Pool::loop");
	is_function("Ring<int>::operator<<(int) const &", "Ring::operator<<");
	is_function("operator new(unsigned long)", "operator new");
	is_function("Value::operator bool() const", "Value::operator bool");
	is_function("app::net::Server::run()", "Server::run");
	is_function("std::string const& pick<std::string>(std::string const&)", "pick");
	is_function("Job::run[abi:cxx11](int)", "Job::run");
	is_function("step(int) [clone .part.0]", "step");
	is_function("histogram._omp_fn.0", "histogram");
	is_function("take.constprop.1", "take");
	is_function("take.isra.0.cold", "take");
	is_function("take.partial", "take.partial");
}

static void lambdas_are_said_to_be_in_their_function(void **state)
{
	(void)state;
	is_function("main::{lambda()#1}::operator()() const", "lambda in main");
	is_function("main()::<lambda()>::operator()", "lambda in main");
	is_function("Bank::open(int)::{lambda(int)#2}::operator()(int) const", "lambda in Bank::open");
	is_function("main::$_0::operator()() const", "lambda in main");
	is_function("$_12::operator()()", "lambda");
	is_function("main()::<lambda>::operator()", "lambda in main");
}

static void names_that_are_none_do_no_harm(void **state)
{
	char tiny[4];

	(void)state;
	is_function("", "");
	is_function(NULL, "");
	is_function("<<<((([[{", "");
	is_function("a<b", "a");
	is_function("::", "");
	assert_string_equal(vtb_short_function("abcdefgh", tiny, sizeof(tiny)), "abc");
}

static void is_variable(const char *name, const char *expected)
{
	char buf[200];

	assert_string_equal(vtb_short_variable(name, buf, sizeof(buf)), expected);
}

static void parts_of_the_library_go(void **state)
{
	(void)state;
	is_variable("balance", "balance");
	is_variable("_private.x", "_private.x"); /* a user's: only what follows a dot is a part */
	is_variable("pool.queue_._M_impl._M_finish._M_cur", "pool.queue_");
	is_variable("c.entries_._M_t._M_impl in main()", "c.entries_");
	is_variable("accounts._M_elems[1].cents", "accounts[1].cents");
	is_variable("fork_._M_elems[2] in main()", "fork_[2]");
	is_variable("rows._M_elems[1]._M_elems[0]._M_i", "rows[1][0]");
	is_variable("s.next_.__elems_[3]", "s.next_[3]");
	is_variable("make() at pool.cc:13->_M_elems[2]", "[2] of the block from pool.cc:13");
	is_variable("pool._M_elems_of", "pool");
	is_variable("Pool::Pool() at pool.cc:13[]._M_functor", "the block from pool.cc:13");
	is_variable("run() at a.c:7 (thread 0.1, 2nd)->next", "next of the block from a.c:7 (thread 0.1, 2nd)");
	is_variable("main() at a.c:7[3]", "[3] of the block from a.c:7");
	is_variable("main()::<lambda()>::operator()() at a.c:7+8", "byte 8 of the block from a.c:7");
	is_variable("lock in Pool::loop() (thread 0.0)", "lock (thread 0.0)");
	is_variable("frame-72 in main()", "frame-72 in main()");
	is_variable("frames.queue_ in main()", "frames.queue_");
	is_variable("head->__next", "head");
	is_variable("accounts[2]._balance", "accounts[2]._balance");
	is_variable("std::map<int, long>::operator[]() at a.cc:3", "the block from a.cc:3");
	is_variable("(anonymous namespace)::table", "table");
	assert_true(vtb_has_reserved_part("a._M_x"));
	assert_false(vtb_has_reserved_part("a._x"));
	assert_false(vtb_has_reserved_part("a._M_elems[1].cents"));
	assert_true(vtb_has_reserved_part("a._M_elems[1]._M_x"));
	assert_false(vtb_has_reserved_part("_M_x"));
}

static void is_type(const char *type, const char *expected)
{
	char buf[200];

	assert_string_equal(vtb_short_type(type, buf, sizeof(buf)), expected);
}

static void types_of_blocks_are_named_as_people_say_them(void **state)
{
	(void)state;
	is_type("Conn", "Conn");
	is_type("struct conn", "struct conn");
	is_type("struct conn [4]", "struct conn[4]");
	is_type("app::net::Pool<int>::Conn", "Pool::Conn");
	is_type("(anonymous namespace)::Conn", "Conn");
	is_type("char *", "char *");
	is_type("std::_Rb_tree_node<std::pair<int const, Conn> >", "map node");
	is_type("std::_Rb_tree_node<Conn>", "set node");
	is_type("std::__detail::_Hash_node<std::pair<int const, Conn>, false>", "map node");
	is_type("std::_List_node<Conn>", "list node");
	is_type("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > [8]",
	        "std::string[8]");
	is_type("std::__detail::_Hash_node_base *", "block"); /* nobody's but the library's */
	is_type("std::thread::_State_impl<int>", "block");
	is_type("a_type_whose_name_is_so_long_that_it_hides_what_is_said_of_it", "block");
	is_type("", "block");
	is_type(NULL, "block");
}

#define OPEN "open() at bank.cc:15"
#define STACK(a, b, c) .stack = { a, b, c, VTB_NONE }

/* bank.cc:15 asks for the memory in a function of the library, for two lines and for one of the library. */
static struct vtb_site sites[] = {
	{ .function = "std::make_unique()", .file = "/usr/include/c++/12/bits/unique_ptr.h", .line = 1065 },
	{ .function = "open()", .file = "bank.cc", .line = 15 },
	{ .function = "main", .file = "bank.cc", .line = 28 },
	{ .function = "main", .file = "bank.cc", .line = 29 },
	{ .function = "std::map::operator[]()", .file = "/usr/include/c++/12/bits/stl_map.h", .line = 500 },
};
static struct vtb_object objects[] = {
	{ .kind = VTB_OBJ_HEAP, .name = OPEN, .type = "Account", .site = 1, STACK(0, 1, 2) },
	{ .kind = VTB_OBJ_HEAP, .name = OPEN, .type = "Account", .site = 1, STACK(0, 1, 3) },
	{ .kind = VTB_OBJ_SYNC, .name = OPEN "->m", .type = "std::mutex", .site = VTB_NONE, STACK(0, 1, 3) },
	{ .kind = VTB_OBJ_GLOBAL, .name = "total", .type = "long", .site = VTB_NONE, .stack = { VTB_NONE } },
	{ .kind = VTB_OBJ_HEAP, .name = OPEN " (2nd)", .type = "", .site = 1, STACK(0, 1, 2) },
};
static struct vtb_variable variables[] = {
	{ .object = 0, .name = OPEN "->balance" }, { .object = 1, .name = OPEN "->balance" },
	{ .object = 2, .name = OPEN "->m" },       { .object = 3, .name = "total" },
	{ .object = 4, .name = OPEN " (2nd)+8" },
};

static struct vtb_symtab table(size_t n_objects)
{
	return (struct vtb_symtab){ .sites = sites,
		                    .n_sites = sizeof(sites) / sizeof(*sites),
		                    .objects = objects,
		                    .n_objects = n_objects,
		                    .variables = variables,
		                    .n_variables = sizeof(variables) / sizeof(*variables) };
}

static void is_told(const struct vtb_symtab *tab, uint32_t variable, const char *expected)
{
	char buf[200];

	assert_string_equal(vtb_told_variable(tab, variable, buf, sizeof(buf)), expected);
}

static void blocks_are_told_by_their_type(void **state)
{
	const struct vtb_symtab one = table(1), all = table(5);
	char buf[200];

	(void)state;
	is_told(&one, 0, "balance of the Account from bank.cc:15");
	is_told(&all, 3, "total");
	is_told(&all, 4, "byte 8 of the block from bank.cc:15 (2nd)");
	is_told(&all, 99, "?");
	assert_string_equal(vtb_told_alone(&all, 0, buf, sizeof(buf)), "balance of the Account from bank.cc:15");
}

static void blocks_of_one_line_are_told_apart_by_their_callers(void **state)
{
	const struct vtb_symtab all = table(5);

	(void)state;
	is_told(&all, 0, "balance of the Account from bank.cc:28");
	is_told(&all, 1, "balance of the Account from bank.cc:29");
	is_told(&all, 2, "m of the Account from bank.cc:29"); /* a lock goes with its block */
}

static void callers_that_do_not_tell_them_apart_are_not_named(void **state)
{
	const struct vtb_symtab all = table(5);

	(void)state;
	objects[1].stack[2] = 2; /* the same line */
	is_told(&all, 0, "balance of the Account from bank.cc:15");
	objects[0].stack[2] = 4; /* a line of the library */
	is_told(&all, 0, "balance of the Account from bank.cc:15");
	objects[0].stack[2] = 3;
	objects[1].type = "Savings"; /* they are told apart already */
	is_told(&all, 0, "balance of the Account from bank.cc:15");
}

static void what_only_a_library_knows_is_its_own_data(void **state)
{
	(void)state;
	is_variable("libc.so.6+0x1da640", "libc.so.6's own data (0x1da640)");
	is_variable("libm.so+0x8", "libm.so's own data (0x8)");
	is_variable("table+0x8", "table+0x8");
	is_variable("of.sorts+0x8", "of.sorts+0x8");
	is_variable("libc.so.6+", "libc.so.6+");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_only_a_library_knows_is_its_own_data),
		cmocka_unit_test(functions_are_named_as_people_say_them),
		cmocka_unit_test(lambdas_are_said_to_be_in_their_function),
		cmocka_unit_test(names_that_are_none_do_no_harm),
		cmocka_unit_test(parts_of_the_library_go),
		cmocka_unit_test(types_of_blocks_are_named_as_people_say_them),
		cmocka_unit_test(blocks_are_told_by_their_type),
		cmocka_unit_test(blocks_of_one_line_are_told_apart_by_their_callers),
		cmocka_unit_test(callers_that_do_not_tell_them_apart_are_not_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
