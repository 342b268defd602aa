/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The backends that write packets, in a build without them (-DVTB_PT=OFF). */
#include "backend.h"
#include "vtb/pt_record_hw.h"

int vtb_pt_available(struct vtb_error *err)
{
	return vtb_error_set(err, -VTB_E_UNSUPPORTED, NULL, 0,
	                     "this build has no Intel PT support (it was configured with -DVTB_PT=OFF)");
}

static int check(const struct vtb_target *target, struct vtb_error *err)
{
	(void)target;
	return vtb_pt_available(err);
}

const struct vtb_backend vtb_backend_pt = {
	.name = "pt",
	.help = "Intel PT: not in this build",
	.check = check,
};

const struct vtb_backend vtb_backend_step = {
	.name = "step",
	.help = "one instruction at a time, written as Intel PT packets: not in this build",
	.check = check,
};
