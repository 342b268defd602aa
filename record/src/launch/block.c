/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/block.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vtb/memory_limits.h"

#define ALIGN_AREA 64u
#define ALIGN_ARENA 4096u

static uint64_t round_up(uint64_t x, uint64_t to)
{
	return (x + to - 1) / to * to;
}

/* Put the next area at *end and move *end behind it. */
static void place(struct vtb_wire_area *area, uint64_t bytes, uint64_t align, uint64_t *end)
{
	*end = round_up(*end, align);
	area->offset = *end;
	area->size = bytes;
	area->used = 0;
	*end += bytes;
}

int64_t vtb_block_lay_out(const struct vtb_block_layout *l, struct vtb_wire_header *h)
{
	uint64_t end = sizeof(*h);

	if (l->modules > VTB_WIRE_MODULES_MAX || l->threads > VTB_WIRE_THREADS_MAX || l->slots > VTB_WIRE_SLOTS_MAX ||
	    l->breaks > VTB_WIRE_BREAKS_MAX || l->sites > VTB_WIRE_SITES_MAX || l->blinds > VTB_WIRE_BLINDS_MAX ||
	    l->strings > VTB_BLOCK_STRINGS_MAX || l->arena > VTB_BLOCK_SIZE_MAX)
		return -VTB_E_LIMIT;
	place(&h->modules, l->modules * sizeof(struct vtb_wire_module), ALIGN_AREA, &end);
	place(&h->threads, l->threads * sizeof(struct vtb_wire_thread), ALIGN_AREA, &end);
	place(&h->strings, l->strings, ALIGN_AREA, &end);
	place(&h->slots, l->slots * sizeof(struct vtb_wire_slot), ALIGN_AREA, &end);
	place(&h->breaks, l->breaks * sizeof(struct vtb_wire_break), ALIGN_AREA, &end);
	place(&h->sites, l->sites * sizeof(struct vtb_wire_site), ALIGN_AREA, &end);
	place(&h->blinds, l->blinds * sizeof(struct vtb_wire_blind), ALIGN_AREA, &end);
	place(&h->arena, l->arena, ALIGN_ARENA, &end);
	end = round_up(end, ALIGN_AREA);
	if (end > VTB_BLOCK_SIZE_MAX)
		return -VTB_E_LIMIT;
	memcpy(h->magic, VTB_WIRE_MAGIC, sizeof(h->magic));
	h->version = VTB_WIRE_VERSION;
	h->header_size = sizeof(*h);
	h->block_size = end;
	if (l->strings)
		h->strings.used = 1; /* offset 0 is the empty string */
	h->slots.used = l->slots;
	return (int64_t)end;
}

static void take_areas(struct vtb_block *b, const struct vtb_wire_header *h)
{
	b->areas.modules = h->modules;
	b->areas.threads = h->threads;
	b->areas.strings = h->strings;
	b->areas.slots = h->slots;
	b->areas.breaks = h->breaks;
	b->areas.sites = h->sites;
	b->areas.blinds = h->blinds;
	b->areas.arena = h->arena;
}

