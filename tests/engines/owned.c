/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines owned N PROGRAM: N random schedules, and as many of pos, passing over what only one thread touches. Each run
 * is made again as it went, with every operation told: same class, same verdict, same output, same number of
 * operations. And once more by that schedule, which draws nothing, as runs of long programs are made, passing over: the
 * same again, and for random schedules that are stopped anywhere. The engine stays what it was. Prints how much was
 * passed over.
 *
 * engines owned-some N PROGRAM: the same, and it is an error if nothing was.
 *
 * engines owned-still N PROGRAM: the same, and it is an error if nothing was in the last batch: it was given up.
 *
 * engines owned-most N PROGRAM: the same, and it is an error if less than half was in the last batch.
 *
 * engines owned-classes N PROGRAM: N random schedules each, passing over and telling everything: the same classes of
 * runs that come to their end, and the same failures. (Where a run is cut off, whole runs also differ in how far the
 * others have come in what they own.)
 *
 * engines owned-covers N PROGRAM: N random schedules that pass over come to all classes of an eighth as many others.
 */
#include "engines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/mazurkiewicz.h"
#include "vtb/trace.h"

#define BATCH 64u /* at most: a few schedules are two batches, the second of which knows what the first has seen */

struct count {
	uint64_t runs, passed, told, bad;
	uint64_t straight; /* passed over in runs of schedules that draw nothing */
	uint64_t given_up; /* searches that passed over nothing in the end */
	uint64_t few;      /* likewise less than they told */
};

static uint64_t passed_in(const struct vtb_exec *x)
{
	uint64_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		n += x->events[i].kind == VTB_E_OWNED ? x->events[i].value : 0;
	return n;
}

static uint64_t told_in(const struct vtb_exec *x)
{
	uint64_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		n += vtb_event_is_operation(&x->events[i]);
	return n;
}

static struct vtb_hash128 class_of(const struct vtb_runner *runner, const struct vtb_exec *x)
{
	struct vtb_hash128 h;

	if (vtb_mazurkiewicz_of(x->events, x->n_events, runner->tab, &h) < 0)
		die("no memory");
	return h;
}

static const char *difference(const struct vtb_runner *runner, const struct vtb_exec *x, const struct vtb_exec *whole)
{
	const struct vtb_hash128 a = class_of(runner, x), b = class_of(runner, whole);

	if (whole->owned || whole->outcome.flags & VTB_OUT_DIVERGED)
		return "did not go that way again";
	if (x->outcome.verdict != whole->outcome.verdict || x->outcome.output_hash != whole->outcome.output_hash)
		return "has another outcome";
	if (passed_in(x) + told_in(x) != told_in(whole))
		return "has another number of operations";
	if (vtb_exec_tuple(x).c != vtb_exec_tuple(whole).c)
		return "has another number of preemptions";
	return a.lo != b.lo || a.hi != b.hi ? "is of another class" : NULL;
}

static void reverse(struct vtb_schedule *s)
{
	for (size_t i = 0; i < s->n_deviations / 2; i++) {
		const struct vtb_deviation d = s->deviations[i];

		s->deviations[i] = s->deviations[s->n_deviations - 1 - i];
		s->deviations[s->n_deviations - 1 - i] = d;
	}
}

/* Twice: the second one begins like the first, and its switches are listed the other way round. */
static void run_sparse(struct vtb_runner *runner, struct vtb_schedule *schedule, struct vtb_exec *ret)
{
	const bool paid = runner->sparse_pays;
	struct vtb_exec first;

	schedule->sparse = runner->sparse_pays = true;
	vtb_runner_tell_little(runner, true);
	run_one(runner, schedule, &first);
	vtb_exec_fini(&first);
	reverse(schedule);
	run_one(runner, schedule, ret);
	runner->sparse_pays = paid;
	vtb_runner_tell_little(runner, false);
}

static uint64_t complain(const char *policy, uint64_t seed, const char *which, const char *how)
{
	if (how)
		printf("%s, seed %" PRIu64 ": the run %s %s\n", policy, seed, which, how);
	return how != NULL;
}

static void compare_one(struct vtb_runner *runner, const char *policy, uint64_t seed, const struct vtb_exec *x,
                        struct count *count)
{
	struct vtb_schedule as_it_went;
	struct vtb_exec whole, sparse;

	count->runs++;
	count->passed += passed_in(x);
	count->told += told_in(x);
	if (!x->owned)
		return;
	if (vtb_exec_schedule(x, &as_it_went) < 0)
		die("no memory");
	run_one(runner, &as_it_went, &whole);
	run_sparse(runner, &as_it_went, &sparse);
	count->straight += passed_in(&sparse);
	count->bad += complain(policy, seed, "with every operation told", difference(runner, x, &whole));
	count->bad += complain(policy, seed, "by its switches", difference(runner, &sparse, &whole));
	vtb_schedule_fini(&as_it_went);
	vtb_exec_fini(&whole);
	vtb_exec_fini(&sparse);
}

static void compare(struct vtb_runner *runner, enum vtb_policy policy, const char *name, uint64_t n,
                    struct count *count)
{
	const size_t batch = n < 2 * BATCH ? (size_t)(n + 1) / 2 : BATCH;
	struct vtb_exec execs[BATCH];
	struct count before = { 0 };

	for (uint64_t seed = 1; seed <= n; seed += batch) {
		before = *count;
		run_walks(runner, true, policy, seed, batch, execs);
		for (size_t i = 0; i < batch; i++) {
			compare_one(runner, name, seed + i, &execs[i], count);
			vtb_exec_fini(&execs[i]);
		}
	}
	count->given_up += count->passed == before.passed;
	count->few += count->passed - before.passed < count->told - before.told;
}

