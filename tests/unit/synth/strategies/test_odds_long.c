/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_odds.c with as many runs as the rarest failures ask for. */
#define MOST_RUNS UINT64_MAX
#include "test_odds.c"
