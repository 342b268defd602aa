/* SPDX-License-Identifier: GPL-2.0-or-later */
/* picture_title.h: the sentences above a picture. */
#ifndef VTB_VIZ_PICTURE_TITLE_H
#define VTB_VIZ_PICTURE_TITLE_H

#include "picture.h"

/* Fill title, message, subtitle and the flags of `p`. `failure` may be NULL. */
int picture_titles(struct picture *p, const struct vtb_trace *trace, const struct vtb_failure *failure,
                   const struct selection *s);

#endif /* VTB_VIZ_PICTURE_TITLE_H */
