/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULES_MAX 32

struct rule {
	char module[32];
	enum vtb_log_level level;
};

static struct rule rules[RULES_MAX];
static size_t n_rules;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static enum vtb_log_level level_by_name(const char *name)
{
	static const char *const names[] = { "none", "error", "info", "debug" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return (enum vtb_log_level)i;
	return VTB_LOG_NONE;
}

/* "decode=debug,synth=info"; a name alone means debug. */
static void read_rules(void)
{
	const char *env = getenv("VTB_LOG");
	char *copy = env ? strdup(env) : NULL, *save = NULL;

	for (char *word = copy ? strtok_r(copy, ",", &save) : NULL; word && n_rules < RULES_MAX;
	     word = strtok_r(NULL, ",", &save)) {
		char *eq = strchr(word, '=');

		if (eq)
			*eq = '\0';
		snprintf(rules[n_rules].module, sizeof(rules[n_rules].module), "%s", word);
		rules[n_rules++].level = eq ? level_by_name(eq + 1) : VTB_LOG_DEBUG;
	}
	free(copy);
}

/* "/src/trace_read.c" is module "trace_read". */
static bool names_module(const char *file, const char *module)
{
	const char *base = strrchr(file, '/');
	size_t len;

	base = base ? base + 1 : file;
	len = strcspn(base, ".");
	return strlen(module) == len && !memcmp(base, module, len);
}

enum vtb_log_level vtb_log_level(const char *file)
{
	enum vtb_log_level level = VTB_LOG_NONE;

	pthread_once(&once, read_rules);
	for (size_t i = 0; i < n_rules; i++) /* the last rule that fits wins */
		if (!strcmp(rules[i].module, "all") || names_module(file, rules[i].module))
			level = rules[i].level;
	return level;
}

void vtb_log_print(enum vtb_log_level level, const char *file, const char *fmt, ...)
{
	static const char *const names[] = { "none", "error", "info", "debug" };
	const char *base = strrchr(file, '/');
	va_list args;

	base = base ? base + 1 : file;
	flockfile(stderr);
	fprintf(stderr, "[%.*s %s] ", (int)strcspn(base, "."), base, names[level]);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	funlockfile(stderr);
}
