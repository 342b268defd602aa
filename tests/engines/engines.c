/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engines.h"

#include <linux/close_range.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vtb/symbols.h"
#include "vtb/trace.h"

const struct setting settings[] = {
	{ "forkserver-threads", VTB_ENGINE_FORKSERVER, VTB_CARRIER_THREADS, VTB_DIRTY_AUTO, true, 0 },
	{ "forkserver-fibers", VTB_ENGINE_FORKSERVER, VTB_CARRIER_FIBERS, VTB_DIRTY_AUTO, false, 0 },
	{ "snapshot-scan", VTB_ENGINE_SNAPSHOT, VTB_CARRIER_FIBERS, VTB_DIRTY_SCAN, false, 0 },
	{ "snapshot-copy", VTB_ENGINE_SNAPSHOT, VTB_CARRIER_FIBERS, VTB_DIRTY_COPY, false, 0 },
	{ "snapshot-mprotect", VTB_ENGINE_SNAPSHOT, VTB_CARRIER_FIBERS, VTB_DIRTY_MPROTECT, false, 0 },
	{ "snapshot-scan, checkpoints", VTB_ENGINE_SNAPSHOT, VTB_CARRIER_FIBERS, VTB_DIRTY_SCAN, false,
	  VTB_OPT_CHECKPOINT_ALWAYS },
	{ "exec-threads", VTB_ENGINE_EXEC, VTB_CARRIER_THREADS, VTB_DIRTY_AUTO, false, 0 },
	{ "exec-fibers", VTB_ENGINE_EXEC, VTB_CARRIER_FIBERS, VTB_DIRTY_AUTO, false, 0 },
};
const size_t n_settings = sizeof(settings) / sizeof(*settings);

/* Where the processor's clock cannot be kept from the program, what reads it is not the same twice. */
static bool reads_the_clock;

static void note_clock(const struct vtb_runner *runner)
{
	struct vtb_process_info info;

	vtb_process_runner_info(runner, &info);
	reads_the_clock |= (info.uncontrolled & VTB_UNC_TSC) != 0;
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (reads_the_clock)
		puts("skipped: this machine does not let rdtsc fault");
	exit(reads_the_clock ? 77 : 1);
}

const struct setting *setting_by_name(const char *name)
{
	for (size_t i = 0; i < n_settings; i++)
		if (!strcmp(settings[i].name, name))
			return &settings[i];
	die("no setting %s", name);
}

struct vtb_runner *open_runner(const struct setting *setting, char *const *argv, uint32_t timeout_msec)
{
	const struct vtb_process_opts opts = { .argv = argv,
		                               .engine = setting->engine,
		                               .carrier = setting->carrier,
		                               .dirty = setting->dirty,
		                               .options = VTB_OPT_ACCESSES | VTB_OPT_VALUES | setting->options,
		                               .timeout_msec = timeout_msec,
		                               .keep_calls = setting->keep_calls };
	struct vtb_runner *runner;
	struct vtb_error err = { 0 };

	if (vtb_process_runner_new(&opts, &runner, &err) >= 0)
		return runner;
	printf("%s: %s: %s\n", setting->name, err.path, err.text);
	exit(setting->dirty == VTB_DIRTY_SCAN && (strstr(err.text, "userfaultfd") || strstr(err.text, "asynchronous"))
	         ? 77
	         : 1);
}

#define LACKS "VTB_TEST_LACKS" /* what the runtime is to take this machine to lack */

bool can_be(const struct setting *setting)
{
	const char *lacks = getenv(LACKS);

	return !lacks || !strstr(lacks, "dispatch") || setting->engine != VTB_ENGINE_SNAPSHOT;
}

/* The environment is handed over at the start: a server of it may not be started again later. */
struct vtb_runner *open_whole(const struct setting *setting, char *const *argv)
{
	const char *set = getenv(LACKS);
	char *lacks = set ? strdup(set) : NULL;
	struct vtb_runner *runner;

