/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file watched.h  Tier watch in a hunt: chosen for programs without hooks. */
#ifndef VTB_WATCHED_H
#define VTB_WATCHED_H

#include "hunt_priv.h"
#include "vtb/process_runner.h"
#include "vtb/watch.h"

/** Is tier watch asked for, or is it the best for this program? Then fill *ret and process->breaks, and say in
 * result->facts what is watched. 0 also if there is nothing to watch and nobody insisted. */
int vtb_hunt_watch(const struct vtb_hunt_opts *opts, struct vtb_stop *stop, struct vtb_process_opts *process,
                   struct vtb_watch *ret, struct vtb_hunt_result *result, struct vtb_error *err);

#endif /* VTB_WATCHED_H */
