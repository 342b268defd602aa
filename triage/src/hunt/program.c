/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/fsview.h"

#define STARTER_MSEC 20000 /* to start what is meant */

void vtb_hunt_program_fini(struct hunt_program *p)
{
	free(p->starter);
	vtb_started_fini(&p->started);
}

/* The starter is run once, in a view of its own where there is one: what it changes is no more the user's than what
 * runs change. */
static int follow(const struct vtb_hunt_opts *opts, struct hunt_program *p)
{
	struct vtb_fsview *view = calloc(1, sizeof(*view));
	char why[400];
	int r = -ENOMEM;

	p->files = VTB_STARTER_THROUGH;
	if (view && !opts->runner.keep_files && vtb_view_for_starter(opts->argv, opts->cwd, view, why, sizeof(why)))
		p->files = VTB_STARTER_NONE;
	if (view)
		r = vtb_starter_follow(opts->argv, opts->cwd, STARTER_MSEC, p->files == VTB_STARTER_NONE ? view : NULL,
		                       &p->started, NULL);
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
	p->starter = strdup(starter->path);
	p->shown = p->started.argv;
	opts->argv = vtb_starter_environment(p->started.argv);
	opts->cwd = p->started.cwd;
	return p->starter ? 0 : -ENOMEM;
}

int vtb_hunt_find_program(struct vtb_hunt_opts *opts, struct hunt_program *p, struct vtb_error *err)
{
	struct vtb_target t = { 0 };
	int r = 0;

	p->shown = opts->argv;
	opts->argv = vtb_starter_environment(opts->argv);
	if (vtb_target_find(opts->argv[0], opts->cwd, &t, NULL) < 0)
		return 0; /* the runner will say why */
	if (vtb_starter_suspect(&t))
		r = follow(opts, p);
	if (r > 0 && strcmp(p->started.path, t.image))
		r = take(opts, p, &t, err);
	else if (r != -ENOMEM)
		r = p->started.wrote = 0; /* it is hunted as it is */
	vtb_target_fini(&t);
	return r;
}
