/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file short_name.h
 * Names of C++ as people say them: without template arguments, parameters, return types and what is a library's own.
 *
 *     std::deque<Job, std::allocator<Job> >::push_back(Job&&)         deque::push_back
 *     (anonymous namespace)::Pool::loop() const                       Pool::loop
 *     Bank::open()::{lambda(int)#1}::operator()(int) const            lambda in Bank::open
 *     pool.queue_._M_impl._M_finish._M_cur in main()                  pool.queue_
 *     accounts._M_elems[1].cents                                      accounts[1].cents
 *     open() at pool.c:13 (2nd)->next                                 next of the block from pool.c:13 (2nd)
 *
 * Names of C stay as they are. Both return buf, which is cut if it is too small.
 */
#ifndef VTB_SHORT_NAME_H
#define VTB_SHORT_NAME_H

#include <stdbool.h>
#include <stddef.h>

/** Of a demangled function: its last two parts. */
char *vtb_short_function(const char *name, char *buf, size_t size);

/** Of a variable: parts that are reserved to the implementation (C++ [lex.name]: _M_x, __x) and all behind them go, but
 * for the elements of a std::array, and the function that it is a local of; a block of the heap is told by where it was
 * made. */
char *vtb_short_variable(const char *name, char *buf, size_t size);

/** Has the name such a part? Then its value is a library's affair. */
bool vtb_has_reserved_part(const char *name);

#endif /* VTB_SHORT_NAME_H */
