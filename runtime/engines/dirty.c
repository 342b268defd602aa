/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rolling memory back. The writable private memory is copied once; after each run the pages in the *sticky dirty set*
 * are put back: a page joins the set at its first write and stays as long as runs change it, so in the steady state
 * there are no faults and no system calls. Of a page little is changed, so it is compared with its copy and only what
 * differs is written (page.h); pages of which most is changed are copied whole.
 *
 *   scan      userfaultfd in asynchronous write-protect mode: the kernel notes written pages, PAGEMAP_SCAN lists them.
 *             Asked only when the thread has taken a page fault since (faults.c).
 *   mprotect  pages are read-only until the first write, which the fault handler notes. The kernel cannot write there
 *             either: the auditor opens what a system call is given, and a signal frame that finds no room ends the run
 *             with a refusal. Where userfaultfd is not allowed, as in most containers.
 *   copy      all pages, every time: no kernel feature at all. Where a run was refused with mprotect.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ioctl.h>

#include "engines.h"
#include "mappings.h"
#include "page.h"
#include "base.h"

#define PAGE 4096ull
#define REGIONS_MAX 1024u
#define MOSTLY 12      /* groups: of a page that is changed so much, all is copied */
#define WHOLE_RUNS 31u /* for so many runs, before it is looked at again */
#define PATIENCE                                                                                                  \
	64u /* runs that leave a page as it is: then it is no longer in the set; twice as many each time it comes \
	       again */
#define RETURNS_MAX 16u

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED (1 << 13)
#endif
#ifndef UFFD_FEATURE_WP_ASYNC
#define UFFD_FEATURE_WP_ASYNC (1 << 15)
#endif

/* <linux/fs.h> of Debian 12 is older than these */
struct scan_region {
	uint64_t start, end, categories;
};
struct scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages, category_inverted, category_mask,
	    category_anyof_mask, return_mask;
};
#define SCAN_IOCTL _IOWR('f', 16, struct scan_arg)
#define SCAN_WRITTEN 2u

struct region {
	uint64_t lo, hi;
	bool file;        /* backed by a file */
	bool code;        /* may be executed */
	char *saved;      /* as large as the region, in shared memory; pages that were not there are not filled in */
	uint8_t *present; /* one byte a page */
	uint8_t *sticky;  /* one byte a page: in the dirty set */
	uint8_t *returns; /* likewise: how often it has come into the set again */
	uint16_t *groups; /* of each page: what is not zero in its copy (page.h) */
	uint8_t *mark;    /* one byte a page, for those who look at all of them */
};

struct page {
	char *at;
	const char *saved;
	unsigned groups; /* of the copy: what is not zero in it */
	struct region *of;
	uint32_t unchanged; /* runs in a row */
	uint32_t whole;     /* runs for which it is copied without a look */
	uint8_t *mark;
};

/* In shared memory, so that rolling back does not touch it. */
static struct dirty {
	enum vtb_wire_dirty method;
	struct region regions[REGIONS_MAX];
	uint32_t n_regions;
	struct page *pages;
	uint32_t n_pages, room;
	uint32_t restores;
	int uffd, pagemap;
} * D;

/* ---- which memory */

static bool take_region(const struct vtb_mapping *m)
{
	if (D->n_regions == REGIONS_MAX)
		return false;
	D->regions[D->n_regions++] = (struct region){ .lo = m->lo, .hi = m->hi, .file = m->file, .code = m->code };
	return true;
}

/* userfaultfd takes only anonymous memory: data of programs and libraries is replaced by a copy, in one step. */
static const char *make_anonymous(const struct region *r)
{
	const size_t size = r->hi - r->lo;
	const long copy = sys6(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE | (r->code ? PROT_EXEC : 0),
	                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy < 0 && copy > -4096)
		return "no memory for a copy of the process";
	memcpy((void *)copy, (const void *)r->lo, size);
	if (sys6(SYS_mremap, copy, (long)size, (long)size, MREMAP_MAYMOVE | MREMAP_FIXED, (long)r->lo, 0) < 0)
		return "a memory mapping cannot be replaced";
	return NULL;
}

/* Calls seen(region, page number) for every page that is there (present or swapped; others are zero). */
static void for_pages(struct region *r, void (*seen)(struct region *, uint64_t))
{
	uint64_t entries[512];
	const uint64_t n = (r->hi - r->lo) / PAGE;

	for (uint64_t k = 0; k < n; k += 512) {
		const uint64_t part = n - k < 512 ? n - k : 512;
		const long got = sys6(SYS_pread64, D->pagemap, (long)entries, (long)(part * 8),
		                      (long)((r->lo / PAGE + k) * 8), 0, 0);

		for (uint64_t j = 0; got > 0 && j < (uint64_t)got / 8; j++)
			if (entries[j] >> 62)
				seen(r, k + j);
	}
}

