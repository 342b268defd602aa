/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stepping tracer. One thread of the program runs at a time:
 *
 *     READY  stopped; `insn` is the instruction it is about to execute
 *       | PTRACE_SINGLESTEP; what the log has to say here is written just before: until then others may come first
 *     MOVING -> stopped at the next instruction: `insn` is turned into packets   -> READY
 *            -> in a system call that blocks: others go on
 *     DEAD
 */
#include "vtb/step.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "step_private.h"
#include "step_start.h"
#include "vtb/array.h"

#define CODE_BUCKETS (1u << 16)
#define PAUSE_LOG2 15u       /* pauses of 1 to 2^14 instructions */
#define BLOCK_WAIT_USEC 300u /* a system call that takes longer lets other threads go on */

static uint64_t next_random(struct stepper *s)
{
	s->random = s->random * 6364136223846793005ull + 1442695040888963407ull; /* Knuth's MMIX generator */
	return s->random >> 33;
}

static void fail(struct stepper *s, int r)
{
	if (s->error == 0)
		s->error = r;
}

static struct thread *find_thread(struct stepper *s, pid_t tid)
{
	for (size_t i = s->n_threads; i-- > 0;) /* the system may give a number again */
		if (s->threads[i]->tid == tid)
			return s->threads[i];
	return NULL;
}

static struct thread *add_thread(struct stepper *s, pid_t tid)
{
	struct thread *t = calloc(1, sizeof(*t));
	char path[4096], name[64];

	if (!t || vtb_array_room(s, threads) < 0) {
		free(t);
		fail(s, -ENOMEM);
		return NULL;
	}
	t->tid = tid;
	t->slot = t->parent = (uint32_t)s->n_threads;
	t->state = MOVING;
	s->threads[s->n_threads++] = t;
	snprintf(path, sizeof(path), "%s/thread-%" PRIu32 ".pt", s->opts->dir, t->slot);
	if (step_packets_new(path, s->opts, s->seq, &t->packets, s->err) < 0)
		fail(s, -EIO);
	snprintf(name, sizeof(name), "thread-%" PRIu32 ".truth", t->slot);
	if (s->opts->truth)
		t->truth = step_files_create(&s->files, name, VTB_PT_TRUTH_MAGIC);
	return t;
}

static const struct step_insn *code_at(struct stepper *s, uint64_t ip)
{
	struct code *c = &s->code[(ip ^ ip >> 16) & (CODE_BUCKETS - 1)];
	uint8_t bytes[15] = { 0 };

	if (c->ip == ip)
		return &c->insn;
	if (!step_files_known(&s->files, ip)) {
		const int r = step_files_maps(&s->files);

		if (r < 0)
			fail(s, r);
	}
	step_files_read(&s->files, ip, bytes, sizeof(bytes));
	c->ip = ip;
	c->insn = step_classify(bytes);
	return &c->insn;
}

/* ------------------------------------------------------------------ one thread */

/* The thread is stopped at an instruction that it will execute next. */
static void arrive(struct stepper *s, struct thread *t)
{
	t->insn = *code_at(s, t->regs.rip);
	t->has_insn = true;
	t->started = true;
	t->state = READY;
	if (!s->opts->exact_time && !step_packets_enabled(t->packets))
		step_packets_enable(t->packets, s->seq, t->regs.rip);
}

/* The instruction at `ip` was executed and led to where the thread is now; `before`: registers it ran with. */
static void executed(struct stepper *s, struct thread *t, const struct user_regs_struct *before)
{
	const struct user_regs_struct after = t->regs;

	t->regs = *before;
	step_log_truth(s, t);
	t->regs = after;
	s->seq++;
	s->result->instructions++;
	if (t->insn.class == STEP_FAR) {
		step_packets_disable(t->packets, 0);
		return;
	}
	/* The time before the next instruction, not of it: that may be another thread's, and decoders see time packets
	 * early. */
	step_packets_executed(t->packets, s->seq - 1, &t->insn, before->rip, after.rip);
	if (s->opts->async_every && next_random(s) % s->opts->async_every == 0) {
		step_packets_disable(t->packets, after.rip);
		step_packets_enable(t->packets, s->seq, after.rip);
	}
}

