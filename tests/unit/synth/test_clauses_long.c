/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_clauses.c with hundreds of programs. */
#define PROGRAMS 600u
#include "test_clauses.c"