	unsetenv(LACKS);
	runner = open_runner(setting, argv, 0);
	if (lacks)
		setenv(LACKS, lacks, 1);
	free(lacks);
	return runner;
}

bool still_on(struct vtb_runner *runner, const struct setting *setting)
{
	struct vtb_process_info info;

	vtb_process_runner_info(runner, &info);
	if ((int)info.engine == setting->engine && (setting->dirty == VTB_DIRTY_AUTO || info.dirty == setting->dirty))
		return true;
	/* With mprotect a tick of the watchdog that falls on a protected stack page ends in a refusal, as it should. */
	if (strstr(info.engine_reason, "system call") ||
	    (setting->dirty == VTB_DIRTY_MPROTECT && strstr(info.engine_reason, "protected to see")))
		return false;
	die("%s became %s (dirty %d): %s", setting->name, vtb_engine_name((int)info.engine), (int)info.dirty,
	    info.engine_reason);
}

void run_one(struct vtb_runner *runner, const struct vtb_schedule *s, struct vtb_exec *x)
{
	struct vtb_error err = { 0 };

	if (vtb_runner_run(runner, &s, 1, x, &err) < 0)
		die("%s: %s", err.path, err.text);
	note_clock(runner);
}

void run_walks(struct vtb_runner *runner, bool owned, enum vtb_policy policy, uint64_t seed, size_t n,
               struct vtb_exec *execs)
{
	struct vtb_schedule *list = calloc(n, sizeof(*list));
	const struct vtb_schedule **schedules = calloc(n, sizeof(*schedules));
	struct vtb_error err = { 0 };

	if (!list || !schedules)
		die("no memory");
	for (size_t i = 0; i < n; i++) {
		list[i] = (struct vtb_schedule){ .policy = policy, .seed = seed + i, .brief = owned };
		schedules[i] = &list[i];
	}
	runner->owned = runner->tell_all = owned;
	if (vtb_runner_run(runner, schedules, n, execs, &err) < 0)
		die("%s: %s", err.path, err.text);
	note_clock(runner);
	runner->owned = runner->tell_all = false;
	free(schedules);
	free(list);
}

void run_random(struct vtb_runner *runner, uint64_t seed, size_t n, struct vtb_exec *execs)
{
	run_walks(runner, false, VTB_SCHEDULE_RANDOM, seed, n, execs);
}

/* ---- runs as text */

static bool is_address(uint64_t value)
{
	return value >> 40 && value >> 47 == 0;
}

/* Memory that nothing is known of (a library's thread-local variables, for one) lies where the engine's threads lie. */
static const char *name_of(const struct vtb_symtab *tab, uint32_t variable)
{
	const char *name = vtb_variable_name(tab, variable);

	/* main's stack begins where the engine has called main */
	return strncmp(name, "memory at 0x", 12) && strncmp(name, "[stack]", 7) ? name : "memory without a name";
}

/* The set of threads that could have been chosen, whatever their numbers are in this runner. */
static void describe_row(FILE *out, const struct vtb_symtab *tab, const struct vtb_exec *x, size_t event)
{
	uint64_t set = 0;

	for (uint32_t t = 0; t < tab->n_threads; t++)
		if (vtb_exec_enabled(x, event, t))
			set += hash_text(HASH_START, vtb_thread_path(tab, t));
	fprintf(out, " enabled %" PRIx64, set);
}

static void describe_event(FILE *out, const struct vtb_symtab *tab, const struct vtb_exec *x, size_t i)
{
	const struct vtb_event *e = &x->events[i];
	const struct vtb_event_info *info = vtb_event_info(e->kind);
	const struct vtb_site *site = e->site == VTB_NONE ? NULL : &tab->sites[e->site];

	fprintf(out, "%s %s at %s+%" PRIx64 " of %s size %u order %u", vtb_thread_path(tab, e->thread),
	        info ? info->name : "?", site && site->module != VTB_NONE ? tab->modules[site->module].path : "?",
	        site ? site->offset : 0, name_of(tab, e->var), e->size, e->order);
	if (e->flags & VTB_EVF_VALUE && !is_address(e->value))
		fprintf(out, " value %" PRIu64, e->value);
	if (e->deviation)
		fprintf(out, " deviation %u", e->deviation);
	describe_row(out, tab, x, i);
	fputc('\n', out);
}

