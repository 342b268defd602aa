/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's calls of hooks, taken over: the tool has disassembled the program's file and says where they are
 * (block, sites).
 *
 *     call __tsan_read4@plt   ──►   call <the site's thunk, copy of near.c within 2 GB>      or, where the site is off,
 * a NOP
 *
 * A pad is a jump to its stub or a NOP. A tail call (jump) becomes a jump, or a return. Sites are looked at again
 * between runs when the tool has changed which are on. Nothing of the program runs while its code is changed.
 */
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "base.h"
#include "near.h"
#include "near_site.h"
#include "pads.h"
#include "rewrite.h"
#include "scheduler.h"
#include "vtb/pad_site.h"

#define PAGE 4096ull
#define LINE 64ull
#define STEP (64ull << 10)
#define REACH (1ull << 30) /* of a call, less than its 2 GB: the program may be large itself */

static struct vtb_rt_program file;
static struct {
	char *near;         /* the copy, thunks behind it; NULL: none, calls stay as they are */
	uint64_t near_size; /* of both */
	uint8_t *thunks;
	uint64_t n_thunks, thunk_size;
} program;

/* The first one is the program. Its code is one segment in all that linkers make. */
static int find_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	file.bias = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
			file.lo = (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) & ~(PAGE - 1);
			file.hi =
			    (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz + PAGE - 1) &
			    ~(PAGE - 1);
		}
	return 1;
}

const struct vtb_rt_program *vtb_rt_program(void)
{
	if (!file.lo)
		dl_iterate_phdr(find_program, NULL);
	return &file;
}

