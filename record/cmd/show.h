/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What vtb-record says when the program has ended. */
#ifndef VTB_RECORD_SHOW_H
#define VTB_RECORD_SHOW_H

#include "vtb/cli.h"
#include "vtb/record.h"

/** Sentences, or with --json one object, on stderr: stdout is the program's. */
void vtb_show_recording(const struct vtb_record_result *res, const struct vtb_record_opts *opts,
                        const struct vtb_cli *cli);

#endif /* VTB_RECORD_SHOW_H */
