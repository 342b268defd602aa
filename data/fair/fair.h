/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs of this folder share: the shuffles and loops of table1.h, its padding not. Nothing here is instrumented. */
#ifndef FAIR_H
#define FAIR_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "../table1/table1.h"

#endif /* FAIR_H */
