/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What gdb is told: gdb_commands.py, and of the run what that asks for. */
#ifndef VTB_GDB_SCRIPT_H
#define VTB_GDB_SCRIPT_H

#include "vtb/failure.h"

/** A file in memory, for gdb to inherit, with the script. `failure`: the file is one, and this is it; NULL: schedules
 * only. The descriptor, or a negative errno. */
int vtb_gdb_script(const struct vtb_schedules *schedules, uint32_t schedule, const struct vtb_failure *failure);

#endif /* VTB_GDB_SCRIPT_H */