/* Below the program: above it the heap begins. */
char *vtb_rt_room_near(uint64_t size)
{
	for (uint64_t at = (file.lo - size) & ~(STEP - 1); at >= STEP && file.hi - at < REACH; at -= STEP) {
		const long r = sys6(SYS_mmap, (long)at, (long)size, PROT_READ | PROT_WRITE,
		                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (r == (long)at)
			return (char *)r;
		if (r > 0) /* an old kernel takes the address for a wish */
			sys3(SYS_munmap, r, (long)size, 0);
		if (r > 0 || r == -EPERM || r == -ENOMEM)
			break;
	}
	return NULL;
}

static int64_t self_offset(void)
{
	uint64_t thread_pointer;

	__asm__("movq %%fs:0, %0" : "=r"(thread_pointer));
	return (int64_t)((uint64_t)&vtb_self - thread_pointer);
}

/* As many sites as records have numbers for get a thunk. */
static bool copy_near(const struct vtb_wire_site *s, uint64_t n_sites, enum vtb_wire_mode mode)
{
	const uint64_t code = ((uint64_t)(vtb_near_end - vtb_near_begin) + LINE - 1) & ~(LINE - 1);
	const uint64_t n_thunks = n_sites < VTB_REC_SHORT_SITES ? n_sites : VTB_REC_SHORT_SITES;
	const uint64_t thunk_size = mode != VTB_MODE_RECORD   ? VTB_NEAR_THUNK
	                            : s->hook == VTB_SITE_PAD ? VTB_NEAR_PAD
	                                                      : VTB_NEAR_SITE;
	const uint64_t pages = (code + n_thunks * thunk_size + PAGE - 1) & ~(PAGE - 1);
	char *near = vtb_rt_room_near(pages);

	if (!near)
		return false;
	memcpy(near, vtb_near_begin, (uint64_t)(vtb_near_end - vtb_near_begin));
	vtb_near_fill(near, (int32_t)self_offset());
	vtb_rt_hooks_by_site(((struct vtb_near_words *)near)->slow);
	((struct vtb_near_words *)near)->pad = (void *)vtb_pads_enter_kept;
	((struct vtb_near_words *)near)->cells = vtb_owned_cells;
	((struct vtb_near_words *)near)->others = vtb_owned_others();
	program.near = near;
	program.near_size = pages;
	program.thunks = (uint8_t *)near + code;
	vtb_rt_near = (struct vtb_rt_near){ { (uint64_t)near, pages }, code, (uint64_t)vtb_near_begin };
	program.n_thunks = n_thunks;
	program.thunk_size = thunk_size;
	return true;
}

static bool has_number(const struct vtb_wire_site *s, uint64_t i)
{
	return s->call && i < program.n_thunks; /* a jump's hook returns to the caller: its pc is not the site's */
}

static uint8_t *thunk_of(uint64_t i)
{
	return program.thunks + i * program.thunk_size;
}

static void write_thunk(const struct vtb_wire_site *s, uint64_t i, enum vtb_wire_mode mode)
{
	const bool owned = mode == VTB_MODE_CONTROL && s->on & VTB_SITE_OWNED && vtb_owned_cells;
	const enum vtb_near_site how = !owned                  ? VTB_NEAR_NUMBER
	                               : s->on & VTB_SITE_FINE ? VTB_NEAR_FINE
	                                                       : VTB_NEAR_OWNED;
	const char *entry;

	if (s->hook >= VTB_SITE_HOOKS || !has_number(s, i))
		return;
	entry = program.near + vtb_near_entry(mode, s->hook, how);
	if (mode == VTB_MODE_RECORD)
		vtb_near_site(thunk_of(i), (uint32_t)i, (int32_t)self_offset(), entry);
	else
		vtb_near_thunk(thunk_of(i), (uint32_t)i, entry);
}

static struct vtb_wire_site *sites(uint64_t *ret_n)
{
	struct vtb_wire_area *a = &vtb_rt.block->sites;

	*ret_n = a->used <= a->size / sizeof(struct vtb_wire_site) ? a->used : 0;
	return (struct vtb_wire_site *)((char *)vtb_rt.block + a->offset);
}

/* How many of them are the file's: behind these there may be places (sched/stretches/owned_sites.h). */
static uint64_t of_file(const struct vtb_wire_site *s, uint64_t n)
{
	return n >= VTB_SITE_PLACES && s[n - 1].hook == VTB_SITE_PLACE ? n - VTB_SITE_PLACES : n;
}

uint32_t vtb_rt_site_info(uint32_t site)
{
	uint64_t n;

	return sites(&n)[site].info;
}

/* NOPs of 1 to 8 bytes as the manuals recommend them. */
static const uint8_t nops[8][8] = {
	{ 0x90 },
	{ 0x66, 0x90 },
	{ 0x0f, 0x1f, 0x00 },
	{ 0x0f, 0x1f, 0x40, 0x00 },
	{ 0x0f, 0x1f, 0x44, 0x00, 0x00 },
	{ 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 },
	{ 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00 },
	{ 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 },
};

/* Is the call there that the tool has seen? The file may have been another one. */
static bool is_there(const struct vtb_wire_site *s)
{
	const uint64_t at = file.bias + s->addr;
	const uint8_t *end = (const uint8_t *)at + s->length;

	if (s->hook == VTB_SITE_PAD)
		return at >= file.lo && at + VTB_PAD_SIZE <= file.hi &&
		       (*(const uint8_t *)at == 0xe9 ||
		        !memcmp((const uint8_t *)at, nops[VTB_PAD_SIZE - 1], VTB_PAD_SIZE));
	if (s->length < 5 || s->length > 8 || at < file.lo || at + s->length > file.hi ||
	    !vtb_near_entry(VTB_MODE_CONTROL, s->hook, VTB_NEAR_FAR))
		return false;
	return end[-5] == (s->call ? 0xe8 : 0xe9) ||
	       (s->length >= 6 && end[-6] == 0xff && end[-5] == (s->call ? 0x15 : 0x25));
}

/*
 * A pad's stub comes here by the short way: it brings the site's number in the place of the info word (pads.h says what
 * it is like).
 *
 *     movl $number, %ecx ── leaq behind the pad(%rip), %rdx ── call entry ── nop
 */
static uint8_t *end_of(const struct vtb_wire_site *s)
{
	return (uint8_t *)(file.bias + s->addr + s->length);
}

static uint8_t *stub_of(const struct vtb_wire_site *s)
{
	return end_of(s) + s->stub;
}

/* Where in its stub a pad of a plain access with a number calls, NULL: it has none, or its stub is not known. */
static uint8_t *call_in_stub(const struct vtb_wire_site *s, uint64_t i, enum vtb_wire_mode mode)
{
	uint8_t *stub = stub_of(s);

	return vtb_near_pad_entry(mode, s->access) && i < program.n_thunks && (uint64_t)stub >= file.lo &&
	               (uint64_t)stub + VTB_PAD_STUB_LOOK <= file.hi
	           ? vtb_pads_call(stub, end_of(s), s->info)
	           : NULL;
}

static void shorten_stub(const struct vtb_wire_site *s, uint64_t i, enum vtb_wire_mode mode)
{
	const char *entry = program.near + vtb_near_pad_entry(mode, s->access);
	const uint32_t number = VTB_REC_SHORT | (uint32_t)i;
	uint8_t *at = call_in_stub(s, i, mode);
	int32_t to_entry;

	if (!at)
		return;
	to_entry = (int32_t)((int64_t)entry - (int64_t)(at + 17));
	memcpy(at + 1, &number, 4);
	at[12] = 0xe8;
	memcpy(at + 13, &to_entry, 4);
	at[17] = 0x90;
}

/* In mode record a pad jumps to code of its own, and from there to its stub where that does not do. */
static void write_pad(const struct vtb_wire_site *s, uint64_t i)
{
	const uint8_t *call = call_in_stub(s, i, VTB_MODE_RECORD), *stub = stub_of(s);
	const struct vtb_near_pad pad = { .site = (uint32_t)i,
		                          .self = (int32_t)self_offset(),
		                          .info = s->info,
		                          .stub = stub,
		                          .head = call ? (uint32_t)(call - stub) : 0,
		                          .end = end_of(s) };

	if (call && !vtb_near_pad(thunk_of(i), &pad))
		*thunk_of(i) = 0;
}

static const uint8_t *way_of_pad(const struct vtb_wire_site *s, uint64_t i, enum vtb_wire_mode mode)
{
	return mode == VTB_MODE_RECORD && i < program.n_thunks && *thunk_of(i) ? thunk_of(i) : stub_of(s);
}

/* A call must end where it ended: what comes before it in a longer one is a NOP of its own. */
static void patch(const struct vtb_wire_site *s, uint64_t i, enum vtb_wire_mode mode)
{
	uint8_t *at = (uint8_t *)(file.bias + s->addr), *end = at + s->length;
	int64_t to;
	int32_t distance;

	if (!(s->on & VTB_SITE_ON)) {
		memcpy(at, nops[s->length - 1], s->length);
		if (!s->call)
			*at = 0xc3;
		return;
	}
	if (s->length > 5)
		memcpy(at, nops[s->length - 6], s->length - 5ul);
	to = s->hook == VTB_SITE_PAD ? (int64_t)way_of_pad(s, i, mode)
	     : has_number(s, i)      ? (int64_t)thunk_of(i)
	                             : (int64_t)program.near + vtb_near_entry(mode, s->hook, VTB_NEAR_FAR);
	distance = (int32_t)(to - (int64_t)end);
	end[-5] = s->call && s->hook != VTB_SITE_PAD ? 0xe8 : 0xe9;
	memcpy(end - 4, &distance, 4);
}

/* The copy and the code of all sites are as they will be. */
static bool finish_near(struct vtb_wire_site *s, uint64_t n, enum vtb_wire_mode mode)
{
	for (uint64_t i = 0; i < n; i++) {
		if (!is_there(&s[i]))
			s[i].hook = UINT16_MAX;
		else if (s[i].hook != VTB_SITE_PAD)
			write_thunk(&s[i], i, mode);
		else if (mode == VTB_MODE_RECORD)
			write_pad(&s[i], i);
	}
	if (sys3(SYS_mprotect, (long)program.near, (long)program.near_size, PROT_READ | PROT_EXEC) == 0)
		return true;
	sys3(SYS_munmap, (long)program.near, (long)program.near_size, 0);
	program.near = NULL;
	vtb_rt_near.all.size = 0;
	return false;
}

bool vtb_rt_program_writable(bool yes)
{
	/* always to be executed: threads that were made before main are running */
	return sys3(SYS_mprotect, (long)file.lo, (long)(file.hi - file.lo),
	            PROT_READ | PROT_EXEC | (yes ? PROT_WRITE : 0)) == 0;
}

static void near_writable(bool yes)
{
	sys3(SYS_mprotect, (long)program.near, (long)program.near_size, PROT_READ | PROT_EXEC | (yes ? PROT_WRITE : 0));
}

void vtb_rt_rewrite(enum vtb_wire_mode mode)
{
	uint64_t n, all;
	struct vtb_wire_site *s = sites(&all);
	uint32_t taken = 0;

	n = of_file(s, all);
	if (!n || mode == VTB_MODE_OFF || !(vtb_rt.options & VTB_OPT_ACCESSES))
		return;
	if (mode == VTB_MODE_CONTROL)
		vtb_owned_begin();
	if (!vtb_rt_program()->lo || !copy_near(s, n, mode) || !finish_near(s, n, mode) ||
	    !vtb_rt_program_writable(true))
		return;
	vtb_rt.block->sites_bias = file.bias;
	for (uint64_t i = 0; i < n; i++) {
		if (s[i].hook == UINT16_MAX)
			continue;
		if (s[i].hook == VTB_SITE_PAD)
			shorten_stub(&s[i], i, mode);
		patch(&s[i], i, mode);
		s[i].is_on = s[i].on;
		taken++;
	}
	vtb_rt_program_writable(false);
	if (mode == VTB_MODE_CONTROL && vtb_owned_cells)
		vtb_owned_take_sites(s, n, all > n, file.bias);
	vtb_rt.block->sites_now = vtb_rt.block->sites_wanted;
	vtb_rt.block->rewritten = taken;
}

void vtb_rt_rewrite_again(void)
{
	const uint32_t wanted = __atomic_load_n(&vtb_rt.block->sites_wanted, __ATOMIC_ACQUIRE);
	uint64_t n, all;
	struct vtb_wire_site *s;

	if (VTB_LIKELY(wanted == vtb_rt.block->sites_now) || !program.near || !vtb_rt_program_writable(true))
		return;
	near_writable(true);
	s = sites(&all);
	n = of_file(s, all);
	for (uint64_t i = n; i < all; i++)
		s[i].is_on = s[i].on;
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t other = s[i].on ^ s[i].is_on;

		if (s[i].hook == UINT16_MAX || !other)
			continue;
		if (other & VTB_SITE_ON)
			patch(&s[i], i, VTB_MODE_CONTROL);
		if (other & (VTB_SITE_OWNED | VTB_SITE_FINE))
			write_thunk(&s[i], i, VTB_MODE_CONTROL);
		s[i].is_on = s[i].on;
	}
	near_writable(false);
	vtb_rt_program_writable(false);
	vtb_rt.block->sites_now = wanted;
}
