/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kept_tables.h"

#include <errno.h>

#include "vtb/hash.h"

static uint64_t mix(uint64_t a, uint64_t b)
{
	const uint64_t both[] = { a, b };

	return vtb_hash(both, sizeof(both));
}

static uint32_t get_id(struct kept_in *in, size_t n)
{
	return (uint32_t)kept_get_to(in, n) - 1;
}

/* Reference from one name of the file to another one, in this process. */
static int session_of(struct kept_names *names, enum kept_table table, uint32_t *id)
{
	const int64_t r = kept_names_session(names, table, *id);

	*id = (uint32_t)r;
	return r < 0 ? (int)r : 0;
}

static int put_ref(struct kept_names *names, enum kept_table table, uint32_t id, struct kept_out *out,
                   struct kept_out *record)
{
	const int64_t r = kept_names_file(names, table, id, out);

	if (r >= 0)
		kept_put_id(record, (uint32_t)r);
	return r < 0 ? (int)r : 0;
}

/* ---- modules */

static uint64_t key_of_module(const struct vtb_symtab *tab, uint32_t id)
{
	return vtb_hash_text(tab->modules[id].path);
}

static size_t count_modules(const struct vtb_symtab *tab)
{
	return tab->n_modules;
}

static int put_module(struct kept_names *names, uint32_t id, struct kept_out *out, struct kept_out *record)
{
	const struct vtb_module *m = &names->tab->modules[id];

	(void)out;
	kept_put_text(record, m->path);
	kept_put(record, m->build_id_size);
	kept_put_bytes(record, m->build_id, m->build_id_size);
	return 0;
}

static int64_t read_module(struct kept_names *names, struct kept_in *in)
{
	struct vtb_module m = { .path = kept_get_text(in) };
	const uint8_t *id;

	m.build_id_size = (uint32_t)kept_get_to(in, sizeof(m.build_id));
	id = kept_get_bytes(in, m.build_id_size);
	if (!id)
		return -VTB_E_FORMAT;
	memcpy(m.build_id, id, m.build_id_size);
	return vtb_symtab_add_module(&names->file, &m);
}

static int64_t add_module(struct kept_names *names, uint32_t id)
{
	return vtb_symtab_add_module(names->tab, &names->file.modules[id]);
}

/* ---- threads */

static uint64_t key_of_thread(const struct vtb_symtab *tab, uint32_t id)
{
	return vtb_hash_text(tab->threads[id].path);
}

static size_t count_threads(const struct vtb_symtab *tab)
{
	return tab->n_threads;
}

static int put_thread(struct kept_names *names, uint32_t id, struct kept_out *out, struct kept_out *record)
{
	const struct vtb_thread *t = &names->tab->threads[id];
	int r = t->parent == VTB_NONE ? 0 : (int)kept_names_file(names, KEPT_THREADS, t->parent, out);

	kept_put_text(record, t->path);
	kept_put_text(record, t->start);
	kept_put_text(record, t->name);
	kept_put_text(record, t->maker);
	kept_put_text(record, t->place);
	return r < 0 ? r : put_ref(names, KEPT_SITES, t->site, out, record);
}

/* A thread may be told again, when more is known of it. */
static int64_t read_thread(struct kept_names *names, struct kept_in *in)
{
	struct vtb_symtab *tab = &names->file;
	const size_t before = tab->n_threads;
	const int64_t id = vtb_symtab_thread_by_path(tab, kept_get_text(in));
	struct vtb_thread *t;

	if (id < 0 || tab->n_threads > before + 1)
		return id < 0 ? id : -VTB_E_FORMAT;
	t = &tab->threads[id];
	t->start = vtb_symtab_string(tab, kept_get_text(in));
	t->name = vtb_symtab_string(tab, kept_get_text(in));
	t->maker = vtb_symtab_string(tab, kept_get_text(in));
	t->place = vtb_symtab_string(tab, kept_get_text(in));
	t->site = get_id(in, tab->n_sites);
	return t->start && t->name && t->maker && t->place ? id : -ENOMEM;
}

