/* SPDX-License-Identifier: BSD-2-Clause */
/* What the locale says: the decimal point, which numbers are letters. Asking for it is a plain read, as libc says that
 * it may not be set meanwhile. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include <wchar.h>
#include <wctype.h>

#include "hidden.h"
#include "instr_libc.h"

static int locale_in_use; /* named as the report is to call it */

int *vtb_rt_locale(void)
{
	return &locale_in_use;
}

void vtb_rt_asks_locale(uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		vtb_rt_access(VTB_E_READ, &locale_in_use, 2, pc);
}

/* clang-format off */
#define LETTER(ret, name, type) HIDDEN(ret, name, (type c), (c), vtb_rt_asks_locale(VTB_CALLER))
LETTER(wint_t, towlower, wint_t) LETTER(wint_t, towupper, wint_t)
LETTER(int, iswalnum, wint_t) LETTER(int, iswalpha, wint_t) LETTER(int, iswblank, wint_t) LETTER(int, iswcntrl, wint_t)
LETTER(int, iswdigit, wint_t) LETTER(int, iswgraph, wint_t) LETTER(int, iswlower, wint_t) LETTER(int, iswprint, wint_t)
LETTER(int, iswpunct, wint_t) LETTER(int, iswspace, wint_t) LETTER(int, iswupper, wint_t) LETTER(int, iswxdigit, wint_t)
LETTER(wint_t, btowc, int) LETTER(int, wctob, wint_t) LETTER(int, wcwidth, wchar_t)