static void save_page(struct region *r, uint64_t page)
{
	r->present[page] = 1;
	memcpy(r->saved + page * PAGE, (const void *)(r->lo + page * PAGE), PAGE);
	r->groups[page] = (uint16_t)vtb_page_groups(r->saved + page * PAGE);
}

static const char *save(struct region *r)
{
	const size_t size = r->hi - r->lo, n = size / PAGE;

	r->saved = vtb_shared_pages(size);
	r->groups = vtb_shared_pages(n * (sizeof(*r->groups) + 4));
	if (!r->saved || !r->groups)
		return "no memory for a copy of the process";
	r->present = (uint8_t *)(r->groups + n);
	r->sticky = r->present + n;
	r->returns = r->sticky + n;
	r->mark = r->returns + n;
	if (r->file) /* a page that was never touched holds what the file holds, not zeros */
		for (uint64_t page = 0; page < n; page++)
			save_page(r, page);
	else
		for_pages(r, save_page);
	return NULL;
}

/* ---- the dirty set */

static struct region *region_of(uint64_t addr)
{
	for (uint32_t i = 0; i < D->n_regions; i++)
		if (addr - D->regions[i].lo < D->regions[i].hi - D->regions[i].lo)
			return &D->regions[i];
	return NULL;
}

static bool have_room(uint32_t room)
{
	struct page *pages = vtb_shared_pages(room * sizeof(*pages));

	if (!pages)
		return false;
	for (uint32_t i = 0; i < D->n_pages; i++)
		pages[i] = D->pages[i];
	if (D->pages)
		sys3(SYS_munmap, (long)D->pages, (long)(D->room * sizeof(*pages)), 0);
	D->pages = pages;
	D->room = room;
	return true;
}

/* A page that is not in the set would not be put back: without memory for it the process is of no use any more. */
static void add_page(struct region *r, uint64_t addr)
{
	const uint64_t i = (addr - r->lo) / PAGE;

	if (r->sticky[i])
		return;
	if (D->n_pages == D->room && !have_room(2 * D->room)) {
		vtb_rt_trouble("there is no memory for a list of the pages that a run changes");
		sys_exit_group(1);
	}
	r->sticky[i] = 1;
	D->pages[D->n_pages++] = (struct page){ .at = (char *)(r->lo + i * PAGE),
		                                .saved = r->saved + i * PAGE,
		                                .groups = r->groups[i],
		                                .of = r,
		                                .mark = &r->mark[i] };
}

static void scan_region(struct region *r)
{
	struct scan_region found[64];
	struct scan_arg arg = { .size = sizeof(arg),
		                .start = r->lo,
		                .end = r->hi,
		                .vec = (uint64_t)found,
		                .vec_len = 64,
		                .category_mask = SCAN_WRITTEN,
		                .return_mask = SCAN_WRITTEN };

	do {
		const long n = sys3(SYS_ioctl, D->pagemap, SCAN_IOCTL, (long)&arg);

		for (long i = 0; i < n; i++)
			for (uint64_t a = found[i].start; a < found[i].end; a += PAGE)
				add_page(r, a);
		if (n <= 0)
			return;
		arg.start = arg.walk_end;
	} while (arg.start < r->hi);
}

void vtb_dirty_forgive(void)
{
	vtb_faults_any();
}

static const char *begin_scan(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_WP_ASYNC | UFFD_FEATURE_WP_UNPOPULATED };
	long r = sys3(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY, 0, 0);

	if (r < 0)
		return "userfaultfd is not allowed here";
	D->uffd = (int)sys3(SYS_fcntl, r, F_DUPFD_CLOEXEC, 900);
	sys3(SYS_close, r, 0, 0);
	if (sys3(SYS_ioctl, D->uffd, UFFDIO_API, (long)&api) < 0)
		return "this kernel has no asynchronous write protection (Linux 6.7)";
	for (uint32_t i = 0; i < D->n_regions; i++) {
		struct uffdio_register reg = { .range = { D->regions[i].lo, D->regions[i].hi - D->regions[i].lo },
			                       .mode = UFFDIO_REGISTER_MODE_WP };
		struct uffdio_writeprotect protect = { .range = reg.range, .mode = UFFDIO_WRITEPROTECT_MODE_WP };

		if (sys3(SYS_ioctl, D->uffd, UFFDIO_REGISTER, (long)&reg) < 0 ||
		    sys3(SYS_ioctl, D->uffd, UFFDIO_WRITEPROTECT, (long)&protect) < 0)
			return "a memory mapping cannot be write-protected";
	}
	return NULL;
}

