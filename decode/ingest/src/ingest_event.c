/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One record to one event: what the words mean for each family of kinds. */
#include "ingest_private.h"

#include <errno.h>
#include <string.h>

#include "vtb/array.h"

int64_t ingest_thread_of_slot(struct vtb_ingest *in, uint64_t slot)
{
	if (slot >= in->n_slots || in->slots[slot] == VTB_NONE)
		return -VTB_E_FORMAT;
	return in->slots[slot];
}

int vtb_ingest_set_slot(struct vtb_ingest *in, uint64_t slot, uint32_t thread)
{
	if (slot >= VTB_WIRE_THREADS_MAX)
		return -VTB_E_LIMIT;
	while (in->n_slots <= slot) {
		if (vtb_array_room(in, slots) < 0)
			return -ENOMEM;
		in->slots[in->n_slots++] = VTB_NONE;
	}
	in->slots[slot] = thread;
	if (slot < FEW_SLOTS - 1)
		in->bits[slot + 1] = thread < 64    ? (slot_bits){ 1ull << thread, 0 }
		                     : thread < 128 ? (slot_bits){ 0, 1ull << (thread - 64) }
		                                    : (slot_bits){ 0, 0 };
	return 0;
}

/* A new thread: its slot, its place in the tree, where and with what it starts. */
static int64_t thread_created(struct vtb_ingest *in, uint32_t creator, const struct vtb_raw_record *rec, uint32_t site)
{
	int64_t id;
	int r;

	if (rec->value > UINT32_MAX)
		return -VTB_E_FORMAT;
	id = vtb_symtab_thread(in->tab, creator, (uint32_t)rec->value);
	if (id < 0)
		return id;
	r = vtb_ingest_set_slot(in, rec->addr, (uint32_t)id);
	if (r < 0)
		return r;
	if (in->tab->threads[id].site == VTB_NONE)
		in->tab->threads[id].site = site;
	if (rec->arg && !*in->tab->threads[id].start) {
		const struct vtb_ingest_module *m = vtb_ingest_module_at(in, rec->arg);
		struct vtb_place place = { .function = "" };

		if (m)
			vtb_symbols_place(in->symbols, m->path, rec->arg - m->base, &place);
		in->tab->threads[id].start = vtb_symtab_string(in->tab, place.function);
		if (!in->tab->threads[id].start)
			return -ENOMEM;
	}
	return id;
}

/* The error number of try and timed forms is their value, unless a value word says more. */
static void set_value(struct vtb_event *e, const struct vtb_raw_record *rec, bool result)
{
	if (!(rec->flags & VTB_REC_VALUE) && !result)
		return;
	e->value = rec->value || !result ? rec->value : rec->result;
	e->flags |= VTB_EVF_VALUE;
}

static int thread_event(struct vtb_ingest *in, uint32_t thread, const struct vtb_raw_record *rec, struct vtb_event *e)
{
	int64_t target = thread, var;

	if (e->kind == VTB_E_PROCESS_EXIT || e->kind == VTB_E_FORK) {
		set_value(e, rec, rec->result != 0);
		var = ingest_env(in, "process");
	} else {
		if (e->kind == VTB_E_THREAD_CREATE)
			target = thread_created(in, thread, rec, e->site);
		else if (e->kind != VTB_E_THREAD_BEGIN && e->kind != VTB_E_THREAD_END) {
			set_value(e, rec, true);
			target = ingest_thread_of_slot(in, rec->addr);
		}
		if (target < 0)
			return (int)target;
		var = ingest_thread_handle(in, (uint32_t)target);
	}
	e->addr = 0;
	e->var = (uint32_t)var;
	return var < 0 ? (int)var : 0;
}

static int memory_event(struct vtb_ingest *in, const struct vtb_raw_record *rec, struct vtb_event *e)
{
	int64_t var;

	set_value(e, rec, false);
	if (e->kind == VTB_E_FENCE)
		return 0;
	e->size = rec->size_log2 <= CLASS_SIZE_MAX ? 1u << rec->size_log2
	          : rec->arg < UINT32_MAX          ? (uint32_t)rec->arg
	                                           : UINT32_MAX;
	var = ingest_address(in, rec->addr, rec->size_log2 <= CLASS_SIZE_MAX ? rec->size_log2 : CLASS_OTHER, e->size);
	e->var = (uint32_t)var;
	return var < 0 ? (int)var : 0;
}