static void bury(struct stepper *s, struct thread *t)
{
	int64_t n;

	if (t->state == DEAD)
		return;
	if (t->has_insn && step_packets_enabled(t->packets)) {
		/* It died in a system call, or before it could execute the instruction. */
		if (t->insn.class == STEP_FAR && t->state == MOVING) {
			step_log_truth(s, t);
			s->result->instructions++;
			step_packets_disable(t->packets, 0);
		} else {
			step_packets_disable(t->packets, t->regs.rip);
		}
	}
	t->state = DEAD;
	n = step_packets_free(t->packets);
	t->packets = NULL;
	if (n < 0)
		fail(s, (int)n);
	else
		s->result->packet_bytes += (uint64_t)n;
	if (t->truth && fclose(t->truth) != 0)
		fail(s, -EIO);
	t->truth = NULL;
}

static void move(struct stepper *s, struct thread *t)
{
	t->state = MOVING;
	if (ptrace(PTRACE_SINGLESTEP, t->tid, 0, (long)t->signal) < 0 && errno != ESRCH)
		fail(s, -errno);
	t->signal = 0;
}

/* Repeated string instructions stop at every repetition; PT sees one instruction. */
static bool repeats(const struct thread *t, uint64_t before)
{
	return t->regs.rip == before && t->insn.class == STEP_OTHER;
}

static bool is_breakpoint(struct stepper *s, uint64_t ip)
{
	uint8_t byte = 0;

	return step_files_read(&s->files, ip, &byte, 1) == 1 && byte == 0xcc;
}

/* A signal is about to be delivered: tracing breaks where the thread is, and goes on in the handler. */
static void take_signal(struct stepper *s, struct thread *t, int sig, const struct user_regs_struct *before)
{
	if (t->has_insn && t->regs.rip != before->rip)
		executed(s, t, before);
	else if (t->has_insn)
		step_log_interrupted(t);
	if (step_packets_enabled(t->packets))
		step_packets_disable(t->packets, t->regs.rip);
	t->has_insn = false;
	t->signal = sig;
	s->signalled = t->slot;
	move(s, t);
}

/* The creator is still in its system call; the child may or may not have been seen. */
static void born(struct stepper *s, struct thread *creator)
{
	unsigned long tid = 0;
	struct thread *child;

	if (ptrace(PTRACE_GETEVENTMSG, creator->tid, 0, &tid) < 0 || !tid)
		return;
	child = find_thread(s, (pid_t)tid);
	if (!child || child->state == DEAD)
		child = add_thread(s, (pid_t)tid);
	if (!child)
		return;
	child->parent = creator->slot;
	child->nth = creator->n_children++;
}

static void handle_stop(struct stepper *s, struct thread *t, int status)
{
	const int sig = WSTOPSIG(status), event = status >> 16;
	struct user_regs_struct before = t->regs;
	bool was_running = t->has_insn;

	if (event == PTRACE_EVENT_CLONE)
		born(s, t);
	if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_EXIT) { /* not yet back from the system call */
		move(s, t);
		return;
	}
	if (event == PTRACE_EVENT_EXEC) { /* another program: not ours any more */
		t->regs = before;
		bury(s, t);
		ptrace(PTRACE_DETACH, t->tid, 0, 0);
		return;
	}
	if (ptrace(PTRACE_GETREGS, t->tid, 0, &t->regs) < 0)
		return; /* it has just been killed; its end is reported next */
	if (sig == SIGSTOP && !t->started) {
		arrive(s, t); /* birth */
		return;
	}
	if (sig != SIGTRAP || (was_running && is_breakpoint(s, before.rip))) {
		take_signal(s, t, sig, &before);
		return;
	}
	if (was_running && repeats(t, before.rip)) {
		t->regs = before; /* the truth shows it with the registers it began with */
		move(s, t);
		return;
	}
	if (was_running)
		executed(s, t, &before);
	arrive(s, t);
}

static void handle(struct stepper *s, struct thread *t, int status)
{
	if (WIFSTOPPED(status)) {
		handle_stop(s, t, status);
		return;
	}
	if (t->tid == s->pid)
		s->result->status = status;
	bury(s, t);
}

