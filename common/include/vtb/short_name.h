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
 *     libc.so.6+0x1da640                                              libc.so.6's own data (0x1da640)
 *
 * Names of C stay as they are. All return buf, which is cut if it is too small.
 */
#ifndef VTB_SHORT_NAME_H
#define VTB_SHORT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Of a demangled function: its last two parts. */
char *vtb_short_function(const char *name, char *buf, size_t size);

/** Of a variable: parts that are reserved to the implementation (C++ [lex.name]: _M_x, __x) and all behind them go, but
 * for the elements of a std::array, and the function that it is a local of; a block of the heap is told by where it was
 * made. */
char *vtb_short_variable(const char *name, char *buf, size_t size);

/** What is said of a block instead of "block", and of where it was made. */
struct vtb_block_words {
	const char *noun;  /* as vtb_short_type() says it */
	const char *place; /* "pool.c:40"; NULL: the place in its name */
};
/** The same, where more is known of the block: "next of the node from pool.c:13". */
char *vtb_short_block(const char *name, const struct vtb_block_words *words, char *buf, size_t size);

/** Of what lies in a block: the last two parts of the type, without template arguments: "Pool::Conn", "struct conn",
 * "Conn[4]"; "map node" and the like; "block" if it is a library's own, too long, or not known. */
char *vtb_short_type(const char *type, char *buf, size_t size);

/** Has the name such a part? Then its value is a library's affair. */
bool vtb_has_reserved_part(const char *name);

/* ---- told_variable.c: with what the table of names knows of the block that a variable lies in */

struct vtb_symtab;
struct vtb_site;

/** As reports call it: "next of the struct conn from pool.c:13"; or from pool.c:40, if what stands at line 13 has made
 * another one, which is in the table, too, for a caller that is not line 40. "?" for what is no variable. Returns buf.
 * O(objects of the table). */
char *vtb_told_variable(const struct vtb_symtab *tab, uint32_t variable, char *buf, size_t size);
/** The same without a look at other blocks: the name does not depend on which there are. */
char *vtb_told_alone(const struct vtb_symtab *tab, uint32_t variable, char *buf, size_t size);

/** "libc.so.6+0x1da640", of which nothing else is known, as "libc.so.6's own data (0x1da640)". False: it is no such
 * name, and buf is as it was. */
bool vtb_told_of_library(const char *name, char *buf, size_t size);

/** Does the line stand in the C++ library's own code? */
bool vtb_site_is_library(const struct vtb_site *site);

#endif /* VTB_SHORT_NAME_H */
