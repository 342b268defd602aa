/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file canary.h
 * A planted race in a program of its own (vtb-canary): if a hunt on it with this engine and carrier does not find it, a
 * hunt on anything else that finds nothing would mean nothing.
 */
#ifndef VTB_CANARY_H
#define VTB_CANARY_H

#include <stdbool.h>
#include <stddef.h>

#include "vtb/stop.h"
#include "vtb/wire.h"

/** 0: controlled. -ENOENT: there is no vtb-canary beside this program. `keep_carrier` as in struct vtb_process_opts.
 * -VTB_E_TARGET: it was not controlled, `why` says what happened. -EINTR, -ECANCELED. */
int vtb_canary_check(int engine, enum vtb_wire_carrier carrier, bool keep_carrier, struct vtb_stop *stop, char *why,
                     size_t size);

#endif /* VTB_CANARY_H */