/* What is not known here of a thread, the file may know. */
static int64_t add_thread(struct kept_names *names, uint32_t id)
{
	const struct vtb_thread *from = &names->file.threads[id];
	const int64_t r = vtb_symtab_thread_by_path(names->tab, from->path);
	struct vtb_thread *to = r < 0 ? NULL : &names->tab->threads[r];
	uint32_t site = from->site;

	if (r < 0 || *to->start)
		return r;
	if (session_of(names, KEPT_SITES, &site) < 0)
		return -ENOMEM;
	to = &names->tab->threads[r];
	to->start = vtb_symtab_string(names->tab, from->start);
	to->name = vtb_symtab_string(names->tab, from->name);
	to->maker = vtb_symtab_string(names->tab, from->maker);
	to->place = vtb_symtab_string(names->tab, from->place);
	to->site = site;
	return to->start && to->name && to->maker && to->place ? r : -ENOMEM;
}

/* ---- sites */

static uint64_t key_of_site(const struct vtb_symtab *tab, uint32_t id)
{
	const struct vtb_site *s = &tab->sites[id];

	return s->module == VTB_NONE ? mix(s->offset, vtb_hash_text(s->function))
	                             : mix(s->offset, key_of_module(tab, s->module));
}

static size_t count_sites(const struct vtb_symtab *tab)
{
	return tab->n_sites;
}

static int put_site(struct kept_names *names, uint32_t id, struct kept_out *out, struct kept_out *record)
{
	const struct vtb_site *s = &names->tab->sites[id];
	int r = put_ref(names, KEPT_MODULES, s->module, out, record);

	kept_put(record, s->offset);
	kept_put_text(record, s->function);
	kept_put_text(record, s->file);
	kept_put(record, s->line);
	kept_put(record, s->function_line);
	kept_put_text(record, s->text);
	kept_put(record, s->text_hash);
	kept_put_text(record, s->instruction);
	kept_put_text(record, s->via);
	kept_put_text(record, s->inside);
	return r;
}

static int64_t read_site(struct kept_names *names, struct kept_in *in)
{
	struct vtb_site s = { .module = get_id(in, names->file.n_modules) };

	s.offset = kept_get(in);
	s.function = kept_get_text(in);
	s.file = kept_get_text(in);
	s.line = (uint32_t)kept_get_to(in, UINT32_MAX);
	s.function_line = (uint32_t)kept_get_to(in, UINT32_MAX);
	s.text = kept_get_text(in);
	s.text_hash = kept_get(in);
	s.instruction = kept_get_text(in);
	s.via = kept_get_text(in);
	s.inside = kept_get_text(in);
	return in->bad ? -VTB_E_FORMAT : vtb_symtab_add_site(&names->file, &s);
}

static int64_t add_site(struct kept_names *names, uint32_t id)
{
	struct vtb_site s = names->file.sites[id];
	const int r = session_of(names, KEPT_MODULES, &s.module);

	return r < 0 ? r : vtb_symtab_add_site(names->tab, &s);
}

/* ---- objects */

static uint64_t key_of_object(const struct vtb_symtab *tab, uint32_t id)
{
	return tab->objects[id].key;
}

static size_t count_objects(const struct vtb_symtab *tab)
{
	return tab->n_objects;
}

#define STACK (sizeof(((struct vtb_object *)0)->stack) / sizeof(uint32_t))

static int put_object(struct kept_names *names, uint32_t id, struct kept_out *out, struct kept_out *record)
{
	const struct vtb_object *o = &names->tab->objects[id];
	size_t n = 0;
	int r;

	kept_put(record, o->kind);
	kept_put_text(record, o->name);
	kept_put_text(record, o->type);
	kept_put(record, o->key);
	kept_put(record, o->size);
	kept_put(record, o->loop);
	r = put_ref(names, KEPT_THREADS, o->thread, out, record);
	if (r >= 0)
		r = put_ref(names, KEPT_SITES, o->site, out, record);
	while (n < STACK && o->stack[n] != VTB_NONE)
		n++;
	kept_put(record, n);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = put_ref(names, KEPT_SITES, names->tab->objects[id].stack[i], out, record);
	return r;
}

