/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What vtb-replay prints. */
#ifndef VTB_SHOW_H
#define VTB_SHOW_H

#include "vtb/cli.h"
#include "vtb/replay.h"

/* A table and a summary, or one JSON object; on stdout. */
void vtb_show_report(const struct vtb_replay_report *report, const struct vtb_replay_opts *opts,
                     const struct vtb_cli *cli);

#endif /* VTB_SHOW_H */
