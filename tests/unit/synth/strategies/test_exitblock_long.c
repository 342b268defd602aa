/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sizes of test_exitblock.c that take seconds. */
#define VTB_TEST_LONG
#define DISCIPLINED 900
#include "test_exitblock.c"
