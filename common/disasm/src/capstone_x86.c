/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capstone_x86.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/error.h"

int capstone_x86_new(bool operands, struct vtb_disasm **ret)
{
	struct vtb_disasm *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &d->handle) != CS_ERR_OK) {
		free(d);
		return -VTB_E_TOOL;
	}
	cs_option(d->handle, CS_OPT_DETAIL, operands ? CS_OPT_ON : CS_OPT_OFF);
	d->insn = cs_malloc(d->handle);
	if (!d->insn) {
		vtb_disasm_free(d);
		return -ENOMEM;
	}
	*ret = d;
	return 0;
}

void vtb_disasm_free(struct vtb_disasm *d)
{
	if (!d)
		return;
	if (d->insn)
		cs_free(d->insn, 1);
	cs_close(&d->handle);
	free(d);
}
