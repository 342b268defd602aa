/* SPDX-License-Identifier: GPL-2.0-or-later */
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <thread>
static int balance;
static void deposit(int n) { int seen = balance; balance = seen + n; }
TEST_CASE("one, alone", "[a]") { balance = 0; deposit(1); REQUIRE(balance == 1); }
TEST_CASE("two at a time [x]") { balance = 0; std::thread a(deposit, 1), b(deposit, 2); a.join(); b.join(); REQUIRE(balance == 3); }
