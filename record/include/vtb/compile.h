/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file compile.h
 * `vtb cc gcc ...`: a compiler's command line with what makes the program's accesses visible to us added to it.
 *
 * Pads (the default): the code that the compiler makes anyway, assembled by our `as` (vtb/asm_pads.h). Added in front
 * of the user's own options, so that those win: -B with the directory of that `as`, for clang -fno-integrated-as;
 * -fno-omit-frame-pointer, by which call stacks and stack variables get names; -g unless a -g option is given; for gcc
 * -dP, by whose notes atomic accesses are told from plain ones. Behind them: -fident, by which the compiler's output is
 * told from hand-written assembler.
 *
 * Sanitizer's hooks (tsan, or when the user asks for -fsanitize=thread): -fsanitize=thread, -g; for clang, when it
 * links, -shared-libsan and the run path of its sanitizer library, so that the program also runs without us.
 *
 * Everything else passes through. A command that neither compiles nor links (-E, -M, --version, no input) is left as it
 * is.
 */
#ifndef VTB_COMPILE_H
#define VTB_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "vtb/error.h"

enum vtb_compiler { VTB_COMPILER_GCC, VTB_COMPILER_CLANG };
enum vtb_compile_hooks { VTB_COMPILE_PADS, VTB_COMPILE_TSAN };

/** What a compiler's arguments ask for. */
struct vtb_compile_step {
	bool compiles; /* has inputs, and is not only preprocessed or queried */
	bool links;
	bool has_debug;    /* a -g option */
	bool has_sanitize; /* -fsanitize=thread is there already */
	bool is_static;    /* -static, -static-pie, -static-libtsan, -static-libsan: the runtime cannot be replaced */
	bool other_sanitizer; /* address, memory, leak, ...: cannot go together with our runtime */
	bool only_assembler;  /* -S: the compiler's notes would be in the way */
	bool intel_syntax;    /* -masm=intel */
	bool lto;             /* -flto: clang's linker makes code that no assembler sees */
};

/** Read the arguments after the compiler's name; looks into @files (as the compiler does: quotes, backslashes; at most
 *  16 deep). O(bytes). */
void vtb_compile_step_of(char *const *args, struct vtb_compile_step *ret);

/** gcc or clang? By the name that the program has in the end (through links and ccache, distcc), else by asking it for
 * its version. */
enum vtb_compiler vtb_compiler_of(char *const *argv);

/** What is added, beside what the step asks for. */
struct vtb_compile_how {
	enum vtb_compile_hooks hooks;
	enum vtb_compiler compiler;
	char *rpath;     /* "-Wl,-rpath,DIR" of clang's sanitizer library, or NULL */
	char *assembler; /* "-BDIR" of our `as` */
};

/** The command line to execute for argv = {"gcc", ...}: a fresh NULL-terminated array whose new strings are static or
 * those of `how` (free() the array). NULL on -ENOMEM. */
char **vtb_compile_argv(char *const *argv, const struct vtb_compile_step *step, const struct vtb_compile_how *how);

/** Execute it in place of this process. Returns only on error: the exit code. */
int vtb_compile_exec(char *const *argv, enum vtb_compile_hooks hooks, struct vtb_error *err);

/** Why this step cannot be built with these hooks by this compiler, one sentence with what to do, or NULL. */
const char *vtb_compile_refusal(const struct vtb_compile_step *step, enum vtb_compile_hooks hooks,
                                enum vtb_compiler compiler);

/** A warning about the command line, one sentence, or NULL. */
const char *vtb_compile_warning(const struct vtb_compile_step *step, enum vtb_compile_hooks hooks);

#endif /* VTB_COMPILE_H */