static void begin_mprotect(void)
{
	for (uint32_t i = 0; i < D->n_regions; i++)
		sys3(SYS_mprotect, (long)D->regions[i].lo, (long)(D->regions[i].hi - D->regions[i].lo),
		     PROT_READ | (D->regions[i].code ? PROT_EXEC : 0));
}

bool vtb_dirty_fault(uint64_t addr)
{
	struct region *r = D && D->method == VTB_DIRTY_MPROTECT ? region_of(addr) : NULL;

	if (!r || r->sticky[(addr - r->lo) / PAGE])
		return false;
	if (sys3(SYS_mprotect, (long)(addr & ~(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE | (r->code ? PROT_EXEC : 0)))
		vtb_engine->cannot_undo("more of its pages change than there may be mappings (vm.max_map_count)");
	add_page(r, addr);
	return true;
}

bool vtb_dirty_open(uint64_t addr, uint64_t size)
{
	const struct region *r = D && D->method == VTB_DIRTY_MPROTECT ? region_of(addr) : NULL;
	bool any = false;

	const uint64_t end = r && size < r->hi - addr ? addr + size : r ? r->hi : 0;

	for (uint64_t a = addr & ~(PAGE - 1); a < end; a += PAGE)
		any |= vtb_dirty_fault(a);
	return any;
}

/* ---- the interface */

static enum vtb_wire_dirty choose(enum vtb_wire_dirty asked)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_WP_ASYNC | UFFD_FEATURE_WP_UNPOPULATED };
	long fd, r;

	if (asked != VTB_DIRTY_AUTO)
		return asked;
	fd = sys3(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY, 0, 0);
	if (fd < 0)
		return VTB_DIRTY_MPROTECT;
	r = sys3(SYS_ioctl, fd, UFFDIO_API, (long)&api);
	sys3(SYS_close, fd, 0, 0);
	return r < 0 || vtb_rt.lacks & VTB_LACKS_USERFAULTFD ? VTB_DIRTY_MPROTECT : VTB_DIRTY_SCAN;
}

