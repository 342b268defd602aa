/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the stepper writes beside packets: the log of calls, the truth for tests, pt.json. */
#include "step_private.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "vtb/json.h"

void step_log_call(struct stepper *s, const struct thread *t, uint8_t phase, uint16_t function, uint8_t n)
{
	const struct user_regs_struct *r = &t->regs;
	const uint64_t args[6] = { r->rdi, r->rsi, r->rdx, r->rcx, r->r8, r->r9 };
	struct vtb_pt_log log = {
		.tsc = s->seq,
		.ip = r->rip,
		.rsp = r->rsp,
		.fs_base = r->fs_base,
		.slot = t->slot,
		.function = function,
		.phase = phase,
		.known = VTB_PT_LOG_RSP | VTB_PT_LOG_FS | VTB_PT_LOG_REGS,
	};

	memcpy(log.regs, args, n * sizeof(*args));
	if (phase == VTB_PT_PHASE_RETURN)
		log.regs[0] = r->rax;
	s->files.failed |= fwrite(&log, sizeof(log), 1, s->files.log) != 1;
}

/* Calls left through longjmp or exception never return: their frames are gone. */
static void drop_dead_calls(struct thread *t)
{
	while (t->n_returns && t->regs.rsp > t->returns[t->n_returns - 1].rsp)
		t->n_returns--;
}

void step_log_interrupted(struct thread *t)
{
	t->told_ip = t->regs.rip;
	t->told_rsp = t->regs.rsp;
}

/* Back from a signal handler, at an instruction that the log has spoken of? */
static bool was_told(struct thread *t)
{
	const bool told = t->told_ip == t->regs.rip && t->told_rsp == t->regs.rsp;

	if (told)
		t->told_ip = 0;
	return told;
}

void step_log_here(struct stepper *s, struct thread *t)
{
	const struct step_hook *hook = step_files_hook(&s->files, t->regs.rip);
	uint64_t ret;

	if (!t->told_birth)
		step_log_call(s, t, VTB_PT_PHASE_START, VTB_PT_FN_NONE, 1);
	t->told_birth = true;
	if (was_told(t))
		return;
	drop_dead_calls(t);
	if (t->n_returns && t->regs.rip == t->returns[t->n_returns - 1].ip &&
	    t->regs.rsp == t->returns[t->n_returns - 1].rsp)
		step_log_call(s, t, VTB_PT_PHASE_RETURN, t->returns[--t->n_returns].function, 1);
	if (!hook)
		return;
	step_log_call(s, t, VTB_PT_PHASE_ENTRY, hook->function, hook->args);
	if (hook->function == VTB_PT_FN_THREAD_CREATE)
		step_files_add_hook(&s->files, t->regs.rdx, VTB_PT_FN_START_ROUTINE, 1);
	if (t->n_returns < RETURNS_MAX && step_files_read(&s->files, t->regs.rsp, &ret, 8) == 8)
		t->returns[t->n_returns++] = (struct pending){ ret, t->regs.rsp + 8, hook->function };
}

void step_log_truth(struct stepper *s, struct thread *t)
{
	const struct user_regs_struct *r = &t->regs;
	const uint64_t now[VTB_PT_TRUTH_REGS] = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi,     r->rdi,
		                                  r->rbp, r->rsp, r->r8,  r->r9,  r->r10,     r->r11,
		                                  r->r12, r->r13, r->r14, r->r15, r->fs_base, r->eflags };
	struct vtb_pt_truth rec = { .tsc = s->seq, .ip = r->rip };
	uint64_t out[VTB_PT_TRUTH_REGS];
	unsigned n = 0;

	if (!t->truth)
		return;
	for (unsigned i = 0; i < VTB_PT_TRUTH_REGS; i++)
		if (!t->shown_any || now[i] != t->shown[i]) {
			rec.changed |= 1u << i;
			out[n++] = now[i];
		}
	memcpy(t->shown, now, sizeof(now));
	t->shown_any = true;
	s->files.failed |= fwrite(&rec, sizeof(rec), 1, t->truth) != 1 || fwrite(out, 8, n, t->truth) != n;
}

static void write_builds(const struct stepper *s, struct vtb_json_writer *w)
{
	vtb_json_array(w, "modules");
	for (size_t i = 0; i < s->files.n_builds; i++) {
		const struct step_build *b = &s->files.builds[i];
		char hex[2 * sizeof(b->id) + 1] = "";

		for (uint32_t k = 0; k < b->id_size; k++)
			snprintf(hex + 2 * k, 3, "%02x", b->id[k]);
		vtb_json_object_row(w, NULL);
		vtb_json_string(w, "path", b->path);
		vtb_json_string(w, "build_id", hex);
		vtb_json_end(w);
	}
	vtb_json_end(w);
}

int step_log_json(struct stepper *s)
{
	FILE *file = step_files_create(&s->files, "pt.json", NULL);
	struct vtb_json_writer w;

	if (!file)
		return -errno;
	vtb_json_begin(&w, file);
	vtb_json_object(&w, NULL);
	vtb_json_string(&w, "format", VTB_PT_RECORD_FORMAT);
	vtb_json_u64(&w, "version", VTB_PT_RECORD_VERSION);
	vtb_json_string(&w, "source", "step");
	vtb_json_string(&w, "clock", "instructions");
	vtb_json_string(&w, "order", s->opts->exact_time ? "total" : "partial");
	if (WIFSIGNALED(s->result->status))
		vtb_json_u64(&w, "died", s->signalled);
	vtb_json_array(&w, "threads");
	for (size_t i = 0; i < s->n_threads; i++) {
		vtb_json_object_row(&w, NULL);
		vtb_json_u64(&w, "slot", s->threads[i]->slot);
		vtb_json_u64(&w, "tid", (uint64_t)s->threads[i]->tid);
		if (s->threads[i]->parent != s->threads[i]->slot) {
			vtb_json_u64(&w, "parent", s->threads[i]->parent);
			vtb_json_u64(&w, "nth", s->threads[i]->nth);
		}
		vtb_json_end(&w);
	}
	vtb_json_end(&w);
	write_builds(s, &w);
	vtb_json_finish(&w);
	return fclose(file) == 0 ? 0 : -EIO;
}
