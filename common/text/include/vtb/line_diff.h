/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file line_diff.h
 * Two texts compared line by line, as a unified diff (POSIX diff -u without the lines that name the files): the fewest
 * lines that go and come, by the longest common subsequence; of very long texts the part between what is equal at both
 * ends, as a whole.
 */
#ifndef VTB_LINE_DIFF_H
#define VTB_LINE_DIFF_H

#include <stddef.h>

/** The diff that leads from `a` to `b`, at most `max_lines` lines and a note on how many are left out; "" if they are
 * equal. A last line without its newline differs from one with it. Fresh; NULL: -ENOMEM. Time and memory: O(lines of a
 * times lines of b), up to a limit. */
char *vtb_line_diff(const char *a, size_t a_size, const char *b, size_t b_size, size_t max_lines);

#endif /* VTB_LINE_DIFF_H */