static int sync_event(struct vtb_ingest *in, const struct vtb_raw_record *rec, struct vtb_event *e)
{
	int64_t var = ingest_address(in, rec->addr, CLASS_SYNC, 0);

	set_value(e, rec, true);
	e->var = (uint32_t)var;
	if (rec->addr & VTB_IO_NAMED && vtb_event_info(e->kind)->family == VTB_FAMILY_RWLOCK)
		e->flags |= VTB_EVF_TRY; /* of a file: who has it is the kernel's affair, and who must wait has tried */
	if (var >= 0 && (e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE)) {
		var = ingest_address(in, rec->arg, CLASS_SYNC, 0); /* the mutex; none if the record does not tell */
		e->aux = (uint32_t)var;
	}
	return var < 0 ? (int)var : 0;
}

static bool of_file_lock(const struct vtb_raw_record *rec)
{
	return rec->addr & VTB_IO_NAMED && (rec->addr >> VTB_IO_KIND_SHIFT & 31) == VTB_IO_FILE_LOCK;
}

/* Clock, streams, signals: objects of the environment, by name. */
static int env_event(struct vtb_ingest *in, enum vtb_family family, const struct vtb_raw_record *rec,
                     struct vtb_event *e)
{
	int64_t var = VTB_NONE;

	set_value(e, rec, false);
	if (!(e->flags & VTB_EVF_VALUE) && rec->flags & VTB_REC_ARG && family != VTB_FAMILY_IO) {
		e->value = family == VTB_FAMILY_SIGNAL ? rec->arg & 255 : rec->arg;
		e->flags |= VTB_EVF_VALUE;
	}
	if (family == VTB_FAMILY_IO) {
		if (e->kind == VTB_E_IO_WRITE && of_file_lock(rec))
			e->flags |= VTB_EVF_TRY;
		var = ingest_stream(in, rec->addr ? rec->addr : rec->arg);
	} else if (e->kind == VTB_E_SIGNAL_OPEN) {
		var = VTB_NONE;
	} else if (family == VTB_FAMILY_SIGNAL) {
		const unsigned number = (unsigned)(rec->arg & 255); /* 0: a wait that any handler ends */
		const char *name =
		    number ? vtb_symtab_printf(in->tab, "signal %u", number) : vtb_symtab_printf(in->tab, "any signal");

		var = name ? ingest_env(in, name) : -ENOMEM;
	} else if (e->kind != VTB_E_YIELD) {
		var = ingest_env(in, "clock");
	}
	e->addr = 0;
	e->var = (uint32_t)var;
	return var < 0 ? (int)var : 0;
}

static int heap_event(struct vtb_ingest *in, uint32_t thread, const struct vtb_raw_record *rec, struct vtb_event *e)
{
	int r;

	e->size = rec->arg < UINT32_MAX ? (uint32_t)rec->arg : UINT32_MAX;
	if (e->kind == VTB_E_FREE) {
		r = ingest_free(in, rec, e);
	} else {
		r = ingest_alloc(in, thread, rec);
		e->var = VTB_NONE; /* named when somebody touches it */
	}
	return r;
}

/* BLOCK and PENDING: the object of the operation waited at. */
static int waiting_event(struct vtb_ingest *in, uint32_t thread, const struct vtb_raw_record *rec, struct vtb_event *e)
{
	const struct vtb_event_info *info = rec->arg < VTB_EVENT_KINDS ? vtb_event_info((unsigned)rec->arg) : NULL;
	struct vtb_event inner = *e;
	struct vtb_raw_record as = *rec;
	int r;

	e->aux = 0;
	if (!info)
		return rec->arg ? -VTB_E_FORMAT : 0; /* 0: running, at no operation */
	inner.kind = as.kind = (uint8_t)rec->arg;
	inner.flags = 0;
	as.flags &= (uint8_t)~VTB_REC_ARG;
	as.arg = 0;
	if (info->family == VTB_FAMILY_RUN || inner.kind == VTB_E_THREAD_CREATE || info->family == VTB_FAMILY_HEAP ||
	    info->family == VTB_FAMILY_STACK) {
		e->aux = inner.kind; /* not done: there is no object yet */
		return 0;
	}
	r = vtb_ingest_event(in, thread, &as, &inner);
	e->aux = inner.kind;
	e->var = inner.var;
	e->addr = inner.addr;
	e->size = inner.size;
	e->order = inner.order;
	return r;
}

