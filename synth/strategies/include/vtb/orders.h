/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file orders.h
 * Priority orders of threads for thread bounding (docs/algorithms.md, "Thread bounding").
 */
#ifndef VTB_ORDERS_H
#define VTB_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

#define VTB_ORDERS_ENUMERATED 7u /* up to so many entries all permutations may be enumerated (5040) */

/** n!, UINT64_MAX if it is larger. */
uint64_t vtb_factorial(uint64_t n);

/**
 * How many independent random permutations of n + c fragments (n threads, main included; c deviations) show every order
 * of every t of them with probability >= 1 - epsilon: (T + 1)! * (ln(N T) + ln(1 / epsilon)), N = n + c, T = t + c, one
 * more if `creators` (the creator of the threads takes part). At t = 2, c = 0: 2. Source: [CVT13], lemma 4.1.
 */
uint64_t vtb_orders_needed(uint32_t n, uint32_t t, uint32_t c, bool creators, double epsilon);

/** All (n + c)! orders are no more than the lemma asks for, and few enough to enumerate. */
bool vtb_orders_enumerable(uint32_t n, uint32_t t, uint32_t c, bool creators, double epsilon);

/**
 * Order number `i` of the numbers 0 .. n-1 into ret[n], best first. Numbers 0 and 1 are the two that suffice for t = 2:
 * 0, n-1, ..., 1 (main, then later children first) and its reverse. The rest: with `enumerate` (n <=
 * VTB_ORDERS_ENUMERATED, i < n!) all others, each once, shuffled by `seed`; without, independent uniformly random ones.
 */
void vtb_order(uint32_t n, uint64_t i, bool enumerate, uint64_t seed, uint32_t *ret);

/** Place (0 .. n) of one more entry in random order number `i` of n entries: it stays a uniformly random order. */
uint32_t vtb_order_place(uint32_t n, uint64_t i, uint64_t seed);

#endif /* VTB_ORDERS_H */
