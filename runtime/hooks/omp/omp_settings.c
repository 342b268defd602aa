/* SPDX-License-Identifier: BSD-2-Clause */
/* What the environment says, and what the program has, looked up before main. */
#include <ctype.h>
#include <link.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "omp.h"

#define LEVELS 16u

struct omp_control omp_initial = { .thread_limit = UINT_MAX, .levels = 1, .schedule = OMP_DYNAMIC, .chunk = 1 };
bool omp_may_cancel, omp_has_tasks;
size_t omp_stack;
int omp_priorities, omp_max_teams, omp_teams_limit;
static unsigned processors = 1, threads_at[LEVELS], n_threads_at;

unsigned omp_processors(void)
{
	return processors;
}

unsigned omp_threads_at(unsigned level, unsigned otherwise)
{
	if (n_threads_at < 2)
		return otherwise;
	return level < n_threads_at ? threads_at[level] : otherwise;
}

/* ---- values. What cannot be read is passed over, as by libgomp, which says so. */

static const char *after_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

static bool number(const char **at, unsigned long *ret)
{
	char *end;
	const char *from = after_blanks(*at);

	if (!isdigit((unsigned char)*from))
		return false;
	*ret = strtoul(from, &end, 10);
	*at = after_blanks(end);
	return true;
}

static bool whole_number(const char *name, unsigned long least, unsigned long most, unsigned long *ret)
{
	const char *at = getenv(name);
	unsigned long n;

	if (!at || !number(&at, &n) || *at || n < least || n > most)
		return false;
	*ret = n;
	return true;
}

static bool is_true(const char *name, bool otherwise)
{
	const char *at = getenv(name);

	if (!at)
		return otherwise;
	at = after_blanks(at);
	if (!strncasecmp(at, "true", 4) && !*after_blanks(at + 4))
		return true;
	return !strncasecmp(at, "false", 5) && !*after_blanks(at + 5) ? false : otherwise;
}

static void read_threads(void)
{
	const char *at = getenv("OMP_NUM_THREADS");
	unsigned long n;

	while (at && n_threads_at < LEVELS && number(&at, &n) && n && n <= INT_MAX) {
		threads_at[n_threads_at++] = (unsigned)n;
		if (*at != ',') {
			at = *at ? NULL : at;
			break;
		}
		at++;
	}
	if (!at)
		n_threads_at = 0;
	if (n_threads_at)
		omp_initial.threads = threads_at[0];
}

static void read_schedule(void)
{
	static const char *const names[] = { "static", "dynamic", "guided", "auto" };
	const char *at = getenv("OMP_SCHEDULE");
	unsigned long n = 0;
	unsigned modifier = 0;

	if (!at)
		return;
	at = after_blanks(at);
	if (!strncasecmp(at, "monotonic", 9) || !strncasecmp(at, "nonmonotonic", 12)) {
		modifier = tolower((unsigned char)*at) == 'm' ? OMP_MONOTONIC : 0;
		at = after_blanks(at + (modifier ? 9 : 12));
		if (*at++ != ':')
			return;
		at = after_blanks(at);
	}
	for (unsigned i = 0; i < 4; i++) {
		const size_t size = strlen(names[i]);

		if (strncasecmp(at, names[i], size))
			continue;
		at = after_blanks(at + size);
		if (*at == ',' && (at++, !number(&at, &n) || n > INT_MAX))
			return;
		if (*at)
			return;
		omp_initial.schedule = (i + OMP_STATIC) | modifier;
		omp_initial.chunk = (int)n;
		if (!n && i + OMP_STATIC != OMP_STATIC)
			omp_initial.chunk = 1;
		return;
	}
}

