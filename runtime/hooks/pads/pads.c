/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pads: where they are, and what happens at one. Accesses go the way that they go in builds with -fsanitize=thread
 * (instr.c, instr_atomic.c). What an instruction does not say is assumed: every atomic operation is sequentially
 * consistent.
 */
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "base.h"
#include "instr.h"
#include "pads.h"
#include "rewrite.h"
#include "scheduler.h"
#include "vtb/pad_site.h"

/* ---- where they are */

static const struct vtb_pad_note *note_in(const struct dl_phdr_info *info, const ElfW(Phdr) * ph)
{
	const char *p = (const char *)(info->dlpi_addr + ph->p_vaddr), *end = p + ph->p_memsz;
	const uint64_t align = ph->p_align == 8 ? 7 : 3;

	while (p + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *n = (const void *)p;
		const char *name = p + sizeof(*n), *desc = p + ((sizeof(*n) + n->n_namesz + align) & ~align);

		if (desc + n->n_descsz > end)
			break;
		if (n->n_type == VTB_PAD_NOTE && n->n_namesz == 4 && !memcmp(name, "VTB", 4) &&
		    n->n_descsz >= sizeof(struct vtb_pad_note) &&
		    ((const struct vtb_pad_note *)desc)->version == VTB_PAD_VERSION)
			return (const void *)desc;
		p = desc + ((n->n_descsz + align) & ~align);
	}
	return NULL;
}

static const struct vtb_pad_note *note_of(const struct dl_phdr_info *info)
{
	const struct vtb_pad_note *note = NULL;

	for (int i = 0; i < info->dlpi_phnum && !note; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			note = note_in(info, &info->dlpi_phdr[i]);
	return note;
}

static int has_note(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	return note_of(info) != NULL;
}

bool vtb_pads_present(void)
{
	return dl_iterate_phdr(has_note, NULL) != 0;
}

/* ---- switching them on */

static const uint8_t off[VTB_PAD_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

/* False: what stands there is not what was compiled. */
static bool switch_on(const struct vtb_pad_site *s)
{
	uint8_t *pad = vtb_pad_at(&s->pad);
	const int32_t distance = (int32_t)((const uint8_t *)vtb_pad_at(&s->stub) - (pad + VTB_PAD_SIZE));

	if (pad[0] == 0xe9)
		return true;
	for (uint32_t i = 0; i < VTB_PAD_SIZE; i++)
		if (pad[i] != off[i])
			return false;
	memcpy(pad + 1, &distance, sizeof(distance));
	pad[0] = 0xe9; /* jmp */
	return true;
}

uint8_t *vtb_pads_call(uint8_t *stub, const uint8_t *end, uint32_t info)
{
	for (uint8_t *at = stub; at + 18 <= stub + VTB_PAD_STUB_LOOK; at++) {
		int32_t to_pad;
		uint32_t word;

		memcpy(&word, at + 1, 4);
		memcpy(&to_pad, at + 8, 4);
		if (at[0] == 0xb9 && word == info && at[5] == 0x48 && at[6] == 0x8d && at[7] == 0x15 &&
		    at + 12 + to_pad == end && at[12] == 0xff && at[13] == 0x15)
			return at;
	}
	return NULL;
}

static bool protect(const struct dl_phdr_info *info, int extra)
{
	bool done = true;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const uint64_t lo = (info->dlpi_addr + ph->p_vaddr) & ~4095ull,
		               hi = (info->dlpi_addr + ph->p_vaddr + ph->p_memsz + 4095) & ~4095ull;

		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X)
			done &= sys3(SYS_mprotect, (long)lo, (long)(hi - lo),
			             PROT_READ | PROT_EXEC | (ph->p_flags & PF_W ? PROT_WRITE : 0) | extra) == 0;
	}
	return done;
}

/* NULL: they are on; or why they are not. */
static const char *sites_on(const struct dl_phdr_info *info, const struct vtb_pad_note *note, bool shortens)
{
	const struct vtb_pad_site *s = vtb_pad_at(&note->sites_begin), *end = vtb_pad_at(&note->sites_end);
	const char *why = NULL;

	if (!protect(info, PROT_WRITE))
		return "pads could not be switched on: the system does not let the program's code be written";
	for (; s < end; s++)
		if (s->stub && !switch_on(s))
			why = "a pad of the program is not what the compiler has put there";
		else if (shortens && s->stub)
			vtb_pads_shorten(s);
	protect(info, 0);
	return why;
}

/* Its stubs find the runtime. False: they did before. */
static bool fill_table(const struct vtb_pad_note *note)
{
	void **table = vtb_pad_at(&note->table);

	vtb_vectors_find();
	if (table[VTB_PAD_ENTER])
		return false;
	table[VTB_PAD_ENTER] = (void *)vtb_pads_enter;
	table[VTB_PAD_BEGIN] = (void *)vtb_pads_begin;
	table[VTB_PAD_END] = (void *)vtb_pads_end;
	return true;
}