/* Runs that were stopped at accesses of their own, too. */
static void compare_switches(struct vtb_runner *runner, uint64_t n, struct count *count)
{
	const size_t batch = n < BATCH ? (size_t)n : BATCH;
	struct vtb_exec execs[BATCH], sparse;

	run_walks(runner, false, VTB_SCHEDULE_RANDOM, 1, batch, execs);
	for (size_t i = 0; i < batch; i++) {
		struct vtb_schedule as_it_went;

		if (vtb_exec_schedule(&execs[i], &as_it_went) < 0)
			die("no memory");
		run_sparse(runner, &as_it_went, &sparse);
		count->straight += passed_in(&sparse);
		count->bad +=
		    complain("random, told whole", i + 1, "by its switches", difference(runner, &sparse, &execs[i]));
		vtb_schedule_fini(&as_it_went);
		vtb_exec_fini(&sparse);
		vtb_exec_fini(&execs[i]);
	}
}

/* Engine forkserver makes `part` of the schedules only: what is passed over is decided by the same code, and a process
 * for each run takes a hundred times as long. */
static struct count both(const char *number, uint64_t part, char *const *argv)
{
	static const char *const names[] = { "snapshot-scan", "forkserver-fibers" };
	struct count count = { 0 };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct setting *setting = setting_by_name(names[i]);
		const uint64_t n = strtoull(number, NULL, 10) / (setting->engine == VTB_ENGINE_FORKSERVER ? part : 1);
		struct vtb_runner *runner = open_runner(setting, argv, 0);

		compare(runner, VTB_SCHEDULE_RANDOM, "random", n, &count);
		compare(runner, VTB_SCHEDULE_POS, "pos", n, &count);
		compare_switches(runner, n, &count);
		still_on(runner, setting);
		vtb_runner_free(runner);
	}
	printf("%" PRIu64 " runs, %" PRIu64 " operations told, %" PRIu64 " passed over, %" PRIu64
	       " of schedules that draw nothing\n",
	       count.runs, count.told, count.passed, count.straight);
	return count;
}

/* ---- classes */

#define CLASSES 4096u

struct classes {
	struct vtb_hash128 item[CLASSES];
	const char *signature[CLASSES]; /* of a failure; "": it came to its end */
	size_t n;
};

static bool knows(const struct classes *c, struct vtb_hash128 h, const char *signature)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->signature[i], signature) &&
		    (*signature || (c->item[i].lo == h.lo && c->item[i].hi == h.hi)))
			return true;
	return false;
}

/* Of failures only what failed. */
static void add(const struct vtb_runner *runner, struct classes *c, const struct vtb_exec *x)
{
	const struct vtb_hash128 h = class_of(runner, x);
	const char *signature = x->outcome.verdict == VTB_V_NONE ? "" : x->outcome.signature;

	if (knows(c, h, signature))
		return;
	if (c->n == CLASSES)
		die("more than %u classes", CLASSES);
	c->item[c->n] = h;
	c->signature[c->n++] = signature;
}

static void collect(struct vtb_runner *runner, bool owned, uint64_t n, struct classes *c)
{
	struct vtb_exec execs[BATCH];

	c->n = 0;
	for (uint64_t seed = 1; seed <= n; seed += BATCH) {
		run_walks(runner, owned, VTB_SCHEDULE_RANDOM, seed, BATCH, execs);
		for (size_t i = 0; i < BATCH; i++) {
			add(runner, c, &execs[i]);
			vtb_exec_fini(&execs[i]);
		}
	}
}

static size_t missing(const struct classes *a, const struct classes *b)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += !knows(b, a->item[i], a->signature[i]);
	return n;
}

struct difference {
	size_t lacks, more;
};

static struct difference compare_classes(char *const *argv, uint64_t n_owned, uint64_t n_whole)
{
	static struct classes owned, whole;
	struct vtb_runner *runner = open_runner(setting_by_name("snapshot-scan"), argv, 0);
	struct difference d;

	collect(runner, true, n_owned, &owned);
	collect(runner, false, n_whole, &whole);
	d = (struct difference){ missing(&whole, &owned), missing(&owned, &whole) };
	printf("%zu classes and failures passing over, %zu with every operation told; %zu missing, %zu more\n", owned.n,
	       whole.n, d.lacks, d.more);
	vtb_runner_free(runner);
	return d;
}

int command_owned_classes(int argc, char **argv)
{
	struct difference d;
	uint64_t n;

	if (argc < 2)
		die("usage: engines owned-classes N PROGRAM");
	n = strtoull(argv[0], NULL, 10);
	d = compare_classes(argv + 1, n, n);
	return d.lacks || d.more;
}

int command_owned_covers(int argc, char **argv)
{
	uint64_t n;

	if (argc < 2)
		die("usage: engines owned-covers N PROGRAM");
	n = strtoull(argv[0], NULL, 10);
	return compare_classes(argv + 1, n, n / 8).lacks != 0;
}

#define FEWER 8u

static struct count counted(const char *command, uint64_t part, int argc, char **argv)
{
	if (argc < 2)
		die("usage: engines %s N PROGRAM", command);
	return both(argv[0], part, argv + 1);
}

int command_owned(int argc, char **argv)
{
	return counted("owned", FEWER, argc, argv).bad != 0;
}

int command_owned_some(int argc, char **argv)
{
	const struct count count = counted("owned-some", FEWER, argc, argv);

	return count.bad || !count.passed || !count.straight;
}

int command_owned_still(int argc, char **argv)
{
	const struct count count = counted("owned-still", 1, argc, argv);

	return count.bad || count.given_up;
}

int command_owned_most(int argc, char **argv)
{
	const struct count count = counted("owned-most", 1, argc, argv);

	return count.bad || count.few;
}