const char *vtb_dirty_snapshot(enum vtb_wire_dirty asked)
{
	const char *why;
	long fd;

	D = vtb_shared_pages(sizeof(*D));
	if (!D)
		return "no memory for a copy of the process";
	vtb_page_use_form(vtb_page_forms() - 1); /* before the memory is remembered */
	D->method = choose(asked);
	fd = sys6(SYS_openat, AT_FDCWD, (long)"/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0, 0, 0);
	D->pagemap = (int)sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
	sys3(SYS_close, fd, 0, 0);
	if (!have_room(VTB_PAGES_ROOM) || D->pagemap < 0)
		return "the process's page map cannot be read";
	if (!vtb_faults_begin())
		return "no memory for a copy of the process";
	why = vtb_mappings_each(take_region);
	for (uint32_t i = 0; !why && i < D->n_regions; i++) {
		if (D->method == VTB_DIRTY_SCAN && D->regions[i].file)
			why = make_anonymous(&D->regions[i]);
		if (!why)
			why = save(&D->regions[i]);
	}
	if (!why && D->method == VTB_DIRTY_SCAN)
		why = begin_scan();
	if (!why && D->method == VTB_DIRTY_MPROTECT)
		begin_mprotect();
	return why;
}

/* How many of its groups were changed, as far as anybody looked. */
static unsigned put_page_back(struct page *p, const char *saved, unsigned groups)
{
	const unsigned changed = p->whole ? MOSTLY : vtb_page_put_back(p->at, saved, groups);

	if (p->whole)
		vtb_page_overwrite(p->at, saved, groups);
	p->whole = p->whole ? p->whole - 1 : changed >= MOSTLY ? WHOLE_RUNS : 0;
	return changed;
}

static void restore_page(struct page *p)
{
	p->unchanged = put_page_back(p, p->saved, p->groups) ? 0 : p->unchanged + 1;
}

/* Method copy: all pages that were there; the others are in the list once they are seen to be there. */
static void for_present(void (*what)(const struct region *r, uint64_t page, char **at), char *at)
{
	for (uint32_t i = 0; D->method == VTB_DIRTY_COPY && i < D->n_regions; i++) {
		const struct region *r = &D->regions[i];

		for (uint64_t k = 0; k < (r->hi - r->lo) / PAGE; k++)
			if (r->present[k])
				what(r, k, &at);
	}
}

static void copy_back(const struct region *r, uint64_t page, char **at)
{
	(void)at;
	vtb_page_put_back((char *)r->lo + page * PAGE, r->saved + page * PAGE, r->groups[page]);
}

static bool protect_again(const struct page *p)
{
	struct uffdio_writeprotect protect = { .range = { (uint64_t)p->at, PAGE },
		                               .mode = UFFDIO_WRITEPROTECT_MODE_WP };

	return sys3(SYS_ioctl, D->uffd, UFFDIO_WRITEPROTECT, (long)&protect) == 0;
}

/* Pages that runs have stopped changing, or that only the first one did, leave the set: they are as they were, and
 * noticed when they change again. (Not with method mprotect, where a page must also be there for the frame of a
 * signal.) */
static void forget_unchanged(void)
{
	for (uint32_t i = D->n_pages; i-- > 0;) {
		struct page *p = &D->pages[i];
		const uint64_t number = ((uint64_t)p->at - p->of->lo) / PAGE;

		if (p->unchanged < PATIENCE << p->of->returns[number] || !protect_again(p))
			continue;
		p->of->sticky[number] = 0;
		if (p->of->returns[number] < RETURNS_MAX)
			p->of->returns[number]++;
		*p = D->pages[--D->n_pages];
	}
}

/* Pages that came into being during the run: the kernel's page map knows them. */
static void note_new_page(struct region *r, uint64_t page)
{
	if (!r->present[page])
		add_page(r, r->lo + page * PAGE);
}

void vtb_dirty_look(void)
{
	if (D->method == VTB_DIRTY_MPROTECT || !vtb_faults_any())
		return;
	for (uint32_t i = 0; i < D->n_regions; i++) {
		if (D->method == VTB_DIRTY_SCAN)
			scan_region(&D->regions[i]);
		else
			for_pages(&D->regions[i], note_new_page);
	}
}

void vtb_dirty_restore(void)
{
	vtb_dirty_look();
	for_present(copy_back, NULL);
	for (uint32_t i = 0; i < D->n_pages; i++)
		restore_page(&D->pages[i]);
	if (D->method == VTB_DIRTY_SCAN && ++D->restores % PATIENCE == 0)
		forget_unchanged();
}

void vtb_dirty_each(vtb_dirty_seen *seen, void *data)
{
	for (uint32_t i = 0; i < D->n_pages; i++)
		seen(data, D->pages[i].at, D->pages[i].groups ? D->pages[i].saved : NULL, D->pages[i].mark);
	for (uint32_t i = 0; D->method == VTB_DIRTY_COPY && i < D->n_regions; i++) {
		const struct region *r = &D->regions[i];

		for (uint64_t k = 0; k < (r->hi - r->lo) / PAGE; k++)
			if (r->present[k])
				seen(data, (char *)r->lo + k * PAGE, r->groups[k] ? r->saved + k * PAGE : NULL,
				     &r->mark[k]);
	}
}

/* ---- states in the middle of a run: the pages of the list, then for method copy all that were there, then which
 * groups of those of the list are not zero */

static void count_page(const struct region *r, uint64_t page, char **at)
{
	(void)r;
	(void)page;
	*(uint64_t *)*at += PAGE;
}

static uint64_t bytes_of_pages(uint32_t listed)
{
	uint64_t bytes = listed * PAGE;

	for_present(count_page, (char *)&bytes);
	return bytes;
}

uint64_t vtb_dirty_bytes(void)
{
	return bytes_of_pages(D->n_pages) + D->n_pages * sizeof(uint16_t);
}

static void keep_page(const struct region *r, uint64_t page, char **at)
{
	memcpy(*at, (const char *)r->lo + page * PAGE, PAGE);
	*at += PAGE;
}

void vtb_dirty_keep(char *to, struct vtb_dirty_mark *ret)
{
	uint16_t *groups = (uint16_t *)(to + bytes_of_pages(D->n_pages));

	ret->n_pages = D->n_pages;
	for (uint32_t i = 0; i < D->n_pages; i++) {
		groups[i] = (uint16_t)vtb_page_groups(D->pages[i].at);
		memcpy(to + i * PAGE, D->pages[i].at, PAGE);
	}
	for_present(keep_page, to + D->n_pages * PAGE);
}

static void put_page(const struct region *r, uint64_t page, char **at)
{
	vtb_page_put_back((char *)r->lo + page * PAGE, *at, ~0u);
	*at += PAGE;
}

void vtb_dirty_back_to(const char *kept, const struct vtb_dirty_mark *mark)
{
	const uint16_t *groups = (const uint16_t *)(kept + bytes_of_pages(mark->n_pages));

	for (uint32_t i = 0; i < mark->n_pages; i++)
		put_page_back(&D->pages[i], kept + i * PAGE, groups[i]);
	for (uint32_t i = mark->n_pages; i < D->n_pages; i++)
		restore_page(&D->pages[i]);
	for_present(put_page, (char *)kept + mark->n_pages * PAGE);
}

enum vtb_wire_dirty vtb_dirty_method(void)
{
	return D ? D->method : VTB_DIRTY_AUTO;
}