static int64_t read_object(struct kept_names *names, struct kept_in *in)
{
	struct vtb_object o = { .kind = (enum vtb_object_kind)kept_get_to(in, VTB_OBJ_ENV) };
	size_t n;

	o.name = kept_get_text(in);
	o.type = kept_get_text(in);
	o.key = kept_get(in);
	o.size = kept_get(in);
	o.loop = (uint32_t)kept_get_to(in, UINT32_MAX);
	o.thread = get_id(in, names->file.n_threads);
	o.site = get_id(in, names->file.n_sites);
	n = (size_t)kept_get_to(in, STACK);
	for (size_t i = 0; i < STACK; i++)
		o.stack[i] = i < n ? get_id(in, names->file.n_sites) : VTB_NONE;
	return in->bad ? -VTB_E_FORMAT : vtb_symtab_add_object(&names->file, &o);
}

static int64_t add_object(struct kept_names *names, uint32_t id)
{
	struct vtb_object o = names->file.objects[id];
	int r = session_of(names, KEPT_THREADS, &o.thread);

	if (r >= 0)
		r = session_of(names, KEPT_SITES, &o.site);
	for (size_t i = 0; i < STACK && r >= 0; i++)
		r = session_of(names, KEPT_SITES, &o.stack[i]);
	return r < 0 ? r : vtb_symtab_add_object(names->tab, &o);
}

/* ---- variables */

static uint64_t key_of_variable(const struct vtb_symtab *tab, uint32_t id)
{
	const struct vtb_variable *v = &tab->variables[id];
	const uint64_t object = v->object < tab->n_objects ? tab->objects[v->object].key : 0;

	return mix(mix(object, v->offset), v->size);
}

static size_t count_variables(const struct vtb_symtab *tab)
{
	return tab->n_variables;
}

static int put_variable(struct kept_names *names, uint32_t id, struct kept_out *out, struct kept_out *record)
{
	const struct vtb_variable *v = &names->tab->variables[id];
	const int r = put_ref(names, KEPT_OBJECTS, v->object, out, record);

	kept_put(record, v->offset);
	kept_put(record, v->size);
	kept_put_text(record, v->name);
	kept_put_text(record, v->type);
	return r;
}

static int64_t read_variable(struct kept_names *names, struct kept_in *in)
{
	struct vtb_variable v = { .object = get_id(in, names->file.n_objects) };

	v.offset = kept_get(in);
	v.size = (uint32_t)kept_get_to(in, UINT32_MAX);
	v.name = kept_get_text(in);
	v.type = kept_get_text(in);
	return in->bad ? -VTB_E_FORMAT : vtb_symtab_add_variable(&names->file, &v);
}

static int64_t add_variable(struct kept_names *names, uint32_t id)
{
	struct vtb_variable v = names->file.variables[id];
	const int r = session_of(names, KEPT_OBJECTS, &v.object);

	return r < 0 ? r : vtb_symtab_add_variable(names->tab, &v);
}

const struct kept_names_row kept_names_rows[KEPT_TABLES] = {
	[KEPT_MODULES] = { key_of_module, count_modules, put_module, read_module, add_module },
	[KEPT_THREADS] = { key_of_thread, count_threads, put_thread, read_thread, add_thread },
	[KEPT_SITES] = { key_of_site, count_sites, put_site, read_site, add_site },
	[KEPT_OBJECTS] = { key_of_object, count_objects, put_object, read_object, add_object },
	[KEPT_VARIABLES] = { key_of_variable, count_variables, put_variable, read_variable, add_variable },
};
