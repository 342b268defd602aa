/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file compile.h
 * `vtb cc gcc ...`: a compiler's command line with what makes the program's accesses visible to us added to it.
 *
 * Added, in front of the user's own options so that those win: -fsanitize=thread, and -g unless a -g option is given; for
 * clang, when it links, -shared-libsan and the run path of its sanitizer library, so that the program also runs without us.
 * Everything else passes through. A command that neither compiles nor links (-E, -M, --version, no input) is left as it is.
 */
#ifndef VTB_COMPILE_H
#define VTB_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "vtb/error.h"

enum vtb_compiler { VTB_COMPILER_GCC, VTB_COMPILER_CLANG };

/** What a compiler's arguments ask for. */
struct vtb_compile_step {
	bool compiles;     /* has inputs, and is not only preprocessed or queried */
	bool links;
	bool has_debug;    /* a -g option */
	bool has_sanitize; /* -fsanitize=thread is there already */
	bool is_static;    /* -static, -static-pie, -static-libtsan, -static-libsan: the runtime cannot be replaced */
	bool other_sanitizer; /* address, memory, leak, ...: cannot go together with thread */
};

/** Read the arguments after the compiler's name; looks into @files (as the compiler does: quotes, backslashes; at most
 *  16 deep). O(bytes). */
void vtb_compile_step_of(char *const *args, struct vtb_compile_step *ret);

/** gcc or clang? By the name that the program has in the end (through links and ccache, distcc), else by asking it for its version. */
enum vtb_compiler vtb_compiler_of(char *const *argv);

/** The command line to execute for argv = {"gcc", ...}: a fresh NULL-terminated array whose new strings are static or owned by
 *  it as one block (free() the array). `rpath` is "-Wl,-rpath,DIR" or NULL. NULL on -ENOMEM. */
char **vtb_compile_argv(char *const *argv, enum vtb_compiler compiler, const struct vtb_compile_step *step, char *rpath);

/** Execute it in place of this process. Returns only on error: the exit code. */
int vtb_compile_exec(char *const *argv, struct vtb_error *err);

/** A warning about the command line, one sentence, or NULL. */
const char *vtb_compile_warning(const struct vtb_compile_step *step);

#endif /* VTB_COMPILE_H */
