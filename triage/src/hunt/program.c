/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"

#include "hunt_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/fsview.h"

#define STARTER_SECONDS 20.0 /* to start what is meant */
#define PERHAPS_SECONDS                                                                                     \
	8.0      /* likewise, if it may be meant itself, and no more than half of the hunt's time, of which \
	          * it is taken: it is lost then */
#define TRIES 8u /* of views, each wider than the one before */

void vtb_hunt_program_fini(struct hunt_program *p)
{
	free(p->starter);
	vtb_started_fini(&p->started);
}

/* One try, until then, in a view with all that is in the directories of `more`. */
static int follow_once(const struct vtb_hunt_opts *opts, enum vtb_starter kind, double until, struct hunt_program *p,
                       struct vtb_fsview *view, char *const *more)
{
	const double left = until - vtb_hunt_now();
	char why[400];

	p->files = VTB_STARTER_THROUGH;
	if (!opts->runner.keep_files && vtb_view_for_starter(opts->argv, opts->cwd, more, view, why, sizeof(why)))
		p->files = VTB_STARTER_NONE;
	return vtb_starter_follow(kind, opts->argv, opts->cwd, left > 0 ? (unsigned)(left * 1000) : 0,
	                          p->files == VTB_STARTER_NONE ? view : NULL, &p->started, NULL);
}

static int refuse(const struct vtb_hunt_opts *opts, const char *path, struct vtb_error *err)
{
	return vtb_error_set(err, -EINVAL, NULL, 0,
	                     "%.150s changes %.200s before it starts the program, and no private view has that: do it "
	                     "before, or accept that files change with --keep-files",
	                     opts->argv[0], path);
}

/* The starter is run in a view of its own where there is one: what it changes is no more the user's than what runs
 * change. Where it would change what the view does not have, it is run anew in one that has it. */
static int follow(const struct vtb_hunt_opts *opts, enum vtb_starter kind, struct hunt_program *p,
                  struct vtb_error *err)
{
	struct vtb_fsview *view = calloc(1, sizeof(*view));
	char *more[TRIES + 1] = { NULL };
	unsigned n = 0;
	const double half = vtb_hunt_seconds(opts) / 2;
	const double until = vtb_hunt_now() + (kind == VTB_STARTER_ONLY ? STARTER_SECONDS
	                                       : half < PERHAPS_SECONDS ? half
	                                                                : PERHAPS_SECONDS);
	int r = view ? follow_once(opts, kind, until, p, view, more) : -ENOMEM;

	for (; r == 2 && n < TRIES; n++) {
		more[n] = p->started.refused;
		p->started.refused = NULL;
		r = follow_once(opts, kind, until, p, view, more);
	}
	if (r == 2) /* it may be what is meant, and then it is not run once before */
		r = kind == VTB_STARTER_PERHAPS ? 0 : refuse(opts, p->started.refused, err);
	while (n)
		free(more[--n]);
	if (p->started.wrote)
		p->files = VTB_STARTER_SEEN;
	p->view =
	    (struct vtb_view_below){ view && view->flags & VTB_FSVIEW_USER ? p->started.user : -1, p->started.mount };
	free(view);
	return r;
}

static int take(struct vtb_hunt_opts *opts, struct hunt_program *p, const struct vtb_target *starter,
                struct vtb_error *err)
{
	if (p->started.own)
		return vtb_error_set(
		    err, -EINVAL, p->started.path, 0,
		    "%.300s makes this program before it starts it, and what it makes is kept from your "
		    "files: build the program first, or accept that files change with --keep-files",
		    starter->path);
	if (p->started.wrote && opts->runner.scratch)
		return vtb_error_set(
		    err, -EINVAL, NULL, 0,
		    "%.300s changes files before it starts the program; what runs write lies on top of "
		    "that, which --scratch cannot: do that part before, or leave out --scratch",
		    starter->path);
	p->starter = strdup(starter->path);
	p->shown = p->started.argv;
	opts->argv = vtb_starter_environment(p->started.argv);
	opts->cwd = p->started.cwd;
	return p->starter ? 0 : -ENOMEM;
}

int vtb_hunt_find_program(struct vtb_hunt_opts *opts, struct hunt_program *p, struct vtb_error *err)
{
	struct vtb_target t = { 0 };
	const double began = vtb_hunt_now();
	enum vtb_starter kind;
	int r = 0;

	p->shown = opts->argv;
	opts->argv = vtb_starter_environment(opts->argv);
	if (vtb_target_find(opts->argv[0], opts->cwd, &t, NULL) < 0)
		return 0; /* the runner will say why */
	kind = vtb_starter_suspect(&t);
	if (kind != VTB_STARTER_NOT)
		r = follow(opts, kind, p, err);
	if (kind == VTB_STARTER_PERHAPS)
		opts->search.seconds = vtb_hunt_seconds(opts) - (vtb_hunt_now() - began);
	if (r > 0 && strcmp(p->started.path, t.image))
		r = take(opts, p, &t, err);
	else if (r != -ENOMEM && r != -EINVAL)
		r = p->started.wrote = 0; /* it is hunted as it is */
	vtb_target_fini(&t);
	return r;
}
