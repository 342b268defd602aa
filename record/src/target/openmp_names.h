/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libvtb-omp.so has of what gcc's -fopenmp calls. */
#ifndef VTB_OPENMP_NAMES_H
#define VTB_OPENMP_NAMES_H

#include <stdbool.h>

/** Is there a function of this name? */
bool vtb_openmp_has(const char *name);

#endif /* VTB_OPENMP_NAMES_H */
