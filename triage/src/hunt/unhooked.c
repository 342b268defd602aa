/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unhooked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extent.h"
#include "libc_untold.h"
#include "vtb/array.h"
#include "vtb/blind_code.h"
#include "vtb/pad_site.h"
#include "vtb/plain.h"
#include "vtb/short_name.h"
#include "vtb/symbols.h"
#include "vtb/target.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool modelled(const char *name)
{
	static const char *const prefixes[] = { "ld-linux",   "libc.so",          "libc-",
		                                "libpthread", "linux-vdso",       "[vdso]",
		                                "libvtb-rt",  "libvtb-cxx",       "libvtb-omp",
		                                "libtsan.so", "libclang_rt.tsan", "libatomic.so" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return !*name;
}

/* It is loaded, and nobody calls it: what is ours stands before it. */
static bool is_replaced(const struct vtb_symtab *tab, const char *name)
{
	if (strncmp(name, "libgomp.so", 10) != 0)
		return false;
	for (size_t i = 0; i < tab->n_modules; i++)
		if (!strcmp(base_name(tab->modules[i].path), "libvtb-omp.so"))
			return true;
	return false;
}

struct module {
	bool hooked;
	bool calls;       /* its hooks are calls */
	uint32_t skipped; /* places in it without a pad */
	bool blind_reads, blind_fields;
};

static struct module look_at(const char *path)
{
	struct vtb_target target;
	struct module m = { 0 };

	if (vtb_target_inspect(path, &target, NULL) < 0)
		return m;
	m.hooked = target.hooks != VTB_HOOKS_NONE && target.hooks != VTB_HOOKS_TSAN_STATIC;
	m.calls = vtb_target_hooks_are_calls(target.hooks);
	m.skipped = target.pads_skipped;
	m.blind_reads = m.hooked && target.blind_reads;
	m.blind_fields = m.hooked && target.blind_fields;
	vtb_target_fini(&target);
	return m;
}

/* What is missing of it, as words; NULL: no memory. */
static char *missing(const char *name, const struct module *m)
{
	char *words = NULL;
	int r;

	if (m->blind_reads)
		r = asprintf(&words, "reads just before writes in %s", name);
	else if (m->skipped)
		r = asprintf(&words, "%u place%s in %s", m->skipped, m->skipped == 1 ? "" : "s", name);
	else
		r = asprintf(&words, "%s", name);
	return r < 0 ? NULL : words;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool listed(char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

struct list {
	char **names;
	size_t n_names, cap_names;
	bool functions; /* some are named, or places without a pad, or nobody knows whether there are any */
};

/* Takes `name`; NULL: no memory. Instances of one template have one name. */
static int put(struct list *l, char *name)
{
	if (name)
		vtb_plain_make(name); /* a file may be called anything */
	if (name && listed(l->names, l->n_names, name)) {
		free(name);
		return 0;
	}
	if (!name || vtb_array_room(l, names) < 0) {
		free(name);
		return -ENOMEM;
	}
	l->names[l->n_names++] = name;
	return 0;
}

#define FUNCTIONS_NAMED 8u /* of one module */

#define INLINED 16u
#define NAME_MAX_SHOWN 256u

/* "f()", and of C++ without template arguments, which would fill a page. "": it has no symbols. */
static const char *shown_name(const struct vtb_place *chain, size_t n, const struct vtb_blind_place *at, char *buf,
                              size_t size)
{
	const char *name = n && n < INLINED && *chain[n - 1].function ? chain[n - 1].function : at->function;

	vtb_short_function(name, buf, size - 2);
	return strcat(buf, strchr(buf, '(') || strstr(buf, "lambda") ? "" : "()");
}

/* NULL: no memory. */
static char *function_words(struct vtb_symbols *symbols, const char *path, const struct vtb_blind_place *at)
{
	struct vtb_place chain[INLINED] = { 0 };
	const size_t n = *at->function ? vtb_symbols_chain(symbols, path, at->addr, chain, INLINED) : 0;
	char name[NAME_MAX_SHOWN];
	char *words = NULL;
	int r;

	shown_name(chain, n, at, name, sizeof(name));
	if (!n)
		r = asprintf(&words, "accesses in %s that nobody could look for: it has no symbols", base_name(path));
	else if (chain[0].line)
		r = asprintf(&words, "some accesses in %s of %s (%s:%" PRIu32 ")", name, base_name(path),
		             base_name(chain[0].file), chain[0].line);
	else
		r = asprintf(&words, "some accesses in %s of %s", name, base_name(path));
	return r < 0 ? NULL : words;
}

/* `given`: those that stand in sites have got hooks. */
static int put_places(struct list *l, const char *path, const struct vtb_blind_place *places, bool given)
{
	struct vtb_symbols *symbols = NULL;
	char *words = NULL;
	size_t n = 0;
	int r = vtb_symbols_new(&symbols);

	for (; r >= 0 && places->function; places++) {
		if (given && places->in_sites)
			continue;
		if (n++ < FUNCTIONS_NAMED)
			r = put(l, function_words(symbols, path, places));
	}
	vtb_symbols_free(symbols);
	l->functions |= n > 0;
	if (r >= 0 && n > FUNCTIONS_NAMED)
		r = put(l, asprintf(&words, "some accesses in %zu more functions of %s", n - FUNCTIONS_NAMED,
		                    base_name(path)) < 0
		               ? NULL
		               : words);
	return r;
}

/* Functions of a module with hooks in which some accesses have none. Without a disassembler nothing is known of them.
 */
static int put_functions(struct list *l, const char *path, const struct module *m,
                         const struct vtb_unhooked_given *given, struct vtb_stop *stop)
{
	struct vtb_blind_code code = { 0 };
	char *words = NULL;
	int r;

	if (given->code && !strcmp(given->path, path))
		return put_places(l, path, given->code->places, true);
	r = vtb_blind_code_find(path, m->blind_reads, stop, &code, NULL);
	if (r == -ETIME) {
		l->functions = true;
		return put(l, asprintf(&words, "accesses in %s that nobody has looked for: the time was over",
		                       base_name(path)) < 0
		                  ? NULL
		                  : words);
	}
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	r = put_places(l, path, code.places, false);
	vtb_blind_code_fini(&code);
	return r < 0 ? r : 0;
}

/* What a function does to its own variable, of which another thread has touched a part. */
static int put_fields(struct list *l, const char *name)
{
	char *words = NULL;

	return put(l, asprintf(&words, "parts of local variables in %s that other threads share", name) < 0 ? NULL
	                                                                                                    : words);
}

static int put_module(struct list *l, struct libc_untold *calls, const struct vtb_symtab *tab,
                      const struct vtb_unhooked_given *given, const struct vtb_module *module, bool lent,
                      struct vtb_stop *stop, bool *ret_blind)
{
	const char *path = module->path, *name = base_name(path);
	struct module m = look_at(path);
	int r = m.calls ? put_functions(l, path, &m, given, stop) : 0;

	m.hooked &= m.calls || !module->late; /* its pads are off */

	if (r >= 0 && m.hooked)
		r = libc_untold_add(calls, tab, path);
	if (r >= 0 && lent && m.blind_fields)
		r = put_fields(l, name);
	l->functions |= m.hooked && m.skipped;
	*ret_blind |= m.blind_reads || (lent && m.blind_fields);
	if (r < 0 || (m.hooked && !m.skipped && !m.blind_reads))
		return r;
	return put(l, missing(name, &m));
}

static int put_calls(struct list *l, const struct libc_untold *calls)
{
	char *words = NULL;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < calls->n_names && i < FUNCTIONS_NAMED; i++)
		r = put(l, asprintf(&words, strchr(calls->names[i], ':') ? "%s" : "%s() of the C library",
		                    calls->names[i]) < 0
		               ? NULL
		               : words);
	if (r >= 0 && calls->n_names > FUNCTIONS_NAMED)
		r = put(l, asprintf(&words, "%zu more functions of the C library", calls->n_names - FUNCTIONS_NAMED) < 0
		               ? NULL
		               : words);
	return r;
}

#define LOOK_SECONDS 1.5 /* what looking through the program's code may take beyond the time */

/* Who has been told to stop before it began looks for a moment; who is told meanwhile stops. */
static struct vtb_stop look_until(struct vtb_stop *hunt)
{
	const double now = vtb_stop_clock();

	if (vtb_stop_due(hunt))
		return (struct vtb_stop){ .deadline = now + LOOK_SECONDS, .aborted = hunt->aborted };
	return (struct vtb_stop){ .deadline = hunt->deadline > 0 ? hunt->deadline + LOOK_SECONDS : 0,
		                  .interrupted = hunt->interrupted,
		                  .aborted = hunt->aborted };
}

int vtb_unhooked_modules(const struct vtb_symtab *tab, const struct vtb_unhooked_given *given, bool lent,
                         struct vtb_stop *hunt, char ***ret, bool *ret_some, bool *ret_blind)
{
	struct vtb_stop stop = look_until(hunt);
	struct list l = { 0 }, seen = { 0 };
	struct libc_untold calls = { 0 };
	int r = 0;

	*ret_some = *ret_blind = false;
	for (size_t i = 0; r >= 0 && i < tab->n_modules; i++) {
		const char *name = base_name(tab->modules[i].path);

		if (modelled(name) || is_replaced(tab, name) || listed(seen.names, seen.n_names, name))
			continue;
		r = put(&seen, strdup(name));
		r = r < 0 ? r : put_module(&l, &calls, tab, given, &tab->modules[i], lent, &stop, ret_blind);
	}
	r = r < 0 ? r : put_calls(&l, &calls);
	*ret_some = l.functions || calls.n_names;
	libc_untold_fini(&calls);
	while (seen.n_names)
		free(seen.names[--seen.n_names]);
	free(seen.names);
	if (r >= 0)
		r = vtb_array_room(&l, names);
	if (r < 0) {
		while (l.n_names)
			free(l.names[--l.n_names]);
		free(l.names);
		return r;
	}
	if (l.n_names)
		qsort(l.names, l.n_names, sizeof(*l.names), by_name);
	l.names[l.n_names] = NULL;
	*ret = l.names;
	return 0;
}

void vtb_unhooked_note_moves(struct vtb_hunt_facts *facts, const struct vtb_wire_blind *sites, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((sites[i].info & 15) == VTB_PAD_WRITE)
			vtb_extent_note_weak(facts, VTB_WEAK_MOVES, "");
}