char *describe(const struct vtb_runner *runner, const struct vtb_exec *x)
{
	const struct vtb_outcome *o = &x->outcome;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("no memory");
	for (size_t i = 0; i < x->n_events; i++)
		describe_event(out, runner->tab, x, i);
	fprintf(out,
	        "verdict %s exit %d signal %d diverged %u signature %s output %" PRIx64 " of %" PRIu64
	        " points %" PRIu64 "\n",
	        vtb_verdict_name(o->verdict), o->exit_status, o->signal, o->flags & VTB_OUT_DIVERGED,
	        o->signature ? o->signature : "", o->output_hash, o->output_size, o->points);
	fclose(out);
	return text;
}

/* What a run does, without where in the machine code and in which memory order: equal for two builds of one source if
 * their accesses agree. */
char *describe_operations(const struct vtb_runner *runner, const struct vtb_exec *x)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("no memory");
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		const struct vtb_event_info *info = vtb_event_info(e->kind);

		fprintf(out, "%s %s of %s size %u", vtb_thread_path(runner->tab, e->thread), info ? info->name : "?",
		        name_of(runner->tab, e->var), e->size);
		if (e->flags & VTB_EVF_VALUE && !is_address(e->value))
			fprintf(out, " value %" PRIu64, e->value);
		fputc('\n', out);
	}
	fprintf(out, "verdict %s exit %d signal %d points %" PRIu64 "\n", vtb_verdict_name(x->outcome.verdict),
	        x->outcome.exit_status, x->outcome.signal, x->outcome.points);
	fclose(out);
	return text;
}

uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash;
}

/* engines print SETTING SEED PROGRAM [ARGS]: what happens in one random run, for people. */
static int command_print(int argc, char **argv)
{
	struct vtb_runner *runner;
	struct vtb_exec x;
	char *text;

	if (argc < 3)
		die("usage: engines print SETTING SEED PROGRAM [ARGUMENT...]");
	runner = open_runner(setting_by_name(argv[0]), argv + 2, 60000);
	run_random(runner, strtoull(argv[1], NULL, 10), 1, &x);
	text = describe(runner, &x);
	fputs(text, stdout);
	free(text);
	vtb_exec_fini(&x);
	vtb_runner_free(runner);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {
		{ "compare", command_compare },
		{ "builds", command_builds },
		{ "hash", command_hash },
		{ "growth", command_growth },
		{ "quiet", command_quiet },
		{ "survive", command_survive },
		{ "owned", command_owned },
		{ "owned-some", command_owned_some },
		{ "owned-still", command_owned_still },
		{ "owned-most", command_owned_most },
		{ "owned-classes", command_owned_classes },
		{ "owned-covers", command_owned_covers },
		{ "output", command_output },
		{ "effects", command_effects },
		{ "stays", command_stays },
		{ "rate", command_rate },
		{ "rate-of", command_rate_of },
		{ "native", command_native },
		{ "states", command_states },
		{ "points", command_points },
		{ "cost", command_cost },
		{ "print", command_print },
		{ "checkpoints", command_checkpoints },
		{ "checkpoints-same", command_checkpoints_same },
		{ "stems", command_stems },
		{ "levels", command_levels },
		{ "all-orders", command_all_orders },
		{ "without-stem", command_without_stem },
		{ "without-stem-search", command_without_stem_search },
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC); /* what started us may have left descriptors open: programs look at
	                                             their numbers */
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 2, argv + 2);
	die("usage: engines "
	    "compare|builds|hash|growth|quiet|output|effects|stays|rate|rate-of|points|cost|print|checkpoints|"
	    "checkpoints-same|stems ...");
}
