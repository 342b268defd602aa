/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lost_files.h"

#include "vtb/cli.h"

void lost_files_tell(const struct vtb_hunt_result *result)
{
	for (size_t i = 0; i < result->n_findings; i++)
		if (result->findings[i].trouble)
			vtb_cli_error("not written: %s", result->findings[i].trouble);
}
