/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines rate NAME PROGRAM [ARGS]: schedules per second of processor time of the process that executes them, with batches prepared
 * ahead; random schedules, prints for script/bench.
 * engines rate-of SETTING PROGRAM [ARGS]: the same for one setting, to look at it with a profiler.
 * engines points PROGRAM:           ns a schedule point without and with a switch, from runs of PROGRAM with 8000 and with 0 rounds.
 * engines cost PROGRAM KERNEL [HOW]: ns of processor time of one pass of KERNEL under control of all accesses, without switches.
 *                                   HOW quiet: none of the accesses is tracked; linked: hooks are called as the program was linked.
 */
#include "raw.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define BATCH 128u
#define SPAN_SECONDS 0.25 /* of executor time a setting */

static double seconds(struct timespec t)
{
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of the process, and of the children that it has waited for. */
static double cpu_of(pid_t pid)
{
	struct timespec t = {0};
	clockid_t clock;
	char path[64], line[1024];
	unsigned long user = 0, system = 0;
	FILE *f;

	if (clock_getcpuclockid(pid, &clock) == 0)
		clock_gettime(clock, &t);
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f) && strrchr(line, ')'))
		sscanf(strrchr(line, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu", &user, &system);
	if (f)
		fclose(f);
	return seconds(t) + (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static double cpu_of_ended(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* The process stands still while the batch is prepared, then works through all of it. */
static double batch(struct raw *raw, uint64_t seed, bool random)
{
	const pid_t pid = raw->server.child.pid;
	const struct timespec nap = {.tv_nsec = 100000};
	double before, used;

	kill(pid, SIGSTOP);
	for (uint64_t i = 0; i < raw->server.opts.slots; i++)
		raw_post(raw, random ? seed + i : 0);
	before = cpu_of(pid);
	kill(pid, SIGCONT);
	while (__atomic_load_n(&raw->server.block.header->finished, __ATOMIC_ACQUIRE) != __atomic_load_n(&raw->server.block.header->posted, __ATOMIC_ACQUIRE) && !kill(pid, 0))
		nanosleep(&nap, NULL);
	used = cpu_of(pid) - before;
	for (uint64_t i = 0; i < raw->server.opts.slots; i++)
		raw_take(raw);
	return used;
}

static double rate_of(const struct setting *setting, char *const *argv)
{
	struct raw raw;
	double used = 0;
	uint64_t n = 0;

	raw_open(&raw, setting, argv, BATCH);
	if (setting->engine == VTB_ENGINE_EXEC) {
		const double before = cpu_of_ended();

		for (; n < 40 || cpu_of_ended() - before < 0.3; n++) {
			raw_post(&raw, 1 + n);
			raw_take(&raw);
		}
		used = cpu_of_ended() - before;
	} else {
		batch(&raw, 1, true); /* pages come in */
		for (; used < SPAN_SECONDS; n += BATCH)
			used += batch(&raw, 1 + n, true);
	}
	raw_close(&raw);
	return (double)n / used;
}

int command_rate(int argc, char **argv)
{
	static const char *const names[] = {"snapshot-scan", "snapshot-copy", "forkserver-fibers", "exec-threads"};
	double rates[4];

	if (argc < 2)
		die("usage: engines rate NAME PROGRAM [ARGUMENT...]");
	for (size_t i = 0; i < 4; i++) {
		rates[i] = rate_of(setting_by_name(names[i]), argv + 1);
		printf("%s, %s\t%.0f\tschedules/s\t%s\n", argv[0], names[i], rates[i], strcmp(argv[0], "3 threads, 40 points") ? "" : i == 0 ? ">= 250000" : i == 1 ? ">= 50000" : i == 2 ? ">= 2500" : "");
	}
	printf("%s, scan / forkserver\t%.0f\ttimes\t%s\n", argv[0], rates[0] / rates[2], strcmp(argv[0], "3 threads, 40 points") ? "" : ">= 60");
	return 0;
}

int command_rate_of(int argc, char **argv)
{
	if (argc < 2)
		die("usage: engines rate-of SETTING PROGRAM [ARGUMENT...]");
	printf("%s\t%.0f\tschedules/s\t\n", argv[0], rate_of(setting_by_name(argv[0]), argv + 1));
	return 0;
}

/* ---- what is in a run */

#define RUNS 2u /* so few that the memory for their events is kept */

/* ns of processor time of a run on engine snapshot: the least of some batches. */
static double run_ns(char *const *argv, bool random)
{
	double best = 1e18;
	struct raw raw;

	raw_from_main = true;
	raw_open(&raw, setting_by_name("snapshot-scan"), argv, RUNS);
	batch(&raw, 1, random); /* pages come in */
	for (uint64_t i = 0; i < 12; i++) {
		const double used = 1e9 * batch(&raw, 1, random) / RUNS;

		best = used < best ? used : best;
	}
	raw_close(&raw);
	return best;
}

int command_points(int argc, char **argv)
{
	const double points = 3 * 8000 * 2;
	char none[] = "0", some[] = "8000"; /* so many that the run's beginning and end do not count */
	double base, straight, mixed;

	if (argc < 1)
		die("usage: engines points PROGRAM");
	base = run_ns((char *[]){argv[0], none, NULL}, false);
	straight = run_ns((char *[]){argv[0], some, NULL}, false);
	mixed = run_ns((char *[]){argv[0], some, NULL}, true);
	printf("point without switch\t%.1f\tns\t<= 8\n", (straight - base) / points);
	printf("point, random choice among 4, 3 of 4 switch\t%.1f\tns\t\n", (mixed - base) / points);
	return 0;
}

int command_cost(int argc, char **argv)
{
	char one[] = "1", many[] = "11", very_many[] = "201"; /* the less a pass costs, the more of them are needed to see it */
	const bool cheap = argc > 2 && !strcmp(argv[2], "quiet");
	double base, run;

	if (argc < 2)
		die("usage: engines cost PROGRAM KERNEL [quiet|linked]");
	raw_quiet = argc > 2 && !strcmp(argv[2], "quiet");
	raw_keep_calls = argc > 2 && !strcmp(argv[2], "linked");
	base = run_ns((char *[]){argv[0], argv[1], one, NULL}, false);
	run = run_ns((char *[]){argv[0], argv[1], cheap ? very_many : many, NULL}, false);
	printf("%.0f\n", (run - base) / (cheap ? 200 : 10));
	return 0;
}
