/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module_report.h"

#include <stdlib.h>
#include <string.h>

#include "vtb/decode.h"
#include "vtb/module_file.h"

/* Of a recording with packets the code itself comes from the file. */
static bool is_needed(const struct vtb_symtab *tab, const size_t *sites, size_t module)
{
	return sites[module] || !tab->n_sites;
}

static bool has_packets(const struct vtb_trace *trace)
{
	return trace->backend && !strncmp(trace->backend, "pt", 2);
}

/* Places by module; NULL without memory. */
static size_t *count_sites(const struct vtb_symtab *tab)
{
	size_t *sites = calloc(tab->n_modules + 1, sizeof(*sites));

	for (size_t i = 0; sites && i < tab->n_sites; i++)
		if (tab->sites[i].module < tab->n_modules)
			sites[tab->sites[i].module]++;
	return sites;
}

bool vtb_decode_is_nameless(const struct vtb_symtab *tab)
{
	size_t *sites = count_sites(tab), good = 0, bad = 0;
	char where[4096];

	for (size_t i = 0; sites && i < tab->n_modules; i++) {
		const enum vtb_module_file state = vtb_module_find(&tab->modules[i], where, sizeof(where));

		if (!is_needed(tab, sites, i) || state == VTB_MODULE_NO_FILE)
			continue;
		*(state == VTB_MODULE_SAME ? &good : &bad) += 1;
	}
	free(sites);
	return bad && !good;
}

void vtb_decode_print_modules(const struct vtb_decoded *d, FILE *out)
{
	const struct vtb_symtab *tab = &d->trace.tab;
	size_t *sites = count_sites(tab);
	char where[4096];

	for (size_t i = 0; sites && i < tab->n_modules; i++) {
		const enum vtb_module_file state = vtb_module_find(&tab->modules[i], where, sizeof(where));
		const char *trouble = vtb_module_trouble(state);

		if (trouble && !sites[i] && (has_packets(&d->trace) || !tab->n_sites))
			fprintf(out, "%s %s: what ran in it is not told; --symfs=DIR says where to look\n",
			        tab->modules[i].path, trouble);
		else if (trouble && sites[i])
			fprintf(out, "%s %s: %zu place%s of it %s no name; --symfs=DIR says where to look\n",
			        tab->modules[i].path, trouble, sites[i], sites[i] == 1 ? "" : "s",
			        sites[i] == 1 ? "has" : "have");
	}
	free(sites);
}
