/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines rate NAME PROGRAM [ARGS]: schedules per second of processor time of the process that executes them, with
 * batches prepared
 * ahead; random schedules, prints for script/bench.
 * engines rate-of SETTING PROGRAM [ARGS]: the same for one setting, to look at it with a profiler.
 * engines native KIND TARGET PLAIN PROGRAM: what a schedule of PROGRAM from main costs against a native run of PLAIN,
 * the same program built
 *                                   without hooks: processor time of the executing process against that of a whole
 *                                   process.
 * engines states NAME PROGRAM [ARGS]: what it costs to tell the state at a point (--match-states).
 * engines points PROGRAM:           ns a schedule point without and with a switch, from runs of PROGRAM with 8000 and
 *                                   with 0 rounds.
 * engines cost PROGRAM KERNEL [HOW]: ticks of one pass of KERNEL (tests/bench/engine/kernels.c) under control of all
 * accesses, without
 *                                   switches. HOW quiet: none of the accesses is tracked; one: only those to the
 *                                   kernel's variable; linked:
 *                                   hooks are called as the program was linked.
 */
#include "raw.h"

#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BATCH 128u
#define FEW 16u
#define SPAN_SECONDS 0.25 /* of executor time a setting */

static double seconds(struct timespec t)
{
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of the process, and of the children that it has waited for. */
static double cpu_of(pid_t pid)
{
	struct timespec t = { 0 };
	clockid_t clock;
	char path[64], line[1024];
	unsigned long user = 0, system = 0;
	FILE *f;

	if (clock_getcpuclockid(pid, &clock) == 0)
		clock_gettime(clock, &t);
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f) && strrchr(line, ')'))
		sscanf(strrchr(line, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu", &user,
		       &system);
	if (f)
		fclose(f);
	return seconds(t) + (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static double cpu_of_ended(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* The process stands still while the batch is prepared, then works through all of it. */
static double batch(struct raw *raw, uint64_t seed, uint64_t n, bool random)
{
	const pid_t pid = raw->server.child.pid;
	const struct timespec nap = { .tv_nsec = 100000 };
	double before, used;

	kill(pid, SIGSTOP);
	for (uint64_t i = 0; i < n; i++)
		raw_post(raw, random ? seed + i : 0);
	before = cpu_of(pid);
	kill(pid, SIGCONT);
	while (__atomic_load_n(&raw->server.block.header->finished, __ATOMIC_ACQUIRE) !=
	           __atomic_load_n(&raw->server.block.header->posted, __ATOMIC_ACQUIRE) &&
	       !kill(pid, 0))
		nanosleep(&nap, NULL);
	used = cpu_of(pid) - before;
	for (uint64_t i = 0; i < n; i++)
		raw_take(raw);
	return used;
}

/* To be stopped, to go on, and to look for the next schedule until the tool sees that the batch is done costs as much
 * as some ten schedules. So there are batches of two sizes: what the larger ones take longer is for the schedules that
 * they have more. */
static double rate_of_batches(struct raw *raw)
{
	double few = 0, many = 0;
	uint64_t n = 0, seed = 1;

	batch(raw, seed, BATCH, true); /* pages come in */
	for (; few + many < SPAN_SECONDS; n++) {
		few += batch(raw, seed, FEW, true);
		many += batch(raw, seed + FEW, BATCH, true);
		seed += FEW + BATCH;
	}
	return (double)n * (BATCH - FEW) / (many - few);
}

static double rate_of(const struct setting *setting, char *const *argv)
{
	struct raw raw;
	double rate;

	raw_open(&raw, setting, argv, BATCH);
	if (setting->engine == VTB_ENGINE_EXEC) {
		const double before = cpu_of_ended();
		uint64_t n = 0;

		for (; n < 40 || cpu_of_ended() - before < 0.3; n++) {
			raw_post(&raw, 1 + n);
			raw_take(&raw);
		}
		rate = (double)n / (cpu_of_ended() - before);
	} else {
		rate = rate_of_batches(&raw);
	}
	raw_close(&raw);
	return rate;
}

int command_rate(int argc, char **argv)
{
	static const char *const names[] = { "snapshot-scan", "snapshot-copy", "forkserver-fibers", "exec-threads" };
	double rates[4];

	if (argc < 2)
		die("usage: engines rate NAME PROGRAM [ARGUMENT...]");
	for (size_t i = 0; i < 4; i++) {
		rates[i] = rate_of(setting_by_name(names[i]), argv + 1);
		printf("%s, %s\t%.0f\tschedules/s\t%s\n", argv[0], names[i], rates[i],
		       strcmp(argv[0], "3 threads, 40 points") ? ""
		       : i == 0                                ? ">= 250000"
		       : i == 1                                ? ">= 50000"
		       : i == 2                                ? ">= 2500"
		                                               : "");
	}
	printf("%s, scan / forkserver\t%.0f\ttimes\t%s\n", argv[0], rates[0] / rates[2],
	       strcmp(argv[0], "3 threads, 40 points") ? "" : ">= 60");
	return 0;
}

int command_rate_of(int argc, char **argv)
{
	if (argc < 2)
		die("usage: engines rate-of SETTING PROGRAM [ARGUMENT...]");
	printf("%s\t%.0f\tschedules/s\t\n", argv[0], rate_of(setting_by_name(argv[0]), argv + 1));
	return 0;
}

/* ---- against a native run */

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_size);
	return values[n / 2];
}

#define NATIVE_RUNS 9

/* Processor time of one run of it. */
static double native_run(char *program)
{
	char *const argv[] = { program, NULL };
	struct rusage u;
	pid_t pid;
	int status;

	if (posix_spawn(&pid, program, NULL, NULL, argv, environ) || wait4(pid, &status, 0, &u) < 0 || status)
		die("the program cannot be run");
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

int command_native(int argc, char **argv)
{
	double native[NATIVE_RUNS], schedule;

	if (argc != 4)
		die("usage: engines native KIND TARGET PLAIN PROGRAM");
	for (int i = 0; i < NATIVE_RUNS; i++)
		native[i] = native_run(argv[2]);
	raw_from_main = true;
	schedule = 1 / rate_of(setting_by_name("snapshot-scan"), argv + 3);
	printf("10^6 iterations between accesses, %s\t%.2f\ttimes native\t%s\n", argv[0],
	       schedule / median(native, NATIVE_RUNS), argv[1]);
	return 0;
}

/* ---- states */

#define RUNS_OF_STATES 200

/* In a random run. */
static double states_a_run(char *const *argv)
{
	struct vtb_runner *runner = open_runner(setting_by_name("snapshot-scan"), argv, 0);
	uint64_t states = 0;

	runner->states = true;
	for (uint64_t seed = 1; seed <= RUNS_OF_STATES; seed++) {
		const struct vtb_schedule s = { .policy = VTB_SCHEDULE_RANDOM, .seed = seed };
		struct vtb_exec x = { 0 };

		run_one(runner, &s, &x);
		states += x.n_states;
		vtb_exec_fini(&x);
	}
	vtb_runner_free(runner);
	return (double)states / RUNS_OF_STATES;
}

int command_states(int argc, char **argv)
{
	double without, with, states;

	if (argc < 2)
		die("usage: engines states NAME PROGRAM [ARGUMENT...]");
	states = states_a_run(argv + 1);
	raw_from_main = true;
	without = 1 / rate_of(setting_by_name("snapshot-scan"), argv + 1);
	raw_states = true;
	with = 1 / rate_of(setting_by_name("snapshot-scan"), argv + 1);
	printf("%s, states of a run\t%.1f\t\t\n%s, a state\t%.2f\tus\t\n", argv[0], states, argv[0],
	       (with - without) / states * 1e6);
	return 0;
}

/* ---- what is in a run */

#define RUNS 2u /* so few that the memory for their events is kept */
#define POINT_BATCHES 25u

struct series {
	struct raw raw;
	bool random;
	double ns[POINT_BATCHES];
};

static void open_series(struct series *s, char *program, char *rounds, bool random)
{
	raw_from_main = true;
	s->random = random;
	raw_open(&s->raw, setting_by_name("snapshot-scan"), (char *[]){ program, rounds, NULL }, RUNS);
	batch(&s->raw, 1, s->raw.server.opts.slots, random); /* pages come in */
}

int command_points(int argc, char **argv)
{
	const double points = 3 * 8000 * 2;
	char none[] = "0", some[] = "8000"; /* so many that the run's beginning and end do not count */
	static struct series base, straight, mixed, *const all[] = { &base, &straight, &mixed };
	double plain[POINT_BATCHES], switching[POINT_BATCHES];

	if (argc < 1)
		die("usage: engines points PROGRAM");
	open_series(&base, argv[0], none, false);
	open_series(&straight, argv[0], some, false);
	open_series(&mixed, argv[0], some, true);
	for (size_t i = 0; i < POINT_BATCHES;
	     i++) { /* in turns, so that what else runs on the machine hits all of them */
		for (size_t k = 0; k < 3; k++)
			all[k]->ns[i] =
			    1e9 * batch(&all[k]->raw, 1, all[k]->raw.server.opts.slots, all[k]->random) / RUNS;
		plain[i] = (straight.ns[i] - base.ns[i]) / points;
		switching[i] = (mixed.ns[i] - base.ns[i]) / points;
	}
	for (size_t k = 0; k < 3; k++)
		raw_close(&all[k]->raw);
	printf("point without switch\t%.1f\tns\t<= 8\n", median(plain, POINT_BATCHES));
	printf("point, random choice among 4, 3 of 4 switch\t%.1f\tns\t\n", median(switching, POINT_BATCHES));
	return 0;
}

/* ---- what an access costs: the program itself counts the ticks of its passes */

#define COST_RUNS 6u
#define COST_PASSES "3" /* so few that the records of a run have room */

/* What the kernel prints: ticks of its fastest pass, address of its variable. */
static uint64_t printed(const struct raw *raw, uint64_t *ret_variable)
{
	char text[64] = "";
	unsigned long ticks = 0, variable = 0;

	if (pread(raw->server.output_fd, text, sizeof(text) - 1, 0) < 0 ||
	    sscanf(text, "%lu %lx", &ticks, &variable) != 2)
		die("the kernel printed \"%s\"", text);
	if (ret_variable)
		*ret_variable = variable;
	return ticks;
}

/* The sites that are on from now on: those from which the 8 bytes at `variable` were read or written in this run. */
static void track(struct vtb_call_sites *sites, uint64_t bias, uint64_t variable, const uint64_t *words, size_t n)
{
	for (size_t i = 0; i < sites->n_sites; i++)
		sites->sites[i].on = 0;
	for (size_t at = 0; at + 2 <= n; at += 2 + (words[at] >> 4 & 15)) {
		const unsigned kind = words[at] >> 8 & 255;

		if ((kind != VTB_E_READ && kind != VTB_E_WRITE) || (words[at] >> 16) - variable >= sizeof(long))
			continue;
		for (size_t i = 0; i < sites->n_sites; i++)
			if (bias + sites->sites[i].addr + sites->sites[i].length == words[at + 1] >> 16)
				sites->sites[i].on = 1;
	}
}

/* Only accesses to the kernel's variable are tracked from now on. */
static void track_variable(struct raw *raw)
{
	const struct vtb_wire_module *program;
	struct server_result result;
	struct vtb_error err = { 0 };
	uint64_t variable;
	size_t on = 0;

	raw_post(raw, 0);
	if (vtb_server_take(&raw->server, &result, &err) < 0)
		die("the server failed: %s", err.text);
	printed(raw, &variable);
	program = vtb_block_at(&raw->server.block, raw->server.block.areas.modules.offset, sizeof(*program));
	if (!program || result.outcome.flags & VTB_OUT_TRUNCATED)
		die("the first run cannot be used");
	track(&raw->sites, program->base, variable, result.words, result.n_words);
	free(result.words);
	for (size_t i = 0; i < raw->sites.n_sites; i++)
		on += raw->sites.sites[i].on;
	if (!on)
		die("no site of the variable was found");
	vtb_server_set_sites(&raw->server);
}

int command_cost(int argc, char **argv)
{
	char passes[] = COST_PASSES;
	uint64_t best = UINT64_MAX;
	struct raw raw;

	if (argc < 2)
		die("usage: engines cost PROGRAM KERNEL [quiet|linked|one]");
	raw_quiet = argc > 2 && !strcmp(argv[2], "quiet");
	raw_keep_calls = argc > 2 && !strcmp(argv[2], "linked");
	raw_from_main = true;
	raw_options = VTB_OPT_OUTPUT;
	raw_open(&raw, setting_by_name("snapshot-scan"), (char *[]){ argv[0], argv[1], passes, NULL }, RUNS);
	if (argc > 2 && !strcmp(argv[2], "one"))
		track_variable(&raw);
	for (uint32_t i = 0; i < COST_RUNS; i++) {
		uint64_t ticks;

		raw_post(&raw, 0);
		raw_take(&raw);
		ticks = printed(&raw, NULL);
		best = ticks < best ? ticks : best;
	}
	raw_close(&raw);
	printf("%" PRIu64 "\n", best);
	return 0;
}
