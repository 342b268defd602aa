/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blind_values.h"

#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t h = (a * 0x9e3779b97f4a7c15u) ^ (b * 0xc2b2ae3d27d4eb4fu) ^ (c * 0x165667b19e3779f9u);

	h ^= h >> 29;
	return h * 0xbf58476d1ce4e5b9u;
}

/* Index 0 of both lists is none: the form of numbers, and no atom. */
void blind_values_empty(struct blind_values *v)
{
	vtb_map64_clear(&v->first_atoms);
	vtb_map64_clear(&v->first_forms);
	v->n_atoms = v->n_forms = 0;
	if (vtb_array_room(v, atoms) < 0 || vtb_array_room(v, forms) < 0) {
		v->failed = true;
		return;
	}
	v->atoms[v->n_atoms++] = (struct blind_atom){ .own = true };
	v->forms[v->n_forms++] = (struct blind_form){ 0 };
}

void blind_values_fini(struct blind_values *v)
{
	vtb_map64_fini(&v->first_atoms);
	vtb_map64_fini(&v->first_forms);
	free(v->atoms);
	free(v->forms);
}

static uint64_t form_hash(const struct blind_form *f)
{
	uint64_t h = f->n;

	for (uint32_t i = 0; i < f->n; i++)
		h = mix(h, f->terms[i].atom, (uint64_t)f->terms[i].times);
	return h;
}

static bool same_form(const struct blind_form *a, const struct blind_form *b)
{
	for (uint32_t i = 0; i < a->n && i < b->n; i++)
		if (a->terms[i].atom != b->terms[i].atom || a->terms[i].times != b->terms[i].times)
			return false;
	return a->n == b->n;
}

static uint32_t find_form(struct blind_values *v, struct blind_form *f)
{
	uint64_t *first;

	if (!f->n || v->failed)
		return 0;
	first = vtb_map64_put(&v->first_forms, form_hash(f), 0);
	for (uint32_t i = first ? (uint32_t)*first : 0; i; i = v->forms[i].next)
		if (same_form(&v->forms[i], f))
			return i;
	if (!first || vtb_array_room(v, forms) < 0) {
		v->failed = true;
		return 0;
	}
	f->next = (uint32_t)*first;
	*first = v->n_forms;
	v->forms[v->n_forms] = *f;
	return (uint32_t)v->n_forms++;
}

static uint32_t find_atom(struct blind_values *v, const struct blind_atom *key)
{
	uint64_t *first =
	    v->failed ? NULL
	              : vtb_map64_put(&v->first_atoms, mix(key->a ^ (uint64_t)key->what << 56, key->b, key->c), 0);

	for (uint32_t i = first ? (uint32_t)*first : 0; i; i = v->atoms[i].next)
		if (v->atoms[i].a == key->a && v->atoms[i].b == key->b && v->atoms[i].c == key->c &&
		    v->atoms[i].what == key->what) {
			v->disowned |= v->atoms[i].own && !key->own;
			v->atoms[i].own &= key->own;
			return i;
		}
	if (!first || vtb_array_room(v, atoms) < 0) {
		v->failed = true;
		return 0;
	}
	v->atoms[v->n_atoms] = *key;
	v->atoms[v->n_atoms].next = (uint32_t)*first;
	*first = v->n_atoms;
	return (uint32_t)v->n_atoms++;
}

struct blind_value blind_atom(struct blind_values *v, enum blind_what what, uint64_t a, uint64_t b, uint64_t c,
                              bool own)
{
	const struct blind_atom key = { .a = a, .b = b, .c = c, .what = (uint8_t)what, .own = own };
	struct blind_form f = { .n = 1 };

	f.terms[0].atom = find_atom(v, &key);
	f.terms[0].times = 1;
	return (struct blind_value){ .form = find_form(v, &f) };
}

