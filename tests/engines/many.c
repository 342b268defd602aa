/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines hash N PROGRAM:   one hash over the traces of N random schedules, equal on snapshot and forkserver.
 * engines growth N PROGRAM: N schedules in a row on engine snapshot: as many failures as forkserver says, and a process
 * that
 *                           afterwards has the memory, mappings and descriptors that it had at the beginning.
 */
#include "raw.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BATCH 500u
#define SEEDS 1000u /* of growth: the list is repeated */
#define SLOTS 64u

static uint64_t hash_on(const struct setting *setting, char *const *argv, uint64_t n, uint64_t *ret_failures)
{
	struct vtb_runner *runner = open_runner(setting, argv, 0);
	struct vtb_exec x[BATCH];
	uint64_t hash = HASH_START;

	*ret_failures = 0;
	for (uint64_t done = 0; done < n; done += BATCH) {
		run_random(runner, done + 1, BATCH, x);
		for (size_t i = 0; i < BATCH; i++) {
			char *text = describe(runner, &x[i]);

			hash = hash_text(hash, text);
			*ret_failures += x[i].outcome.verdict != VTB_V_NONE;
			free(text);
			vtb_exec_fini(&x[i]);
		}
	}
	if (!still_on(runner, setting) && setting->dirty != VTB_DIRTY_MPROTECT) /* whose runs may go to the fork
	                                                                           server, with the same hash */
		die("%s left its engine", setting->name);
	vtb_runner_free(runner);
	return hash;
}

int command_hash(int argc, char **argv)
{
	static const char *const names[] = { "forkserver-fibers", "snapshot-scan", "snapshot-copy",
		                             "snapshot-mprotect" };
	uint64_t first = 0, first_failures = 0;
	int bad = 0;

	if (argc < 2)
		die("usage: engines hash N PROGRAM");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		uint64_t failures;
		const uint64_t hash =
		    hash_on(setting_by_name(names[i]), argv + 1, strtoull(argv[0], NULL, 10), &failures);

		printf("%-18s %016" PRIx64 ", %" PRIu64 " failures\n", names[i], hash, failures);
		first = i ? first : hash;
		first_failures = i ? first_failures : failures;
		bad |= hash != first || failures != first_failures;
	}
	if (!first_failures)
		die("no schedule fails: that proves little");
	return bad;
}

/* ---- growth */

struct size {
	uint64_t rss_kb, mappings, descriptors;
};

static struct size size_of(pid_t pid)
{
	struct size s = { 0 };
	char path[64], line[4096];
	FILE *f;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "VmRSS:", 6))
			s.rss_kb = strtoull(line + 6, NULL, 10);
	if (f)
		fclose(f);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		s.mappings++;
	if (f)
		fclose(f);
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && readdir(dir))
		s.descriptors++;
	if (dir)
		closedir(dir);
	return s;
}

static uint64_t failures_of(struct raw *raw, uint64_t from, uint64_t n)
{
	uint64_t failures = 0;

	for (uint64_t posted = 0, taken = 0; taken < n; taken++) {
		for (; posted < n && vtb_server_room(&raw->server); posted++)
			raw_post(raw, 1 + (from + posted) % SEEDS);
		failures += raw_take(raw).verdict != VTB_V_NONE;
	}
	return failures;
}

/* What the list predicts, on the engine that gives every run a process of its own. */
static uint64_t predicted(char *const *argv)
{
	struct raw raw;
	uint64_t failures;

	raw_open(&raw, setting_by_name("forkserver-fibers"), argv, SLOTS);
	failures = failures_of(&raw, 0, SEEDS);
	raw_close(&raw);
	return failures;
}

int command_growth(int argc, char **argv)
{
	struct size before, after;
	uint64_t n, failures, expected;
	struct raw raw;
	int bad;

	if (argc < 2)
		die("usage: engines growth N PROGRAM");
	n = (strtoull(argv[0], NULL, 10) + SEEDS - 1) / SEEDS * SEEDS;
	expected = predicted(argv + 1) * (n / SEEDS);
	raw_open(&raw, setting_by_name("snapshot-scan"), argv + 1, SLOTS);
	failures_of(&raw, 0, SEEDS);
	before = size_of(raw.server.child.pid);
	failures = failures_of(&raw, 0, n);
	after = size_of(raw.server.child.pid);
	raw_close(&raw);
	printf("%" PRIu64 " schedules: %" PRIu64 " failures, %" PRIu64 " predicted; resident %" PRIu64 " -> %" PRIu64
	       " kB, mappings %" PRIu64 " -> %" PRIu64 ", descriptors %" PRIu64 " -> %" PRIu64 "\n",
	       n, failures, expected, before.rss_kb, after.rss_kb, before.mappings, after.mappings, before.descriptors,
	       after.descriptors);
	bad = failures != expected || raw.server.restarts || after.mappings != before.mappings ||
	      after.descriptors != before.descriptors;
	return bad || !expected ||
	       after.rss_kb > before.rss_kb + 256; /* a page or two come with the first rare schedules */
}
