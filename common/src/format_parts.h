/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file format_parts.h
 * Parts that the text formats share. Readers follow vtb/json.h: the first failure stays in the document, which
 * vtb_json_status() tells; the int functions return it too.
 */
#ifndef VTB_FILES_H
#define VTB_FILES_H

#include "vtb/json.h"
#include "vtb/schedule.h"
#include "vtb/trace.h"

struct vtb_output;

#define VTB_ARGV_LIMIT 65536u

/* ---- common parts (format_parts.c) */
/** A failed call that is no complaint about the file, such as -ENOMEM: stays as the document's status. Returns r. */
int vtb_files_check(struct vtb_json *doc, const struct vtb_json_node *where, int64_t r);
char *vtb_files_strdup(struct vtb_json *doc, const struct vtb_json_node *where, const char *text);
/** Member `key` is an index into `count` things called `what`; missing or null: VTB_NONE. */
uint32_t vtb_files_ref(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, size_t count,
                       const char *what);
/** Member `key` (NULL: item `index`) is the creation path of a thread that `tab` has; a missing member: VTB_NONE. */
uint32_t vtb_files_thread(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                          struct vtb_symtab *tab);
uint32_t vtb_files_thread_named(struct vtb_json *doc, const struct vtb_json_node *container, const char *key,
                                size_t index, const char *path, struct vtb_symtab *tab);
/** Member `key` is one of `names` (`n` of them, NULL: a gap): its number; missing: `fallback`, or a complaint if that
 * is -1. */
int vtb_files_choice(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                     const char *const *names, size_t n, int fallback);
void vtb_files_write_ref(struct vtb_json_writer *w, const char *key, uint32_t id);
void vtb_files_write_thread(struct vtb_json_writer *w, const char *key, const struct vtb_symtab *tab, uint32_t thread);

struct vtb_program {
	char **argv; /* owned */
	char *cwd, *backend;
};
int vtb_files_read_program(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_program *ret);
void vtb_files_write_program(struct vtb_json_writer *w, char *const *argv, const char *cwd, const char *backend);

/* ---- names (format_names.c): members modules, sites, threads, objects, variables */
void vtb_files_write_names(struct vtb_json_writer *w, const struct vtb_symtab *tab);
int vtb_files_read_names(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab);

/* ---- events (events_file.c): where a trace's events are */
struct vtb_events_ref {
	bool separate;  /* in a file of their own */
	char file[256]; /* plain name, in the directory of the text file */
	uint64_t count, xxh3;
};
/** Whoever reads events piece by piece. Negative: stop with that error. */
typedef int vtb_events_take(const struct vtb_event *events, size_t n, void *data);
/** Events of the trace that goes to `path`, piece by piece: many go to a file beside it, block by block. Memory: one
 * block, or all if there is no place for a file (stdout, a pipe). */
struct vtb_events_writer;
int vtb_events_writer_new(const char *path, struct vtb_events_writer **ret, struct vtb_error *err);
int vtb_events_writer_add(struct vtb_events_writer *w, const struct vtb_event *events, size_t n, struct vtb_error *err);
/** That was all: where they are. If not in a file, vtb_events_writer_inline() has them. */
int vtb_events_writer_end(struct vtb_events_writer *w, struct vtb_events_ref *ret, struct vtb_error *err);
const struct vtb_event *vtb_events_writer_inline(const struct vtb_events_writer *w);
/** Put the file, if there is one, and then the text in their places. Until both are there signals wait. */
int vtb_events_writer_commit(struct vtb_events_writer *w, struct vtb_output *text, struct vtb_error *err);
void vtb_events_writer_free(struct vtb_events_writer *w);
/** Into trace->events, or, if `take` is not NULL, to that, a block at a time; trace->n_events counts them all the same.
 */
int vtb_events_read(const char *text_path, const struct vtb_events_ref *ref, struct vtb_trace *trace,
                    vtb_events_take *take, void *data, struct vtb_error *err);
/** What is wrong with an event of this trace, or NULL. */
const char *vtb_event_complaint(const struct vtb_trace *trace, const struct vtb_event *e);

/* ---- whole objects that failure.json embeds */
void vtb_files_write_trace(struct vtb_json_writer *w, const char *key, const struct vtb_trace *trace,
                           const struct vtb_events_ref *ref);
int vtb_files_read_trace(struct vtb_json *doc, const struct vtb_json_node *object, const char *path,
                         struct vtb_trace *ret, struct vtb_error *err);
void vtb_files_write_schedules(struct vtb_json_writer *w, const char *key, const struct vtb_schedules *s);
int vtb_files_read_schedules(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_schedules *ret);

#endif /* VTB_FILES_H */
