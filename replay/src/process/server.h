/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program as a server of schedules: its process block, starting and ending it, one schedule in, one result out.
 *
 *   arena   | schedule 0 | schedule 1 | ... | events 0 | events 1 | ... | view | output | series 0 | series 1 | ...
 *
 * A schedule, or a series of them, and events and results of a series for each slot; the output is that of the run last
 * made.
 *
 * Engine forkserver: one process that forks a child for each schedule, up to `slots` in flight. Engine exec: a process
 * for each schedule, one slot. Either way results are taken in the order in which schedules were posted.
 */
#ifndef VTB_SERVER_H
#define VTB_SERVER_H

#include "vtb/block.h"
#include "vtb/launch.h"
#include "view_plan.h"

#include <limits.h>

struct server_opts {
	const struct vtb_target *target;
	const struct vtb_runtime_paths *runtime;
	char *const *argv;
	const char *cwd;
	enum vtb_wire_engine engine;
	enum vtb_wire_carrier carrier;
	enum vtb_wire_dirty dirty; /* engine snapshot */
	uint32_t options;
	uint32_t slots;
	uint32_t follow;    /* header.follow */
	uint32_t pool;      /* engine snapshot: threads to prepare; 0: the runtime's default */
	uint32_t processor; /* header.processor */
	uint32_t timeout_msec;
	uint64_t schedule_bytes, events_bytes; /* of one slot; grow */
	bool random_addresses;                 /* of each process */
	bool errors_apart;                     /* standard error goes to a file of its own; without VTB_OPT_CAPTURE */
	const struct vtb_wire_break *breaks;   /* addresses relative to their module */
	size_t n_breaks;
	const struct vtb_call_sites *sites; /* calls of hooks to take over, with those that are off; NULL: none */
	const struct vtb_blind_code *blind; /* instructions that are to have a hook; NULL: none */
	const struct view *view;            /* how it sees files; NULL: as we do */
	struct vtb_stop *stop;
};

struct server {
	struct server_opts opts;
	struct vtb_block block;
	struct vtb_child child;
	int output_fd;          /* memfd that the program's output goes to; high number; -1 none */
	int error_fd;           /* the same for standard error, if errors are apart; -1: it goes there, too */
	int64_t stdin_start;    /* offset of our input if it is a file: every process begins there */
	uint32_t posted, taken; /* since the server was started */
	uint32_t restarts;
	bool aslr_off;
	char stuck[200];       /* what the run that was stopped last was doing */
	uint32_t stopped_msec; /* and after what time */
	bool impatient;        /* a run had to be stopped */
	uint32_t longest_msec; /* of the runs that ended */
	uint32_t waits,
	    spun_in_vain;     /* for results; of late, more that were too long to be spent looking than were not */
	uint64_t waited_nsec; /* for results, in all */
	uint64_t accesses;    /* of earlier servers */
	uint32_t uncontrolled;
	uint64_t output_used; /* of the result last taken: struct vtb_wire_slot */
	char room[PATH_MAX];  /* in view->scratch; "" none */
	bool room_full;       /* the run at hand was stopped for that */
	uint64_t look_again;  /* msec: whether it is full */
	uint64_t *prints;     /* series.c: by class number of the server now running */
	size_t n_prints, cap_prints;
	uint64_t prints_to; /* runner.told_to when they were given */
	uint64_t *spare;    /* memory for the next result's words, or NULL */
};

/* What came back of one schedule; `words` are the server's until the next take. */
struct server_result {
	struct vtb_wire_outcome outcome;
	uint64_t *words; /* owned, free() */
	size_t n_words;
};

void vtb_server_init(struct server *s, const struct server_opts *opts);
void vtb_server_fini(struct server *s);

/* Start it (forkserver) or only make the block (exec). -VTB_E_TARGET if it does not come to life. */
int vtb_server_start(struct server *s, struct vtb_error *err);
/* End it and everything it started; the block stays. */
void vtb_server_stop(struct server *s);
/* Is there something to post to? */
bool vtb_server_is_up(const struct server *s);
/* More room: the next start makes a new block. Stops the server. */
void vtb_server_grow(struct server *s, uint64_t schedule_bytes, uint64_t events_bytes);

/* Schedules that may be posted before one must be taken. */
static inline uint32_t vtb_server_room(const struct server *s)
{
	return s->opts.slots - (s->posted - s->taken);
}

/* Is it time to post more? A server that has done all that there was sleeps: it is woken for several at a time. */
static inline bool vtb_server_wants(const struct server *s)
{
	const uint32_t room = vtb_server_room(s);

	return room == s->opts.slots || room > s->opts.slots / 2;
}

/* Post an encoded schedule of at most opts.schedule_bytes. There must be room. */
void vtb_server_post(struct server *s, const void *schedule, size_t size);
/* Several, one behind the other, `size` bytes: a series (vtb/wire.h). At most SERVER_SERIES of them at a time. */
#define SERVER_SERIES 4u
void vtb_server_post_series(struct server *s, const void *schedules, size_t size, uint32_t runs);
/* Wait for the oldest posted schedule. A server that dies or hangs over it is stopped, and the outcome says so
 * (VTB_OUT_CRASHED, verdict timeout): then the younger ones must be posted again. -EINTR, -ECANCELED: stopped; -ENOMEM;
 * -VTB_E_UNSUPPORTED: engine snapshot does not work in this program, header.trouble says why, and nothing was taken. */
