/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same schedules on every way of running a program: what this driver's commands share. Each command prints what
 * differs
 * and ends with status 1, or is silent; 77 says that this machine lacks what is to be tested.
 */
#ifndef VTB_TEST_ENGINES_H
#define VTB_TEST_ENGINES_H

#include <stdlib.h>

#include "vtb/process_runner.h"

struct setting {
	const char *name;
	int engine;
	enum vtb_wire_carrier carrier;
	enum vtb_wire_dirty dirty;
	bool keep_calls;  /* hooks are called through the linkage table, as the program was linked */
	uint32_t options; /* VTB_OPT_* besides accesses and values */
};
extern const struct setting settings[];
extern const size_t n_settings;

const struct setting *setting_by_name(const char *name);
/* Ends the process with a message if the program cannot be started; with status 77 if the machine cannot (method scan).
 * */
struct vtb_runner *open_runner(const struct setting *setting, char *const *argv, uint32_t timeout_msec);
/* Is the runner still on the engine that was asked for? If not, that must be because of a system call: anything else
 * ends
 * the process with status 1. */
/** Tests of what a machine lacks (VTB_TEST_LACKS): does the setting need it? */
bool can_be(const struct setting *setting);
/** open_runner() on this machine as it is. */
struct vtb_runner *open_whole(const struct setting *setting, char *const *argv);
bool still_on(struct vtb_runner *runner, const struct setting *setting);

_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* `n` schedules of policy random, seeds from `seed` on; or the end of the process. */
void run_random(struct vtb_runner *runner, uint64_t seed, size_t n, struct vtb_exec *execs);
/* Likewise, of any policy; owned: accesses to what only one thread touches are passed over. */
void run_walks(struct vtb_runner *runner, bool owned, enum vtb_policy policy, uint64_t seed, size_t n,
               struct vtb_exec *execs);
void run_one(struct vtb_runner *runner, const struct vtb_schedule *s, struct vtb_exec *x);

/* One line an event, with who was enabled, and one for the outcome, by names; a fresh string. Values that look like
 * addresses are left out. */
char *describe(const struct vtb_runner *runner, const struct vtb_exec *x);
char *describe_operations(const struct vtb_runner *runner, const struct vtb_exec *x);
uint64_t hash_text(uint64_t hash, const char *text);
#define HASH_START 0xcbf29ce484222325ull

/* The commands; argv: their own arguments. */
int command_compare(int argc, char **argv);
int command_builds(int argc, char **argv);
int command_hash(int argc, char **argv);
int command_owned(int argc, char **argv);
int command_owned_classes(int argc, char **argv);
int command_owned_covers(int argc, char **argv);
int command_owned_some(int argc, char **argv);
int command_owned_still(int argc, char **argv);
int command_owned_most(int argc, char **argv);
int command_quiet(int argc, char **argv);
int command_survive(int argc, char **argv);
int command_growth(int argc, char **argv);
int command_output(int argc, char **argv);
int command_effects(int argc, char **argv);
int command_stays(int argc, char **argv);
int command_rate(int argc, char **argv);
int command_rate_of(int argc, char **argv);
int command_native(int argc, char **argv);
int command_states(int argc, char **argv);
int command_points(int argc, char **argv);
int command_cost(int argc, char **argv);
int command_checkpoints(int argc, char **argv);
int command_checkpoints_same(int argc, char **argv);
int command_stems(int argc, char **argv);
int command_levels(int argc, char **argv);
int command_all_orders(int argc, char **argv);
int command_without_stem(int argc, char **argv);
int command_without_stem_search(int argc, char **argv);

#endif /* VTB_TEST_ENGINES_H */
