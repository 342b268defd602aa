/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the program sees files (decision 78): a plan for a private view (vtb/fsview.h), or none where this machine allows
 * none. The plan begins with the trees that a program may write to before main, and grows by those that runs turn out
 * to need.
 */
#ifndef VTB_FSVIEW_PLAN_H
#define VTB_FSVIEW_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"
#include "scratch.h"
#include "vtb/fsview.h"
#include "vtb/process_runner.h"
#include "vtb/starter_view.h"

/* A way to keep what runs write away from everybody else. One row each in view_plan.c, the best first. */
struct view_kind {
	const char *name;
	uint32_t flags;      /* VTB_FSVIEW_*; 0: none is kept away */
	const char *options; /* of overlays */
	const char *advice;  /* what would allow it where it is refused */
};

struct view {
	const struct view_kind *kind;
	struct vtb_fsview plan;
	uint32_t version;                   /* of the plan */
	uint64_t limit;                     /* bytes that a run may write */
	struct vtb_scratch *scratch;        /* for what it writes; NULL: memory */
	const struct vtb_view_below *after; /* the view of a starter, which runs have below theirs; NULL: none */
	char cwd[4096];
	char why[400]; /* why nothing is kept away; "" it is, or nobody asked for it */
};

/* The best kind that works here. An error and a sentence if --scratch cannot be used. vtb_view_fini() after any result.
 */
int vtb_view_choose(struct view *v, const struct vtb_process_opts *opts, struct vtb_error *err);
void vtb_view_fini(struct view *v);

/* A run was stopped because it needs `path` to be in the view, or, "", because it starts a process. From the next
 * server on it is there, or the run is told what it would be told without us; or the view is none of any kind any more.
 * -EINVAL and a sentence: it cannot be there as the scratch lies in it. */
int vtb_view_need(struct view *v, const char *path, struct vtb_error *err);

/* What has to be allowed on this machine for files to be kept apart. */
const char *vtb_view_advice(void);

/* ---- view_trees.c */
struct view_mounts;
struct view_mounts *vtb_view_mounts_read(void); /* NULL: no memory, or no /proc */
void vtb_view_mounts_free(struct view_mounts *m);
/* 1: the tree for what is in the directory of `path` is in the plan now; 0: that is on a file system that is read-only
 * anyway; -ENOENT, -ENOSPC, -EINVAL (the root directory), -ELOOP (the scratch lies in it). */
int vtb_view_add_tree(struct vtb_fsview *plan, const struct view_mounts *m, const char *path, const char *options);
/* Offset of a copy of `text` in plan->text; 0 if there is no room. */
uint32_t vtb_view_put_text(struct vtb_fsview *plan, const char *text);

#endif /* VTB_FSVIEW_PLAN_H */
