/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "what_matters.h"

#define CODE_MAX 100000u /* bytes: analysed in 0.2 s on a slow machine */

int vtb_what_matters(struct vtb_hunt *hunt, const struct vtb_finding *f, struct vtb_pruning *own,
                     struct vtb_predicate **ret)
{
	const struct vtb_search_opts *search = &hunt->opts->search;
	const struct vtb_predicate_slices_opts slices = { .only_assertions = search->only_assertions,
		                                          .output = hunt->opts->runner.expect_output,
		                                          .check_functions = search->check_function };
	int r;

	*own = (struct vtb_pruning){ 0 };
	*ret = vtb_predicate_awake(hunt->predicate) ? hunt->predicate : NULL;
	if (*ret || search->no_prune)
		return 0;
	r = vtb_pruning_begin(hunt->runner->tab, &slices, own);
	if (r < 0 || vtb_predicate_slices_code(own->slices) > CODE_MAX)
		return r;
	r = vtb_predicate_learn(own->predicate, &f->exec);
	*ret = own->predicate;
	return r < 0 ? r : 0;
}