static void read_levels(void)
{
	unsigned long n;

	if (whole_number("OMP_MAX_ACTIVE_LEVELS", 0, INT_MAX, &n))
		omp_initial.levels = n > 255 ? 255 : (unsigned)n;
	else if (is_true("OMP_NESTED", false) || n_threads_at > 1 ||
	         (getenv("OMP_PROC_BIND") && strchr(getenv("OMP_PROC_BIND"), ',')))
		omp_initial.levels = 255;
}

/* A number of KiB, or of what the letter says. */
static bool read_stack(const char *name)
{
	static const char units[] = "bkmg";
	const char *at = getenv(name), *unit;
	unsigned long n;

	if (!at || !number(&at, &n) || !n)
		return false;
	unit = *at ? strchr(units, tolower((unsigned char)*at)) : units + 1;
	if (!unit || (*at && *after_blanks(at + 1)) || n > ULONG_MAX >> (10 * (unit - units)))
		return false;
	omp_stack = n << (10 * (unit - units));
	return true;
}

static void count_processors(void)
{
	static cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set))
		processors = (unsigned)CPU_COUNT(&set);
	omp_initial.threads = processors;
}

/* ---- does the program make tasks? */

static bool makes_tasks(const char *name)
{
	return !strcmp(name, "GOMP_task") || !strncmp(name, "GOMP_taskloop", 13) || !strcmp(name, "GOMP_target_ext") ||
	       !strcmp(name, "GOMP_target_update_ext") || !strcmp(name, "GOMP_target_enter_exit_data");
}

struct table {
	const ElfW(Sym) * symbols;
	const char *names;
};

static void look_at(const struct table *t, const ElfW(Rela) * at, size_t bytes)
{
	for (size_t i = 0; at && i < bytes / sizeof(*at); i++)
		omp_has_tasks |= makes_tasks(t->names + t->symbols[ELF64_R_SYM(at[i].r_info)].st_name);
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *unused)
{
	const ElfW(Dyn) *d = NULL;
	const ElfW(Rela) *calls = NULL, *others = NULL;
	size_t calls_size = 0, others_size = 0;
	struct table t = { 0 };

	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		const void *at = (const void *)d->d_un.d_ptr;

		t.symbols = d->d_tag == DT_SYMTAB ? at : t.symbols;
		t.names = d->d_tag == DT_STRTAB ? at : t.names;
		calls = d->d_tag == DT_JMPREL ? at : calls;
		others = d->d_tag == DT_RELA ? at : others;
		calls_size = d->d_tag == DT_PLTRELSZ ? d->d_un.d_val : calls_size;
		others_size = d->d_tag == DT_RELASZ ? d->d_un.d_val : others_size;
	}
	if (!t.symbols || !t.names || (uint64_t)t.symbols < info->dlpi_addr) /* the vdso has offsets */
		return 0;
	look_at(&t, calls, calls_size);
	look_at(&t, others, others_size);
	return 0;
}

__attribute__((constructor)) static void read_all(void)
{
	unsigned long n;

	count_processors();
	read_threads();
	read_schedule();
	read_levels();
	if (!read_stack("OMP_STACKSIZE"))
		read_stack("GOMP_STACKSIZE");
	omp_initial.dynamic = is_true("OMP_DYNAMIC", false);
	omp_may_cancel = is_true("OMP_CANCELLATION", false);
	if (whole_number("OMP_THREAD_LIMIT", 1, INT_MAX, &n))
		omp_initial.thread_limit = (unsigned)n;
	if (whole_number("OMP_MAX_TASK_PRIORITY", 0, INT_MAX, &n))
		omp_priorities = (int)n;
	if (whole_number("OMP_NUM_TEAMS", 1, INT_MAX, &n))
		omp_max_teams = (int)n;
	if (whole_number("OMP_TEAMS_THREAD_LIMIT", 1, INT_MAX, &n))
		omp_teams_limit = (int)n;
	if (whole_number("OMP_DEFAULT_DEVICE", 0, INT_MAX, &n))
		omp_initial.device = (int)n;
	dl_iterate_phdr(look_at_module, NULL);
}
