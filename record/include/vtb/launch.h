/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file launch.h
 * Start a program with our runtime in it, and end it again with all that it started.
 *
 * How:       LD_PRELOAD of libvtb-rt.so, and of stub libraries with the SONAMEs of the sanitizer runtimes that the
 * program needs: what is preloaded under a SONAME wins over the library path and over DT_RPATH, so that an existing
 *            -fsanitize=thread build calls us without being linked again. Address randomisation is switched off where
 *            personality() may, rseq is switched off in glibc, symbols are bound at the start.
 * Group:     the program leads a process group of its own. If `foreground` and we own the terminal, the group gets it.
 * Death:     the program gets SIGKILL when the thread that launched it dies. Launch from a thread that lives long
 * enough. vtb_launch_adopt() makes us the parent of what the program leaves behind. Signals:   the program starts with
 * the default disposition of SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGTTOU and SIGCHLD and an empty signal mask.
 * Threads:   all calls from one thread.
 */
#ifndef VTB_LAUNCH_H
#define VTB_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "vtb/error.h"
#include "vtb/target.h"
#include "vtb/fsview.h"

#define VTB_LAUNCH_FDS 4

/** Where the parts of the runtime lie. Owned strings. */
struct vtb_runtime_paths {
	char *runtime;    /* libvtb-rt.so */
	char *stub_gcc;   /* vtb/libtsan.so.2 beside it */
	char *stub_clang; /* vtb/libclang_rt.tsan-x86_64.so beside it */
	char *cxx; /* vtb/libvtb-cxx.so beside it: libstdc++'s strings and containers with hooks; NULL: it was not built
	            */
	char *omp; /* vtb/libvtb-omp.so beside it: instead of libgomp; NULL: likewise */
};

/** Find them: $VTB_RT, ../lib beside our executable, the installation's library folder. -VTB_E_TARGET if there is no
 *  runtime or its path cannot stand in LD_PRELOAD (blanks, colons). */
int vtb_runtime_find(struct vtb_runtime_paths *ret, struct vtb_error *err);
void vtb_runtime_paths_fini(struct vtb_runtime_paths *p);

struct vtb_launch {
	const struct vtb_target *target;         /* without a refusal */
	char *const *argv;                       /* NULL-terminated, argv[0] as given; for a script, the script's */
	const char *cwd;                         /* NULL: ours */
	const struct vtb_runtime_paths *runtime; /* NULL: start it without our runtime */
	int block_fd;                            /* the process block, handed over as "fd:N"; -1: block_path */
	const char *block_path;                  /* absolute; handed over as "file:PATH" */
	int stdio[3];                            /* descriptors for the program's 0, 1, 2; -1: ours */
	int fds[VTB_LAUNCH_FDS]; /* more descriptors to hand over under their own numbers; the first -1 ends the list */
	bool foreground;
	bool random_addresses;   /* leave address randomisation as it is */
	struct vtb_fsview *view; /* the view of files to start it in, with VTB_FSVIEW_ON; NULL: ours */
};

struct vtb_child {
	pid_t pid;         /* leader of its process group; 0: none */
	bool aslr_off;     /* address randomisation is off in it */
	bool has_terminal; /* it was given the terminal */
};

/** The environment that vtb_launch_start() gives the program: `base` (NULL-terminated) with our variables in it, which
 * the runtime takes out again. A fresh array of fresh strings; NULL on -ENOMEM. */
char **vtb_launch_environment(const struct vtb_launch *launch, char *const *base);
void vtb_launch_environment_free(char **env);

/** Start it. 0; -ENOENT, -EACCES ... if it cannot be executed (vtb_target_exit_code()), -VTB_E_TARGET if it has a
 * refusal. */
int vtb_launch_start(const struct vtb_launch *launch, struct vtb_child *ret, struct vtb_error *err);

/** Become it: the same in place of this process, without a group of its own. Returns only on error. */
int vtb_launch_exec(const struct vtb_launch *launch, struct vtb_error *err);

/** Become the parent of orphans (PR_SET_CHILD_SUBREAPER). Call once, before the first launch. */
void vtb_launch_adopt(void);
/** A child of ours in a group of its own that no program has left behind: ending a program leaves it alone until
 * `spared` is false again. */
void vtb_launch_spare(pid_t pid, bool spared);

enum vtb_child_news { VTB_CHILD_RUNNING, VTB_CHILD_STOPPED, VTB_CHILD_ENDED };

/** Has it ended or stopped? Does not wait. An ended program stays a zombie until vtb_child_end(), so that its number is
 *  not given to somebody else; *ret_status is then its exit status, 128 + signal if *ret_signal is not 0. */
enum vtb_child_news vtb_child_poll(const struct vtb_child *child, int *ret_status, int *ret_signal);

/** Kill what is left of the program's group and the orphans it left to us, wait for all of it, take the terminal back.
 *  Spared: children of ours in our own process group, and other programs that were launched here and have not been
 * ended. Returns how many processes beside the program itself were ended. */
unsigned vtb_child_end(struct vtb_child *child);

/** A duplicate of `fd` with a high number, out of the way of programs that count on theirs; close-on-exec. Negative
 * errno. */
int vtb_launch_high_fd(int fd);

#endif /* VTB_LAUNCH_H */
