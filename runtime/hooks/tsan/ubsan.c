/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Undefined behaviour that -fsanitize=undefined has found: its library calls __ubsan_on_report() after each report, and
 * would go on. Under control the run ends there, as at an assertion.
 */
#include <stdio.h>

#include "base.h"
#include "models.h"
#include "scheduler.h"

typedef void get_report(const char **kind, const char **message, const char **file, unsigned *line, unsigned *column,
                        char **address);

static void tell(const struct vtb_rt_thread *t, get_report *get)
{
	const char *kind = "", *text = "", *file = "";
	char message[VTB_WIRE_MESSAGE_MAX], *address;
	unsigned line = 0, column;

	get(&kind, &text, &file, &line, &column, &address);
	snprintf(message, sizeof(message), "%s:%u: runtime error: %s (%s)", file, line, text, kind);
	vtb_failure_end(VTB_V_ASSERTION, 0, t->base.pc, 0, message);
}

VTB_EXPORT void __ubsan_on_report(void);
VTB_EXPORT void __ubsan_on_report(void)
{
	struct vtb_rt_thread *t = vtb_rt_enter();
	get_report *get;

	if (!t || !vtb_rt_controls())
		return;
	t->base.inside++;
	get = (get_report *)vtb_real_symbol("__ubsan_get_current_report_data");
	if (get)
		tell(t, get);
	t->base.inside--;
}
