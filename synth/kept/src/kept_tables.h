/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file kept_tables.h  The tables of names, a row each: how a name is put, read, found again and added. */
#ifndef VTB_KEPT_TABLES_H
#define VTB_KEPT_TABLES_H

#include "kept_names.h"

/* What the file's ids are found again by, and how a name is put, read and added to a table. */
struct kept_names_row {
	/* of row `id` of `tab`; equal in all processes but for ids of other tables of `tab`, which come before it */
	uint64_t (*key)(const struct vtb_symtab *tab, uint32_t id);
	size_t (*count)(const struct vtb_symtab *tab);
	int (*put)(struct kept_names *names, uint32_t id, struct kept_out *out, struct kept_out *record);
	int64_t (*read)(struct kept_names *names, struct kept_in *in); /* into names->file */
	int64_t (*add)(struct kept_names *names, uint32_t id);         /* from names->file to names->tab */
};
extern const struct kept_names_row kept_names_rows[KEPT_TABLES];

#endif /* VTB_KEPT_TABLES_H */