/* ------------------------------------------------------------------ all threads */

/* Wait for a step to end; a system call may block, then the thread is left alone. */
static void await(struct stepper *s, struct thread *t)
{
	const bool may_block = t->insn.class == STEP_FAR;
	unsigned waited = 0;
	int status;

	while (t->state == MOVING) {
		const pid_t got = waitpid(t->tid, &status, __WALL | (may_block ? WNOHANG : 0));

		if (got == t->tid) {
			handle(s, t, status);
		} else if (got < 0 && errno != EINTR) {
			bury(s, t);
		} else if (got == 0) {
			if (waited++ >= BLOCK_WAIT_USEC / 50)
				return;
			usleep(50);
		}
	}
}

/* See whether threads in system calls have come back. */
static void poll_moving(struct stepper *s)
{
	int status;

	for (size_t i = 0; i < s->n_threads; i++) {
		struct thread *t = s->threads[i];

		if (t->state == MOVING && waitpid(t->tid, &status, __WALL | WNOHANG) == t->tid)
			handle(s, t, status);
	}
}

static bool is_awake(const struct stepper *s, const struct thread *t)
{
	return t->state == READY && t->paused_until <= s->seq;
}

/* Nobody but the paused can go on, so it does. */
static struct thread *pick_ready(struct stepper *s)
{
	size_t ready = 0, awake = 0, nth;

	for (size_t i = 0; i < s->n_threads; i++) {
		ready += s->threads[i]->state == READY;
		awake += is_awake(s, s->threads[i]);
	}
	if (!ready)
		return NULL;
	nth = next_random(s) % (awake ? awake : ready);
	for (size_t i = 0;; i++)
		if ((awake ? is_awake(s, s->threads[i]) : s->threads[i]->state == READY) && nth-- == 0)
			return s->threads[i];
}

static bool any_alive(const struct stepper *s)
{
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i]->state != DEAD)
			return true;
	return false;
}

/* Nobody can run: wait for whoever comes back or is born. False when nobody is left. */
static bool wait_any(struct stepper *s)
{
	struct thread *t;
	int status;
	const pid_t tid = waitpid(-1, &status, __WALL);

	if (tid < 0)
		return errno == EINTR;
	t = find_thread(s, tid);
	if (!t)
		t = add_thread(s, tid);
	if (t)
		handle(s, t, status);
	return true;
}

