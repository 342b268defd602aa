/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file symtab.h
 * The names of a program: modules, threads, objects, variables, sites. Every trace has one; a runner keeps one for all
 * its executions, so that an id means the same thing in each of them.
 *
 * Shape:     growing arrays; an id is an index and never changes. Id VTB_NONE means none or unknown.
 * Ownership: the table owns its strings (one arena); `const char *` members are valid until vtb_symtab_fini().
 * Errors:    -ENOMEM; -VTB_E_LIMIT beyond the limits below.
 * Threads:   no locking.
 */
#ifndef VTB_SYMTAB_H
#define VTB_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTB_NONE UINT32_MAX
#define VTB_THREADS_LIMIT 65536u
#define VTB_PATH_LIMIT 4096u /* characters of a thread's creation path */
#define VTB_MODULES_LIMIT 4096u
#define VTB_SITES_LIMIT (1u << 24)
#define VTB_VARIABLES_LIMIT (1u << 26)
#define VTB_OBJECTS_LIMIT (1u << 26)

struct vtb_module {
	const char *path; /* as the file is called: bytes, unlike names */
	uint8_t build_id[24];
	uint32_t build_id_size;
	bool late; /* the program loaded it while it ran, and its pads are off; false in names read from elsewhere */
	uint64_t base;   /* load bias in the run that was read last; 0 in names read from elsewhere */
	uint64_t lo, hi; /* mapped range */
};

struct vtb_thread {
	const char *path;  /* creation path, "0.1.0"; the name used in files, equal across runs */
	uint32_t parent;   /* id of the creator; VTB_NONE: main */
	uint32_t nth;      /* the creator's nth child, from 0 */
	const char *start; /* start routine's name, "main" for main, "" unknown */
	uint32_t site;     /* where it was created; VTB_NONE */
	const char *name;  /* that the program gave it (pthread_setname_np); "" none */
	/* Started by a library: what made it ("std::thread"), then `start` is the program's own function that it runs,
	 * and `place` where that stands ("worker.cc:17"). "" each if it was not. */
	const char *maker, *place;
};

/** A place in the program: one instruction that an event came from. */
struct vtb_site {
	uint32_t module;         /* VTB_NONE: outside every module */
	uint64_t offset;         /* address in the module's symbol table (pc - base) */
	const char *function;    /* demangled, "" unknown */
	const char *file;        /* as the compiler was given it, "" unknown */
	uint32_t line;           /* 0 unknown */
	uint32_t function_line;  /* line at which the function begins; 0 unknown. line - function_line survives edits
	                            above it */
	const char *text;        /* the source line, trimmed; "" if the source is not at hand */
	uint64_t text_hash;      /* XXH3 of `text`; 0 if "" */
	const char *instruction; /* disassembly, "" unknown */
	/* The line is the user's, and a library, or a function of theirs that is one step by itself, does the operation
	 * for it: the function that is called there, and where in it ("stl_deque.h:1496"). "" both: the line does it
	 * itself, or nothing is known. */
	const char *via, *inside;
	/* Of a place in a function that is not the user's and was inlined into one that is: the site of the line that
	 * calls it, there. Id + 1; 0: it is the user's own, or not known. Schedules do not say it. */
	uint32_t user;
};

enum vtb_object_kind {
	VTB_OBJ_UNKNOWN,
	VTB_OBJ_GLOBAL,  /* one global or static variable of a module */
	VTB_OBJ_HEAP,    /* one allocation; name: (thread path, call stack, count of that stack in that thread) */
	VTB_OBJ_STACK,   /* a variable in a stack frame that another thread looks into */
	VTB_OBJ_MAPPING, /* anonymous or file mapping */
	VTB_OBJ_SYNC,    /* a synchronisation object (its memory is that of its address) */
	VTB_OBJ_THREAD,  /* a thread handle */
	VTB_OBJ_ENV,     /* clock, stream, file, waiter queue */
};

