/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/trace.h"

#include <stdlib.h>

#include "vtb/argv.h"

_Static_assert(sizeof(struct vtb_event) == 40, "an event takes 40 bytes");

void vtb_trace_init(struct vtb_trace *trace)
{
	*trace = (struct vtb_trace){
		.outcome = { .thread = VTB_NONE, .site = VTB_NONE, .var = VTB_NONE, .message = "", .signature = "" },
	};
}

void vtb_trace_fini(struct vtb_trace *trace)
{
	vtb_argv_free(trace->argv);
	free(trace->cwd);
	free(trace->backend);
	vtb_symtab_fini(&trace->tab);
	free(trace->events);
	vtb_trace_init(trace);
}