static int module_on(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct vtb_pad_note *note = note_of(info);
	const bool alone =
	    *(const enum vtb_wire_mode *)arg == VTB_MODE_CONTROL && vtb_rt.block->engine == VTB_ENGINE_SNAPSHOT;
	const char *why;

	(void)size;
	if (!note || !fill_table(note))
		return 0;
	why = sites_on(info, note, alone);
	if (why)
		vtb_rt_trouble(why);
	return 0;
}

void vtb_pads_on(enum vtb_wire_mode mode)
{
	vtb_rt_pads.lo = (uint64_t)vtb_pads_enter;
	vtb_rt_pads.size = (uint64_t)vtb_pads_entry_end - (uint64_t)vtb_pads_enter;
	dl_iterate_phdr(module_on, &mode);
}

/* It may have been unloaded, and something else be there. */
static bool is_there(const struct vtb_wire_module *m)
{
	uint64_t word;

	return vtb_rt_peek((const void *)(m->hi - 1), 1, &word) && vtb_rt_peek((const void *)m->lo, SELFMAG, &word) &&
	       !memcmp(&word, ELFMAG, SELFMAG);
}

/* What the loader protects when it has relocated all of it. Before, it protects what lies between the parts, which are
 * not there yet. */
static bool is_relocated(const struct dl_phdr_info *info, uint64_t at)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
			return ((info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) & ~4095ull) == at;
	return false;
}

/* Each run that loads it has it from the file again. Short stubs lead to code that is made before main. */
void vtb_pads_late(uint64_t at)
{
	struct vtb_wire_module *m = vtb_rt_module_late(at);
	const ElfW(Ehdr) * head;
	const struct vtb_pad_note *note;
	struct dl_phdr_info info = { 0 };

	if (!m || !is_there(m))
		return;
	head = (const void *)m->lo;
	info.dlpi_addr = m->base;
	info.dlpi_phdr = (const void *)(m->lo + head->e_phoff);
	info.dlpi_phnum = head->e_phnum;
	note = is_relocated(&info, at) ? note_of(&info) : NULL;
	if (note && fill_table(note))
		m->late = sites_on(&info, note, false) != NULL;
}

/* ---- what happens at one */

/* By thread t, which has entered. */
static void access_bytes(struct vtb_rt_thread *t, unsigned kind, uint64_t addr, uint32_t info, uint64_t pc)
{
	const uint32_t log2 = vtb_pad_log2(info);

	if (VTB_UNLIKELY(log2 == VTB_PAD_LOG2_NONE))
		vtb_rt_range(kind, (void *)addr, vtb_pad_bytes(info), pc);
	else if (t->base.stream.next < t->base.stream.limit)
		vtb_rt_access(kind, (void *)addr, log2, pc);
	else
		vtb_rt_access_slowly(t, kind, addr, log2, pc);
}

/* "addl $1, x" is a read and a write, and others may run in between: what was read is put back, so that the instruction
 * computes from it. */
static void update(struct vtb_rt_thread *t, uint64_t addr, uint32_t info, uint64_t pc)
{
	const uint32_t log2 = vtb_pad_log2(info);
	uint64_t seen, now;
	bool known;

	access_bytes(t, VTB_E_READ, addr, info, pc);
	known = vtb_rt_controls() && log2 <= 3 && vtb_rt_load_if(addr, log2, &seen);
	access_bytes(t, VTB_E_WRITE, addr, info, pc);
	if (known && vtb_rt_load_if(addr, log2, &now) && now != seen)
		memcpy((void *)addr, &seen, 1u << log2);
}

static void string(uint32_t info, uint64_t pc, const struct vtb_pad_regs *regs)
{
	static const struct {
		uint8_t from_kind, to_kind; /* of rsi, of rdi; 0 none */
	} strings[] = {
		[VTB_PAD_MOVS] = { VTB_E_READ, VTB_E_WRITE }, [VTB_PAD_STOS] = { 0, VTB_E_WRITE },
		[VTB_PAD_LODS] = { VTB_E_READ, 0 },           [VTB_PAD_CMPS] = { VTB_E_READ, VTB_E_READ },
		[VTB_PAD_SCAS] = { 0, VTB_E_READ },
	};
	const uint32_t kind = vtb_pad_kind(info);
	const bool rep = info & VTB_PAD_REP;
	const uint64_t bytes = vtb_pad_bytes(info) * (rep ? regs->rcx : 1);

	if (!bytes)
		return;
	if (strings[kind].from_kind)
		rep ? vtb_rt_range(strings[kind].from_kind, (void *)regs->rsi, bytes, pc)
		    : vtb_rt_access(strings[kind].from_kind, (void *)regs->rsi, vtb_pad_log2(info), pc);
	if (strings[kind].to_kind)
		rep ? vtb_rt_range(strings[kind].to_kind, (void *)regs->rdi, bytes, pc)
		    : vtb_rt_access(strings[kind].to_kind, (void *)regs->rdi, vtb_pad_log2(info), pc);
}