/* The last that the run gave it. */
static int thread_name(struct vtb_ingest *in, const struct vtb_raw_record *rec)
{
	const int64_t thread = ingest_thread_of_slot(in, rec->addr);
	char text[2 * sizeof(uint64_t) + 1] = "";
	const char *name;

	if (thread < 0)
		return (int)thread;
	memcpy(text, &rec->value, sizeof(rec->value));
	memcpy(text + sizeof(rec->value), &rec->arg, sizeof(rec->arg));
	name = vtb_symtab_string(in->tab, text);
	if (!name)
		return -ENOMEM;
	in->tab->threads[thread].name = name;
	in->named = true;
	return 0;
}

static int run_event(struct vtb_ingest *in, uint32_t thread, const struct vtb_raw_record *rec, struct vtb_event *e)
{
	switch (e->kind) {
	case VTB_E_BLOCK:
	case VTB_E_PENDING:
		return waiting_event(in, thread, rec, e);
	case VTB_E_FAIL:
		if (rec->arg >= VTB_VERDICTS)
			return -VTB_E_FORMAT;
		e->aux = (uint32_t)rec->arg;
		e->addr = 0;
		return 0;
	case VTB_E_OWNED:
		if (!rec->value || rec->value > VTB_OWNED_MAX)
			return -VTB_E_FORMAT;
		set_value(e, rec, false);
		return 0;
	case VTB_E_THREAD_NAME:
		return thread_name(in, rec);
	case VTB_E_LOST:
		e->addr = 0;
		set_value(e, rec, false);
		return 0;
	default:
		set_value(e, rec, false);
		return 0;
	}
}

static bool is_access(unsigned kind)
{
	const enum vtb_family family = vtb_event_info(kind)->family;

	return family == VTB_FAMILY_MEMORY || family == VTB_FAMILY_ATOMIC;
}

int vtb_ingest_event(struct vtb_ingest *in, uint32_t thread, const struct vtb_raw_record *rec, struct vtb_event *e)
{
	const int64_t site =
	    in->breaks.n && !is_access(rec->kind) ? ingest_return_site(in, rec->pc) : ingest_site(in, rec->pc);
	const struct vtb_event_info *info;
	int r;

	*e = (struct vtb_event){
		.addr = rec->addr, .var = VTB_NONE, .kind = rec->kind, .thread = (uint16_t)thread, .order = rec->order
	};
	if (site < 0)
		return (int)site;
	e->site = (uint32_t)site;
	if (rec->kind == VTB_E_READ || rec->kind == VTB_E_WRITE) /* by far the most; neither acquires nor releases */
		return memory_event(in, rec, e);
	info = vtb_event_info(rec->kind);
	switch (info->family) {
	case VTB_FAMILY_MEMORY:
	case VTB_FAMILY_ATOMIC:
		r = memory_event(in, rec, e);
		break;
	case VTB_FAMILY_THREAD:
		r = thread_event(in, thread, rec, e);
		break;
	case VTB_FAMILY_HEAP:
		r = heap_event(in, thread, rec, e);
		break;
	case VTB_FAMILY_CLOCK:
	case VTB_FAMILY_IO:
	case VTB_FAMILY_SIGNAL:
		r = env_event(in, info->family, rec, e);
		break;
	case VTB_FAMILY_STACK:
		r = ingest_frame(in, rec);
		break;
	case VTB_FAMILY_RUN:
		r = run_event(in, thread, rec, e);
		break;
	default:
		r = sync_event(in, rec, e);
		break;
	}
	vtb_event_classify(e);
	return r;
}
