/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kept_names.h"

#include <errno.h>
#include <stdio.h>

#include "kept_records.h"
#include "kept_tables.h"
#include "vtb/hash.h"

void kept_names_fini(struct kept_names *names)
{
	for (int t = 0; t < KEPT_TABLES; t++) {
		free(names->ids[t].session);
		free(names->ids[t].file);
		vtb_map64_fini(&names->ids[t].known);
	}
	free(names->said);
	vtb_symtab_fini(&names->file);
}

void kept_names_read(struct kept_names *names, enum kept_table table, struct kept_in *in)
{
	in->bad |= kept_names_rows[table].read(names, in) < 0;
}

/* The two ids mean one name. */
static int match(struct kept_names *names, enum kept_table table, uint32_t file, uint32_t session)
{
	struct kept_ids *ids = &names->ids[table];

	if (vtb_array_extend(ids, session, (size_t)file + 1, VTB_NONE) < 0 ||
	    vtb_array_extend(ids, file, (size_t)session + 1, VTB_NONE) < 0)
		return -ENOMEM;
	ids->session[file] = session;
	ids->file[session] = file;
	return 0;
}

/* Rows that came to this process's table. */
static int learn(struct kept_names *names, enum kept_table table)
{
	struct kept_ids *ids = &names->ids[table];
	const size_t n = kept_names_rows[table].count(names->tab);

	for (; ids->n_known < n; ids->n_known++)
		if (!vtb_map64_put(&ids->known, kept_names_rows[table].key(names->tab, (uint32_t)ids->n_known),
		                   ids->n_known))
			return -ENOMEM;
	return 0;
}

static int check_build(struct kept_names *names, uint32_t file, uint32_t session)
{
	const struct vtb_module *a = &names->file.modules[file], *b = &names->tab->modules[session];

	if (a->build_id_size == b->build_id_size && !memcmp(a->build_id, b->build_id, a->build_id_size))
		return 0;
	snprintf(names->rebuilt, sizeof(names->rebuilt), "%s", b->path);
	return -ESTALE;
}

int64_t kept_names_session(struct kept_names *names, enum kept_table table, uint32_t id)
{
	struct kept_ids *ids = &names->ids[table];
	uint64_t known = 0;
	int64_t r;

	if (id == VTB_NONE || (id < ids->n_session && ids->session[id] != VTB_NONE))
		return id == VTB_NONE ? id : ids->session[id];
	if (id >= kept_names_rows[table].count(&names->file))
		return -VTB_E_FORMAT;
	r = learn(names, table);
	if (r < 0)
		return r;
	if (!vtb_map64_get(&ids->known, kept_names_rows[table].key(&names->file, id), &known)) {
		r = kept_names_rows[table].add(names, id);
		names->added = true;
		known = (uint64_t)r;
	} else if (table == KEPT_MODULES) {
		r = check_build(names, id, (uint32_t)known);
	} else if (table == KEPT_THREADS) {
		r = kept_names_rows[table].add(names, id); /* the file may know more of it */
	}
	if (r >= 0)
		r = match(names, table, id, (uint32_t)known);
	return r < 0 ? r : (int64_t)known;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	const uint64_t both[] = { a, b };

	return vtb_hash(both, sizeof(both));
}

static uint64_t said_of(const struct vtb_thread *t)
{
	return mix(mix(vtb_hash_text(t->start), vtb_hash_text(t->name)),
	           mix(mix(vtb_hash_text(t->maker), vtb_hash_text(t->place)), t->site));
}

/* Has the file an older idea of this thread? */
static bool is_news(struct kept_names *names, uint32_t id, uint32_t file)
{
	const uint64_t said = said_of(&names->tab->threads[id]);

	if (vtb_array_extend(names, said, (size_t)file + 1, 0) < 0 || names->said[file] == said)
		return false;
	names->said[file] = said;
	return true;
}

/* Put a record of it, and take it for what a reader of the file would. */
static int64_t put(struct kept_names *names, enum kept_table table, uint32_t id, struct kept_out *out)
{
	struct kept_out record = { 0 };
	struct kept_in in;
	int64_t r = kept_names_rows[table].put(names, id, out, &record);

	r = r < 0 ? r : record.failed ? -ENOMEM : 0;
	in = (struct kept_in){ record.bytes, record.bytes + record.n_bytes, false };
	if (r >= 0)
		r = kept_names_rows[table].read(names, &in);
	if (r >= 0)
		kept_put_record(out, (enum kept_record)table, &record);
	free(record.bytes);
	return r;
}

int64_t kept_names_file(struct kept_names *names, enum kept_table table, uint32_t id, struct kept_out *out)
{
	const struct kept_ids *ids = &names->ids[table];
	const bool there = id < ids->n_file && ids->file[id] != VTB_NONE;
	int64_t file = there ? (int64_t)ids->file[id] : -1;
	int r;

	if (id == VTB_NONE)
		return id;
	if (id >= kept_names_rows[table].count(names->tab))
		return -EINVAL;
	if (there && (table != KEPT_THREADS || !is_news(names, id, (uint32_t)file)))
		return file;
	file = put(names, table, id, out);
	if (file < 0)
		return file;
	if (table == KEPT_THREADS)
		is_news(names, id, (uint32_t)file);
	r = match(names, table, (uint32_t)file, id);
	return r < 0 ? r : file;
}