static __attribute__((noinline)) void other(uint64_t addr, uint32_t info, uint64_t pc, const struct vtb_pad_regs *regs)
{
	const uint32_t kind = vtb_pad_kind(info);
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (!t)
		return;
	vtb_pad_in(t, info, regs);
	if (kind <= VTB_PAD_WRITE)
		access_bytes(t, kind == VTB_PAD_READ ? VTB_E_READ : VTB_E_WRITE, vtb_pad_linear(addr, info), info, pc);
	else if (kind == VTB_PAD_UPDATE)
		update(t, vtb_pad_linear(addr, info), info, pc);
	else if (kind == VTB_PAD_FENCE)
		vtb_rt_fence(__ATOMIC_SEQ_CST, pc);
	else
		string(info, pc, regs);
	vtb_pad_out(t, info);
}

static bool is_plain(uint32_t info)
{
	const uint32_t kind = vtb_pad_kind(info);

	return (kind == VTB_PAD_READ || kind == VTB_PAD_WRITE) &&
	       (info & ~(uint32_t)VTB_PAD_LOOSE) == vtb_pad_plain(kind, vtb_pad_log2(info));
}

static unsigned event_of(uint32_t info)
{
	return vtb_pad_kind(info) == VTB_PAD_READ ? VTB_E_READ : VTB_E_WRITE;
}

static __attribute__((noinline)) bool in_stretch(struct vtb_rt_thread *t, uint64_t addr, uint32_t info, uint64_t pc)
{
	return vtb_fast_access(t, event_of(info), addr, vtb_pad_log2(info), pc, false);
}

VTB_FROM_ASSEMBLER void vtb_pads_do_access(uint64_t addr, uint32_t info, uint64_t pc, struct vtb_pad_regs *regs);
VTB_FROM_ASSEMBLER void vtb_pads_do_access(uint64_t addr, uint32_t info, uint64_t pc, struct vtb_pad_regs *regs)
{
	struct vtb_rt_thread *t = vtb_self;

	if (info & VTB_REC_SHORT) /* a site's number: a plain access (rewrite.c) */
		info = vtb_rt_site_info(info & (VTB_REC_SHORT_SITES - 1));
	else if (VTB_UNLIKELY(!is_plain(info))) {
		other(addr, info, pc, regs);
		return;
	}
	if (VTB_UNLIKELY(t && t->base.written_word && t->base.written_log2 >= VTB_WRITTEN_OWN && !t->base.inside)) {
		vtb_pad_in(t, info, regs);
		vtb_note_written(t);
		vtb_pad_out(t, info);
	}
	if (VTB_UNLIKELY(!t) || (t->base.stream.next < t->base.stream.limit && in_stretch(t, addr, info, pc)) ||
	    VTB_UNLIKELY(t->base.inside || vtb_rt.mode == VTB_MODE_OFF))
		return;
	vtb_pad_in(t, info, regs);
	vtb_rt_access_slowly(t, event_of(info), addr, vtb_pad_log2(info), pc);
	vtb_pad_out(t, info);
}

/* ---- atomic operations: the stub carries the instruction out between these two */

VTB_FROM_ASSEMBLER void vtb_pads_do_begin(uint64_t addr, uint32_t info, uint64_t pc, struct vtb_pad_regs *regs);
VTB_FROM_ASSEMBLER void vtb_pads_do_begin(uint64_t addr, uint32_t info, uint64_t pc, struct vtb_pad_regs *regs)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (t)
		vtb_pad_in(t, info, regs);
	vtb_rt_atomic_begin(vtb_pad_event(info), (void *)vtb_pad_linear(addr, info), vtb_pad_log2(info), pc);
	if (t)
		vtb_pad_out(t, info);
}

VTB_FROM_ASSEMBLER void vtb_pads_do_end(uint64_t addr, uint32_t info, uint64_t pc, struct vtb_pad_regs *regs);
VTB_FROM_ASSEMBLER void vtb_pads_do_end(uint64_t addr, uint32_t info, uint64_t pc, struct vtb_pad_regs *regs)
{
	const bool zero_flag = regs->flags >> 14 & 1;

	(void)addr;
	(void)pc;
	vtb_rt_atomic_end(vtb_pad_kind(info) == VTB_PAD_CAS && !zero_flag);
}