/* f + times * more, by atom. False: it has more terms than a form. */
static bool add_forms(const struct blind_form *f, const struct blind_form *more, int64_t times, struct blind_form *ret)
{
	uint32_t i = 0, k = 0;

	ret->n = 0;
	while (i < f->n || k < more->n) {
		const bool first = k == more->n || (i < f->n && f->terms[i].atom <= more->terms[k].atom);
		const bool both = first && k < more->n && f->terms[i].atom == more->terms[k].atom;
		const uint64_t added = first && !both ? 0 : (uint64_t)more->terms[k].times * (uint64_t)times;
		const int64_t sum = (int64_t)((first ? (uint64_t)f->terms[i].times : 0) + added);

		if (sum && ret->n == BLIND_TERMS)
			return false;
		if (sum) {
			ret->terms[ret->n].atom = first ? f->terms[i].atom : more->terms[k].atom;
			ret->terms[ret->n++].times = sum;
		}
		i += first;
		k += !first || both;
	}
	return true;
}

struct blind_value blind_sum(struct blind_values *v, struct blind_value x, struct blind_value y, int64_t times)
{
	const int64_t offset = (int64_t)((uint64_t)x.offset + (uint64_t)y.offset * (uint64_t)times);
	struct blind_value sum;
	struct blind_form f;

	if (!y.form || v->failed)
		return (struct blind_value){ x.form, offset };
	if (add_forms(&v->forms[x.form], &v->forms[y.form], times, &f))
		return (struct blind_value){ find_form(v, &f), offset };
	sum = blind_atom(v, BLIND_SUM, x.form, y.form, (uint64_t)times,
	                 blind_own(v, x) || (times == 1 && blind_own(v, y)));
	sum.offset = offset;
	return sum;
}

bool blind_sums_equal(const struct blind_values *v, const struct blind_value a[2], const struct blind_value x[2],
                      int64_t times)
{
	struct blind_form f, g;

	if ((uint64_t)a[0].offset + (uint64_t)a[1].offset * (uint64_t)times !=
	    (uint64_t)x[0].offset + (uint64_t)x[1].offset * (uint64_t)times)
		return false;
	if (a[0].form == x[0].form && a[1].form == x[1].form)
		return true;
	return add_forms(&v->forms[a[0].form], &v->forms[a[1].form], times, &f) &&
	       add_forms(&v->forms[x[0].form], &v->forms[x[1].form], times, &g) && same_form(&f, &g);
}

static bool is_writable(const struct blind_ranges *r, uint64_t address)
{
	for (size_t i = 0; i < r->n_items; i++)
		if (address >= r->items[i].lo && address < r->items[i].hi)
			return true;
	return false;
}

bool blind_own(const struct blind_values *v, struct blind_value x)
{
	const struct blind_form *f = &v->forms[x.form];

	for (uint32_t i = 0; i < f->n; i++) {
		const struct blind_atom *atom = &v->atoms[f->terms[i].atom];

		if (f->terms[i].times != 1)
			continue;
		if (atom->what == BLIND_IMAGE ? !is_writable(v->writable, (uint64_t)x.offset) : atom->own)
			return true;
	}
	return !f->n;
}

int64_t blind_met_times(const struct blind_values *v, struct blind_value x, uint64_t block, uint64_t place)
{
	const struct blind_form *f = &v->forms[x.form];

	for (uint32_t i = 0; i < f->n; i++) {
		const struct blind_atom *atom = &v->atoms[f->terms[i].atom];

		if (atom->what == BLIND_MET && atom->a == block && (place == UINT64_MAX || atom->b == place))
			return f->terms[i].times;
	}
	return 0;
}

uint64_t blind_made_by(const struct blind_values *v, struct blind_value x)
{
	const struct blind_form *f = &v->forms[x.form];
	const struct blind_atom *atom = f->n == 1 && !x.offset ? &v->atoms[f->terms[0].atom] : NULL;

	return atom && atom->what == BLIND_MADE && f->terms[0].times == 1 ? atom->a : 0;
}

struct blind_value blind_image(struct blind_values *v, uint64_t address)
{
	struct blind_value x = blind_atom(v, BLIND_IMAGE, 0, 0, 0, false);

	x.offset = (int64_t)address;
	return x;
}