/* The limit is reached: let everybody run freely to the end. */
static void let_go(struct stepper *s)
{
	int status;
	pid_t tid;

	s->result->limited = true;
	for (size_t i = 0; i < s->n_threads; i++) {
		struct thread *t = s->threads[i];
		const bool stopped = t->state == READY;
		const bool alive = t->state != DEAD;

		if (!alive)
			continue;
		bury(s, t);
		if (stopped)
			ptrace(PTRACE_DETACH, t->tid, 0, (long)t->signal);
	}
	while ((tid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (tid > 0 && WIFSTOPPED(status))
			ptrace(PTRACE_DETACH, tid, 0,
			       WSTOPSIG(status) == SIGTRAP || WSTOPSIG(status) == SIGSTOP ? 0 : (long)WSTOPSIG(status));
		else if (tid == s->pid)
			s->result->status = status;
	}
}

/* Noise: whoever is between two accesses of the program's own waits there for a while, so that what can come between
 * does. */
static bool pauses(struct stepper *s, struct thread *t)
{
	if (!s->opts->noise || !step_files_own(&s->files, t->regs.rip) || next_random(s) % s->opts->noise != 0)
		return false;
	t->paused_until = s->seq + (1ull << next_random(s) % PAUSE_LOG2);
	return true;
}

/* With exact time, a thread's trace ends where its turn does, and begins anew with the time of its next. */
static void switch_trace(struct stepper *s, struct thread *t)
{
	struct thread *last = s->running;

	if (s->opts->exact_time && last && last != t && last->state == READY && step_packets_enabled(last->packets))
		step_packets_disable(last->packets, last->regs.rip);
	s->running = t;
}

static void take_turn(struct stepper *s, struct thread *t)
{
	const uint32_t quantum = s->opts->quantum ? s->opts->quantum : 40;
	const uint64_t n = 1 + next_random(s) % quantum;

	switch_trace(s, t);
	t->paused_until = 0;
	for (uint64_t i = 0; i < n && t->state == READY && s->error == 0 && !(i && pauses(s, t)); i++) {
		if (!step_packets_enabled(t->packets))
			step_packets_enable(t->packets, s->seq, t->regs.rip);
		step_log_here(s, t);
		move(s, t);
		await(s, t);
	}
	s->seq += t->state == MOVING; /* the time at which it went into the system call is its own */
}

static void run(struct stepper *s)
{
	while (any_alive(s) && s->error == 0) {
		struct thread *t;
		poll_moving(s);
		t = pick_ready(s);
		if (!t) {
			if (!wait_any(s))
				break;
			continue;
		}
		take_turn(s, t);
		if (s->opts->max_instructions && s->result->instructions >= s->opts->max_instructions) {
			let_go(s);
			return;
		}
	}
}

/* ------------------------------------------------------------------ start */

static int begin(struct stepper *s)
{
	struct thread *t;
	int status, r = 0;

	s->pid = step_start(s->opts);
	if (s->pid < 0)
		return vtb_error_set(s->err, -errno, NULL, 0, "cannot fork: %s", strerror(errno));
	if (waitpid(s->pid, &status, 0) != s->pid || !WIFSTOPPED(status))
		return vtb_error_set(s->err, -VTB_E_TARGET, s->opts->program, 0, "the program cannot be started");
	if (ptrace(PTRACE_SETOPTIONS, s->pid, 0, PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) < 0)
		return vtb_error_set(s->err, -VTB_E_TARGET, s->opts->program, 0, "the program cannot be traced: %s",
		                     strerror(errno));
	if (!s->opts->from_exec)
		r = step_to_entry(s->pid);
	if (r < 0)
		return vtb_error_set(s->err, r, s->opts->program, 0, "the program did not reach its first instruction");
	r = step_files_open(&s->files, s->opts->dir, s->pid, s->err);
	if (r < 0)
		return r;
	t = add_thread(s, s->pid);
	if (!t)
		return -ENOMEM;
	ptrace(PTRACE_GETREGS, s->pid, 0, &t->regs);
	r = step_files_maps(&s->files);
	if (r >= 0)
		r = step_files_data(&s->files, t->regs.rsp);
	if (r < 0)
		return vtb_error_set(s->err, r, s->opts->dir, 0, "cannot write the recording: %s", vtb_strerror(r));
	arrive(s, t);
	return 0;
}

static void end(struct stepper *s)
{
	int status;

	if (s->error != 0 && s->pid > 0)
		kill(s->pid, SIGKILL);
	while (s->error != 0 && s->pid > 0 && (waitpid(-1, &status, __WALL) > 0 || errno == EINTR))
		continue;
	for (size_t i = 0; i < s->n_threads; i++)
		bury(s, s->threads[i]);
}

int vtb_step_run(const struct vtb_step_opts *opts, struct vtb_step_result *ret, struct vtb_error *err)
{
	struct vtb_step_result result = { 0 };
	struct stepper s = { .opts = opts, .result = &result, .err = err, .seq = 1, .random = opts->seed * 2 + 1 };
	int r;

	s.code = calloc(CODE_BUCKETS, sizeof(*s.code));
	if (!s.code)
		return -ENOMEM;
	r = begin(&s);
	if (r >= 0)
		run(&s);
	if (r < 0)
		fail(&s, r);
	end(&s);
	result.threads = (uint32_t)s.n_threads;
	if (s.error == 0)
		fail(&s, step_log_json(&s));
	if (s.files.dir && step_files_close(&s.files) < 0)
		fail(&s, -EIO);
	for (size_t i = 0; i < s.n_threads; i++)
		free(s.threads[i]);
	free(s.threads);
	free(s.code);
	if (s.error < 0)
		return r < 0 ? r
		             : vtb_error_set(err, s.error, opts->dir, 0, "cannot record: %s", vtb_strerror(s.error));
	*ret = result;
	return 0;
}
