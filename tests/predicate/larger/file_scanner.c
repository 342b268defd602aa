/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file scanner: threads take files from a queue and look for patterns in them. Matches are counted for each pattern,
 * bytes and lines are added up, what happens is logged, and each file with matches goes into a list of results.
 */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERNS_MAX 8
#define LOG_LINES 32
#define LOG_WIDTH 80
#define THREADS 2

struct file {
	const char *name, *text;
};

static const struct file files[] = {
	{ "main.c", "int main(void)\n{\n\t/* TBD */\n\treturn 0;\n}\n" },
	{ "notes", "buy milk\nfix the bug\n" },
	{ "list.c", "/* a bug, TBD: bug */\nint list;\n" },
	{ "empty", "" },
};
#define N_FILES (sizeof(files) / sizeof(*files))

struct pattern {
	const char *text;
	size_t length;
	unsigned long matches, files;
};

static struct {
	struct pattern rows[PATTERNS_MAX];
	size_t n;
	pthread_mutex_t lock;
} patterns = { .rows = { { "bug", 3, 0, 0 }, { "TBD", 3, 0, 0 } }, .n = 2, .lock = PTHREAD_MUTEX_INITIALIZER };

struct result {
	const struct file *file;
	size_t first; /* byte of the first match */
	unsigned matches;
	struct result *next;
};

static struct {
	pthread_mutex_t lock;
	size_t next, end;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct {
	pthread_mutex_t lock;
	struct result *first;
	size_t n;
} results = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct {
	pthread_mutex_t lock;
	unsigned long bytes, lines, longest_line, files, skipped;
	const char *largest;
	size_t largest_size;
} totals = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct {
	pthread_mutex_t lock;
	char lines[LOG_LINES][LOG_WIDTH];
	unsigned n, dropped;
} messages = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void tell(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	pthread_mutex_lock(&messages.lock);
	if (messages.n < LOG_LINES)
		vsnprintf(messages.lines[messages.n++], LOG_WIDTH, format, list);
	else
		messages.dropped++;
	pthread_mutex_unlock(&messages.lock);
	va_end(list);
}

/* ---- the queue */

static bool take_file(size_t *ret)
{
	bool got;

	pthread_mutex_lock(&queue.lock);
	got = queue.next < queue.end;
	if (got)
		*ret = queue.next++;
	pthread_mutex_unlock(&queue.lock);
	return got;
}

/* ---- one file */

static unsigned count_matches(const struct file *f, const struct pattern *p, size_t *first)
{
	const size_t size = strlen(f->text);
	unsigned n = 0;

	for (const char *at = f->text; (at = strstr(at, p->text)) != NULL; at += p->length) {
		const size_t offset = (size_t)(at - f->text);

		assert(offset + p->length <= size);
		if (offset < *first)
			*first = offset;
		n++;
	}
	return n;
}

static void count_pattern(struct pattern *p, unsigned matches)
{
	pthread_mutex_lock(&patterns.lock);
	p->matches += matches;
	p->files++;
	pthread_mutex_unlock(&patterns.lock);
}

static void add_totals(const struct file *f)
{
	unsigned long lines = 0, longest = 0;
	const char *begin = f->text, *end;

	for (; (end = strchr(begin, '\n')) != NULL; begin = end + 1, lines++)
		if ((unsigned long)(end - begin) > longest)
			longest = (unsigned long)(end - begin);
	pthread_mutex_lock(&totals.lock);
	totals.bytes += strlen(f->text);
	totals.lines += lines;
	totals.files++;
	if (longest > totals.longest_line)
		totals.longest_line = longest;
	if (strlen(f->text) > totals.largest_size) {
		totals.largest_size = strlen(f->text);
		totals.largest = f->name;
	}
	pthread_mutex_unlock(&totals.lock);
}

static void skip_file(const struct file *f)
{
	pthread_mutex_lock(&totals.lock);
	totals.skipped++;
	pthread_mutex_unlock(&totals.lock);
	tell("%s: empty, skipped", f->name);
}

static void add_result(const struct file *f, unsigned matches, size_t first)
{
	struct result *r = malloc(sizeof(*r));

	if (!r) {
		perror("malloc");
		exit(2);
	}
	*r = (struct result){ .file = f, .first = first, .matches = matches };
	pthread_mutex_lock(&results.lock);
	r->next = results.first;
	results.first = r;
	results.n++;
	pthread_mutex_unlock(&results.lock);
}

static void scan_file(const struct file *f)
{
	size_t first = strlen(f->text);
	unsigned all = 0;

	for (size_t i = 0; i < patterns.n; i++) {
		const unsigned n = count_matches(f, &patterns.rows[i], &first);

		if (n)
			count_pattern(&patterns.rows[i], n);
		all += n;
	}
	assert(all <= strlen(f->text));
	add_totals(f);
	tell("%s: %u match(es)", f->name, all);
	if (all)
		add_result(f, all, first);
}

static void *scan(void *arg)
{
	unsigned long *scanned = arg;
	size_t number;

	while (take_file(&number)) {
		const struct file *f = &files[number];

		assert(number < N_FILES);
		if (*f->text)
			scan_file(f);
		else
			skip_file(f);
		++*scanned;
	}
	return NULL;
}

/* ---- what is told at the end */

static void print_report(const unsigned long *scanned)
{
	for (const struct result *r = results.first; r; r = r->next)
		printf("%s: %u match(es), the first at byte %zu\n", r->file->name, r->matches, r->first);
	for (size_t i = 0; i < patterns.n; i++)
		printf("\"%s\": %lu match(es) in %lu file(s)\n", patterns.rows[i].text, patterns.rows[i].matches,
		       patterns.rows[i].files);
	printf("%lu bytes, %lu lines, longest line %lu, largest file %s, %lu skipped\n", totals.bytes, totals.lines,
	       totals.longest_line, totals.largest ? totals.largest : "none", totals.skipped);
	for (unsigned i = 0; i < messages.n; i++)
		printf("log: %s\n", messages.lines[i]);
	for (int i = 0; i < THREADS; i++)
		printf("thread %d: %lu file(s)\n", i, scanned[i]);
}

int main(int argc, char **argv)
{
	static unsigned long scanned[THREADS];
	pthread_t threads[THREADS];

	queue.end = argc > 1 ? (size_t)atoi(argv[1]) : 2;
	if (queue.end > N_FILES)
		queue.end = N_FILES;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, scan, &scanned[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(results.n <= queue.end);
	print_report(scanned);
	return 0;
}
