/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file page.h
 * Putting back a page of memory of which a run has changed little: in a typical run 130 of the 1 100 lines in its dirty
 * pages. What did not change is only read, and what was zero is not even compared with a copy: a page costs a third of
 * copying it.
 */
#ifndef VTB_RT_PAGE_H
#define VTB_RT_PAGE_H

#include <stdint.h>

#define VTB_PAGE 4096u
#define VTB_PAGE_GROUPS 16u /* of 256 bytes, which are looked at together */

/** Bit i: the ith group of the page is not all zero. */
unsigned vtb_page_groups(const void *page);
/** Make `page` equal to `saved`, whose groups are `groups` as above (0: `saved` is not looked at). Both aligned to a
 * page. Returns how many groups were different. Uses vector registers, which are the program's in the middle of its
 * code. */
unsigned vtb_page_put_back(void *page, const void *saved, unsigned groups);
/** The same without looking first. */
void vtb_page_overwrite(void *page, const void *saved, unsigned groups);
/** How many forms of it this processor can have: vectors of 16 bytes, of 32. By default the last one is in use. */
unsigned vtb_page_forms(void);
void vtb_page_use_form(unsigned form);

#endif /* VTB_RT_PAGE_H */
