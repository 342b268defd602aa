/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "thread_maker.h"

#include <errno.h>
#include <string.h>

#include "vtb/hash.h"

/* What stands in the name of a library's function that runs a thread. */
static const struct {
	const char *part, *maker;
} makers[] = {
	{ "_Async_state_impl", "std::async" },    { "__async_assoc_state", "std::async" },
	{ "thread::_State_impl", "std::thread" }, { "__thread_proxy", "std::thread" },
	{ "__thread_execute", "std::thread" },    { "boost::detail::thread_data", "boost::thread" },
};

struct thread_search {
	struct frame outermost; /* of the user's functions */
	bool found;
	const char *maker;
};

static bool see_thread_frame(const struct frame *f, void *data)
{
	struct thread_search *s = data;

	if (f->users) {
		s->outermost = *f;
		s->found = true;
		s->maker = NULL;
	}
	for (size_t i = 0; !f->users && !s->maker && i < sizeof(makers) / sizeof(*makers); i++)
		if (strstr(f->place.function, makers[i].part))
			s->maker = makers[i].maker;
	return true;
}

int vtb_thread_maker_of(const struct stack_names *names, struct vtb_map64 *silent, uint32_t thread, const uint64_t *pcs,
                        size_t n)
{
	struct vtb_thread *t = thread < names->tab->n_threads ? &names->tab->threads[thread] : NULL;
	const uint64_t key = vtb_hash_seed(pcs, n * sizeof(*pcs), thread);
	struct thread_search s = { .found = false };
	char place[300];

	if (!t || *t->maker || t->parent == VTB_NONE || vtb_map64_at(silent, key))
		return 0;
	vtb_stack_walk(names, pcs, n, false, see_thread_frame, &s);
	if (!s.found || !s.maker)
		return vtb_map64_set(silent, key, 1);
	if (s.outermost.place.function_line) /* lambdas have none: any line of theirs, then */
		s.outermost.place.line = s.outermost.place.function_line;
	vtb_frame_place(&s.outermost.place, place, sizeof(place));
	t->start = vtb_symtab_string(names->tab, s.outermost.place.function);
	t->maker = vtb_symtab_string(names->tab, s.maker);
	t->place = vtb_symtab_string(names->tab, place);
	return t->start && t->maker && t->place ? 0 : -ENOMEM;
}