int vtb_server_take(struct server *s, struct server_result *ret, struct vtb_error *err);

/* What came of a series: its first `done` runs were made. */
struct server_series {
	uint32_t done, told;
	uint32_t area;                              /* of events, in which they lie; until the next one is posted */
	uint32_t classes[VTB_SERIES_RUNS];          /* by run: number in this server, VTB_CLASS_NONE */
	struct vtb_wire_told runs[VTB_SERIES_TOLD]; /* that were told: which they are, and where their events lie */
};
/* Wait for the oldest posted schedule, which is a series of so many. SERVER_LOST: the server died or hung or made no
 * sense, and is stopped; nothing was taken. -EINTR, -ECANCELED: stopped. (server_series.c) */
enum { SERVER_LOST = 1 };
int vtb_server_take_series(struct server *s, uint32_t runs, struct server_series *ret, struct vtb_error *err);
/* The kth run that was told, before the next series is posted. 0 or -ENOMEM. */
int vtb_server_take_told(struct server *s, const struct server_series *r, uint32_t k, struct server_result *ret);
/* The same, on the heap; NULL: no memory. */
struct server_result *vtb_server_keep_told(struct server *s, const struct server_series *r, uint32_t k);
/* The print of a class of this server; NULL: there is no room, or the number makes no sense. */
#define VTB_PRINTS_MAX (1u << 20) /* classes of one server */
uint64_t *vtb_server_print(struct server *s, uint32_t class);
/* All prints, and memory kept for results. */
void vtb_server_forget(struct server *s);

/* Become the program with this one schedule, on our own standard descriptors. Returns only on error. */
int vtb_server_exec(struct server *s, const void *schedule, size_t size, struct vtb_error *err);

/* Say again which of opts.sites are on. Nothing may be in flight; takes effect with the next run. */
void vtb_server_set_sites(struct server *s);
/* Of a block that is as new: the instructions of opts.blind. */
void vtb_server_set_blinds(struct server *s);

/* Write the breakpoints' runtime addresses: called when the modules are known, before the first post. */
void vtb_server_set_breaks(struct server *s, const struct vtb_wire_break *breaks, size_t n);

/* ---- server_output.c */
/* The same descriptor under a number that is out of the program's way. */
int vtb_server_to_high(int fd);
int vtb_server_make_output(struct server *s, struct vtb_error *err);
void vtb_server_close_output(struct server *s);
/* What a program wrote before it died at its start: usually the reason, shortened to one line. */
void vtb_server_last_words(const struct server *s, char *out, size_t size);
/* Of what it has printed, as far as that is kept: VTB_OUTPUT_MAX. */
void vtb_server_hash_output(struct server *s, struct vtb_wire_outcome *o);
/* Give back the memory of the rest. */
void vtb_server_limit_output(const struct server *s);
/* What the run last made has printed, no more than `max` bytes of it, the first ones or those at the `end`: as the
 * result last taken says, which should be that run's. Owned; NULL: none. *ret_all: bytes in all. */
char *vtb_server_output(const struct server *s, size_t max, bool end, size_t *ret_size, uint64_t *ret_all);

/* ---- server_parts.c */
void vtb_server_set_view(const struct server *s, struct vtb_fsview *v);
int vtb_server_make_room(struct server *s, struct vtb_error *err);
/* How much of what a run says that its events take there is; more than there is room for was written over. Whole words.
 */
uint64_t vtb_server_in_room(uint64_t used, uint64_t room, struct vtb_wire_outcome *outcome);
/* Has the run at hand written more to the disk than it may? */
bool vtb_server_room_is_full(struct server *s);
int vtb_server_expand(struct server *s, const uint64_t *words, uint64_t bytes, struct server_result *ret);
/* Instead of free(): the next result may have that memory. NULL is fine. */
void vtb_server_give_back(struct server *s, uint64_t *words);

/* ---- server_wait.c */
enum server_end { SERVER_DONE, SERVER_DIED, SERVER_HUNG };
/* Until the slot is DONE, the server is dead, or time is over. *ret_killed: the run was killed because of its time.
 * -EINTR, -ECANCELED. */
int vtb_server_wait_slot(struct server *s, struct vtb_wire_slot *slot, bool *ret_killed, int *ret_status,
                         int *ret_signal);
int vtb_server_wait_process(struct server *s, struct vtb_wire_slot *slot, bool *ret_killed, int *ret_status,
                            int *ret_signal);
/* Kill it, if there is one, after it has removed what the run that it is making has made. */
void vtb_server_end_child(struct server *s);
/* Until the runtime has reported in the new server. SERVER_*, -EINTR or -ECANCELED. */
int vtb_server_wait_start(struct server *s, int *ret_status, int *ret_signal);

#endif /* VTB_SERVER_H */
