/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file cases.h
 * How many random cases a test runs. Statistics need all of them; the sanitizers need each path, and take ten times as
 * long for a case.
 */
#ifndef VTB_TEST_CASES_H
#define VTB_TEST_CASES_H

#ifdef VTB_SANITIZED
#define CASES(n) (((n) + 19) / 20)
#else
#define CASES(n) (n)
#endif

#endif /* VTB_TEST_CASES_H */
