/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file probes.h
 * Facts about this machine, each found out by trying. A probe is one row of the table in probes.c: it says yes or no
 * and writes what it saw, and undoes what it did.
 */
#ifndef VTB_PROBES_H
#define VTB_PROBES_H

#include "vtb/doctor.h"

struct vtb_probe {
	const char *key, *name, *use;
	enum vtb_doctor_state (*run)(char *detail, size_t size);
};

/** Row number i, NULL beyond the last. */
const struct vtb_probe *vtb_probe(size_t i);

#endif /* VTB_PROBES_H */