static int new_file(const char *path)
{
	const int fd =
	    path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : memfd_create("vtb-block", MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* On a disk all of it is asked for at once: where none is left later on, who writes to it is killed, which may be the
 * program. Some file systems cannot. */
static int give_size(int fd, const char *path, uint64_t size)
{
	if (path && fallocate(fd, 0, 0, (off_t)size) == 0)
		return 0;
	if (path && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
		return -errno;
	return ftruncate(fd, (off_t)size) < 0 ? -errno : 0;
}

static int map_new(struct vtb_block *b, const char *path, const struct vtb_wire_header *h)
{
	int r = give_size(b->fd, path, h->block_size);
	void *p;

	if (r < 0)
		return r;
	p = mmap(NULL, h->block_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, b->fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	b->header = p;
	b->size = h->block_size;
	take_areas(b, h);
	*b->header = *h;
	return 0;
}

int vtb_block_create(const char *path, const struct vtb_block_layout *layout, struct vtb_block *ret,
                     struct vtb_error *err)
{
	struct vtb_wire_header h = { 0 };
	struct vtb_block b = VTB_BLOCK_EMPTY;
	int64_t size = vtb_block_lay_out(layout, &h);
	char limits[500];
	int r;

	if (size < 0)
		return vtb_error_set(err, (int)size, path, 0, "the process block would be too large");
	b.fd = new_file(path);
	if (b.fd < 0)
		return vtb_error_set(err, b.fd, path, 0, "cannot create the process block: %s", vtb_strerror(b.fd));
	r = map_new(&b, path, &h);
	if (r < 0) {
		vtb_block_close(&b);
		vtb_memory_limits(limits, sizeof(limits));
		return vtb_error_set(err, r, path, 0, "cannot map the process block of %lld bytes: %s%s%s%.*s",
		                     (long long)size, vtb_strerror(r),
		                     r == -EFBIG ? ", by the limit of the size of files (ulimit -f)" : "",
		                     *limits ? "; " : "", *limits ? (int)strlen(limits) - 1 : 0, limits);
	}
	*ret = b;
	return 0;
}

/* The whole file as a private anonymous mapping, so that vtb_block_close() need not know the difference. */
static int read_copy(int fd, struct vtb_block *b)
{
	struct stat st;
	char *p;
	size_t got = 0;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(struct vtb_wire_header))
		return -VTB_E_FORMAT;
	if ((uint64_t)st.st_size > VTB_BLOCK_FILE_MAX)
		return -VTB_E_LIMIT;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return -errno;
	b->header = (struct vtb_wire_header *)p;
	b->size = (size_t)st.st_size;
	while (got < b->size) {
		const ssize_t n = pread(fd, p + got, b->size - got, (off_t)got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -VTB_E_FORMAT; /* it shrank meanwhile */
		got += (size_t)n;
	}
	return 0;
}

static const char *unreadable(int r)
{
	switch (r) {
	case -VTB_E_FORMAT:
		return "no process block: too short, or no plain file";
	case -VTB_E_LIMIT:
		return "larger than any process block of a recording";
	default:
		return vtb_strerror(r);
	}
}

int vtb_block_open(const char *path, struct vtb_block *ret, struct vtb_error *err)
{
	struct vtb_block b = VTB_BLOCK_EMPTY;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), r;

	if (fd < 0)
		return vtb_error_set(err, -errno, path, 0, "cannot open the process block: %s", vtb_strerror(-errno));
	r = read_copy(fd, &b);
	close(fd);
	if (r < 0)
		vtb_error_set(err, r, path, 0, "%s", unreadable(r));
	else
		r = vtb_block_check(b.header, b.size, path, err);
	if (r < 0) {
		vtb_block_close(&b);
		return r;
	}
	take_areas(&b, b.header);
	*ret = b;
	return 0;
}

void vtb_block_close(struct vtb_block *block)
{
	if (block->header)
		munmap(block->header, block->size);
	if (block->fd >= 0)
		close(block->fd);
	*block = VTB_BLOCK_EMPTY;
}

void *vtb_block_at(const struct vtb_block *block, uint64_t offset, uint64_t size)
{
	if (offset > block->size || size > block->size - offset)
		return NULL;
	return (char *)block->header + offset;
}

uint32_t vtb_block_count(const struct vtb_wire_area *area, size_t entry)
{
	const uint64_t room = area->size / entry;
	const uint64_t used = __atomic_load_n(&area->used, __ATOMIC_ACQUIRE);

	return (uint32_t)(used < room ? used : room);
}

/* Counts come from the live header, room and place from our own copy. */
static uint32_t live_count(const struct vtb_wire_area *live, const struct vtb_wire_area *own, size_t entry)
{
	const struct vtb_wire_area area = { own->offset, own->size, __atomic_load_n(&live->used, __ATOMIC_ACQUIRE) };

	return vtb_block_count(&area, entry);
}

const struct vtb_wire_module *vtb_block_modules(const struct vtb_block *b, uint32_t *ret_count)
{
	*ret_count = live_count(&b->header->modules, &b->areas.modules, sizeof(struct vtb_wire_module));
	return vtb_block_at(b, b->areas.modules.offset, b->areas.modules.size);
}

const struct vtb_wire_thread *vtb_block_threads(const struct vtb_block *b, uint32_t *ret_count)
{
	*ret_count = live_count(&b->header->threads, &b->areas.threads, sizeof(struct vtb_wire_thread));
	return vtb_block_at(b, b->areas.threads.offset, b->areas.threads.size);
}

const char *vtb_block_string(const struct vtb_block *b, uint32_t offset)
{
	const char *base = vtb_block_at(b, b->areas.strings.offset, b->areas.strings.size);

	if (!base || offset >= b->areas.strings.size || !memchr(base + offset, 0, b->areas.strings.size - offset))
		return "";
	return base + offset;
}

static void copy_area(struct vtb_block *to, const struct vtb_wire_area *to_area, const struct vtb_block *from,
                      const struct vtb_wire_area *from_area)
{
	if (to_area->size)
		memcpy((char *)to->header + to_area->offset, (char *)from->header + from_area->offset, to_area->size);
}

/* Everything of the old header but where things are. */
static void copy_header(struct vtb_wire_header *to, const struct vtb_wire_header *from,
                        const struct vtb_block_layout *used)
{
	const struct vtb_wire_header laid_out = *to;

	*to = *from;
	to->header_size = sizeof(*to);
	to->block_size = laid_out.block_size;
	to->modules = laid_out.modules;
	to->threads = laid_out.threads;
	to->strings = laid_out.strings;
	to->slots = laid_out.slots;
	to->breaks = laid_out.breaks;
	to->sites = laid_out.sites;
	to->blinds = laid_out.blinds;
	to->arena = laid_out.arena;
	to->modules.used = used->modules;
	to->threads.used = used->threads;
	to->strings.used = used->strings;
	to->sites.used = used->sites;
}

int vtb_block_write_compact(const struct vtb_block *block, const char *path, struct vtb_error *err)
{
	struct vtb_block_layout used = { 0 };
	struct vtb_block to;
	int r;

	vtb_block_modules(block, &used.modules);
	vtb_block_threads(block, &used.threads);
	used.strings = live_count(&block->header->strings, &block->areas.strings, 1);
	if (block->header->rewritten) /* short records refer to them */
		used.sites = live_count(&block->header->sites, &block->areas.sites, sizeof(struct vtb_wire_site));
	r = vtb_block_create(path, &used, &to, err);
	if (r < 0)
		return r;
	copy_header(to.header, block->header, &used);
	copy_area(&to, &to.areas.modules, block, &block->areas.modules);
	copy_area(&to, &to.areas.threads, block, &block->areas.threads);
	copy_area(&to, &to.areas.strings, block, &block->areas.strings);
	copy_area(&to, &to.areas.sites, block, &block->areas.sites);
	vtb_block_close(&to);
	return 0;
}