/** What variables are parts of. */
struct vtb_object {
	enum vtb_object_kind kind;
	const char *name; /* "counter", "malloc at list.c:31 (thread 0.1, 3rd)", ... never a bare address if debug info
	                     exists */
	const char *type; /* "struct account [4]", "" unknown */
	uint64_t key;     /* equal across runs, unequal for different objects: hash of what the name is made of */
	uint64_t size;    /* bytes; 0 unknown */
	uint32_t thread;  /* HEAP: who allocated; STACK: whose frame; THREAD: which; else VTB_NONE */
	uint32_t
	    site; /* HEAP: where (first frame outside the standard library); STACK: function's site; else VTB_NONE */
	uint32_t stack[8]; /* HEAP, and SYNC in a heap block: call stack as sites, innermost first; VTB_NONE ends it */
	uint32_t loop;     /* HEAP: how many of that allocation type that thread had allocated before: l */
};

/** The smallest named part of an object: what V, v and the reports talk about. */
struct vtb_variable {
	uint32_t object;
	uint64_t offset;  /* in the object */
	uint32_t size;    /* bytes of the leaf; 0 unknown */
	const char *name; /* "accounts[2].balance" */
	const char *type; /* "int", "" unknown */
};

struct vtb_symtab {
	struct vtb_module *modules;
	size_t n_modules, cap_modules;
	struct vtb_thread *threads;
	size_t n_threads, cap_threads;
	struct vtb_site *sites;
	size_t n_sites, cap_sites;
	struct vtb_object *objects;
	size_t n_objects, cap_objects;
	struct vtb_variable *variables;
	size_t n_variables, cap_variables;
	struct vtb_strings *strings; /* arena, deduplicated; private to symtab.c */
};

/** Free everything and leave an empty table. */
void vtb_symtab_fini(struct vtb_symtab *tab);

/** A copy of `text` that lives as long as the table; equal texts give equal pointers. NULL on -ENOMEM. */
const char *vtb_symtab_string(struct vtb_symtab *tab, const char *text);
const char *vtb_symtab_printf(struct vtb_symtab *tab, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Append a copy of *x, whose strings are copied into the arena (NULL becomes ""). Returns the id or a negative error.
 */
int64_t vtb_symtab_add_module(struct vtb_symtab *tab, const struct vtb_module *x);
int64_t vtb_symtab_add_site(struct vtb_symtab *tab, const struct vtb_site *x);
int64_t vtb_symtab_add_object(struct vtb_symtab *tab, const struct vtb_object *x);
int64_t vtb_symtab_add_variable(struct vtb_symtab *tab, const struct vtb_variable *x);

/** The id of the `nth` child of `parent` (VTB_NONE: main), added if it is new. */
int64_t vtb_symtab_thread(struct vtb_symtab *tab, uint32_t parent, uint32_t nth);
/** The id of the thread with this creation path ("0.1.0"), its ancestors added too; -EINVAL if it is no path. */
int64_t vtb_symtab_thread_by_path(struct vtb_symtab *tab, const char *path);

/**
 * Copies names from one table to another: each at most once, with all they refer to (a variable with its object, a site
 * with its module). Start from `{ .to = ..., .from = ... }`, end with vtb_names_fini(); `from` must not grow in
 * between. Ids of VTB_NONE or beyond `from` give VTB_NONE. Returns the id in `to`, or a negative error; the first error
 * stays in `status`.
 */
struct vtb_names {
	struct vtb_symtab *to;
	const struct vtb_symtab *from;
	int status;
	uint32_t *modules, *threads, *sites, *objects, *variables; /* [id in from] -> id in to + 1; 0: not copied */
};
int64_t vtb_names_thread(struct vtb_names *names, uint32_t thread);
int64_t vtb_names_site(struct vtb_names *names, uint32_t site);
int64_t vtb_names_variable(struct vtb_names *names, uint32_t variable);
/** The text in the other table ("" for NULL). */
const char *vtb_names_string(struct vtb_names *names, const char *text);
void vtb_names_fini(struct vtb_names *names);

/** Names that never fail: "" or "?" for VTB_NONE. */
const char *vtb_thread_path(const struct vtb_symtab *tab, uint32_t thread);
const char *vtb_variable_name(const struct vtb_symtab *tab, uint32_t variable);
/** "file.c:12" (base name), "function+0x12 (libx.so)" without line info. Returns buf. */
const char *vtb_site_place(const struct vtb_symtab *tab, uint32_t site, char *buf, size_t size);
/** The line of the user's that a person looks for instead of this one; itself if it is none other. */
uint32_t vtb_site_of_user(const struct vtb_symtab *tab, uint32_t site);

#endif /* VTB_SYMTAB_H */
