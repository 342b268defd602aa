/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <gtest/gtest.h>
#include <thread>
static int balance;
static void deposit(int n) { int seen = balance; balance = seen + n; }
TEST(Account, DISABLED_Later) { FAIL(); }
TEST(Account, Sequential) { balance = 0; deposit(1); EXPECT_EQ(balance, 1); }
TEST(Account, Concurrent) { balance = 0; std::thread a(deposit, 1), b(deposit, 2); a.join(); b.join(); EXPECT_EQ(balance, 3); }
struct P : testing::TestWithParam<int> {};
TEST_P(P, Joined) { balance = 0; std::thread a(deposit, GetParam()); a.join(); std::thread b(deposit, 1); b.join(); EXPECT_EQ(balance, GetParam() + 1); }
INSTANTIATE_TEST_SUITE_P(Two, P, testing::Values(1, 2));
