/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capstone_x86.h"

#include <errno.h>

#include "vtb/error.h"

int capstone_x86_open(struct capstone_x86 *c, bool operands)
{
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &c->handle) != CS_ERR_OK)
		return -VTB_E_TOOL;
	cs_option(c->handle, CS_OPT_DETAIL, operands ? CS_OPT_ON : CS_OPT_OFF);
	c->insn = cs_malloc(c->handle);
	if (c->insn)
		return 0;
	cs_close(&c->handle);
	return -ENOMEM;
}

void capstone_x86_close(struct capstone_x86 *c)
{
	cs_free(c->insn, 1);
	cs_close(&c->handle);
}
