/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file self.h
 * Where this very program lies, as what belongs to it lies beside it: by /proc, or, where that is not mounted, by what
 * it was started as. That may be relative: ask once before the directory changes (vtb_cli_init() does).
 */
#ifndef VTB_SELF_H
#define VTB_SELF_H

#include <limits.h>
#include <stdbool.h>

/** Its file, absolute, without symbolic links; NULL: nobody knows. */
const char *vtb_self(void);
/** DIR/`name`, where DIR holds it. False: nobody knows, or it is too long; `path` is then empty. */
bool vtb_self_beside(const char *name, char path[static PATH_MAX]);

#endif /* VTB_SELF_H */
