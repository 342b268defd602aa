/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file starter.h
 * Programs that only start others: env, a shell script, the script that libtool puts in place of a program, nice,
 * timeout, ctest. What they start is what is meant.
 *
 * How:       the starter is run under ptrace(2), with its output thrown away, until it starts a program that has hooks.
 * That one is not run any more: what it was started with is taken down, and all of it is killed. If no such program
 * comes, the first one that uses threads, if any and if the starter has none. What it does to files before that it does
 * in a view of its own (vtb/fsview.h), if one is given. Ownership: the result owns its strings; release with
 * vtb_started_fini(). `= {0}` is valid.
 */
#ifndef VTB_STARTER_H
#define VTB_STARTER_H

#include <stdbool.h>

#include "vtb/error.h"
#include "vtb/fsview.h"
#include "vtb/target.h"

/** A program as it was started: env [-u NAME]... [NAME=VALUE]... PATH ARGUMENT..., without `env` if its environment is
 * ours. */
struct vtb_started {
	char **argv;   /* NULL-terminated; NULL: none was */
	char *cwd;     /* absolute */
	char *path;    /* its file, absolute */
	bool wrote;    /* the starter has changed files before, in the view that was given for it */
	bool own;      /* the program's file among them */
	char *refused; /* what the starter could not change, as the view does not have it; NULL: all went well */
	int user,
	    mount; /* if it has: descriptors of the namespaces in which one sees that; user -1: the same as ours */
};

void vtb_started_fini(struct vtb_started *s);

/** Words that begin like `env [-u NAME]... [NAME=VALUE]... PROGRAM`: make the settings in our own environment, return
 * the words from PROGRAM on. Any others: return them as they are. Borrowed from `argv`. */
char *const *vtb_starter_environment(char *const *argv);

/** A copy of our environment; and to have it again: takes the copy. */
int vtb_environment_keep(char ***ret);
void vtb_environment_restore(char **kept);

/** Does the program look as if it started others? */
enum vtb_starter {
	VTB_STARTER_NOT,     /* it has hooks, or starts nothing */
	VTB_STARTER_ONLY,    /* and did nothing else that matters here: a script, or it has no threads */
	VTB_STARTER_PERHAPS, /* it has threads, and may be what is meant: ctest, Python, a program built without hooks
	                      */
};
enum vtb_starter vtb_starter_suspect(const struct vtb_target *t);

/** Which program does this command, of that kind, start? At most `msec` milliseconds. VTB_STARTER_PERHAPS: only one
 * with hooks is taken. `view`: for what it writes; NULL: it writes where we would. 1 and *ret; 2: it was stopped where
 * it would change ret->refused, which `view` does not have; 0: none that could matter; -EPERM: ptrace is not allowed
 * here; or another error. */
int vtb_starter_follow(enum vtb_starter kind, char *const *argv, const char *cwd, unsigned msec,
                       const struct vtb_fsview *view, struct vtb_started *ret, struct vtb_error *err);

#endif /* VTB_STARTER_H */
