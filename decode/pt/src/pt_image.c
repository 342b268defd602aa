/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pt_image.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vtb/array.h"
#include "vtb/elf_file.h"
#include "vtb/input.h"

int vtb_pt_image_new(struct vtb_pt_image **ret)
{
	struct vtb_pt_image *image = calloc(1, sizeof(*image));

	if (!image)
		return -ENOMEM;
	*ret = image;
	return 0;
}

static void file_free(struct vtb_pt_file *file)
{
	if (file->mapped)
		munmap(file->bytes, file->size);
	else
		free(file->bytes);
	free(file->path);
	free(file);
}

void vtb_pt_image_free(struct vtb_pt_image *image)
{
	if (!image)
		return;
	if (image->shared)
		image->shared_free(image->shared);
	for (size_t i = 0; i < image->n_files; i++)
		file_free(image->files[i]);
	free(image->files);
	free(image->sections);
	free(image);
}

/* The mapped file, or NULL if it cannot be read; the files are shared by their sections. */
static struct vtb_pt_file *map_file(const char *path)
{
	struct vtb_pt_file *file = calloc(1, sizeof(*file));
	struct vtb_input input = { 0 };

	if (!file || vtb_input_map(path, &input, NULL) < 0 || !input.data)
		goto fail;
	file->path = strdup(path);
	if (!file->path)
		goto fail;
	file->size = input.size;
	file->bytes = (void *)(uintptr_t)input.data;
	file->mapped = true;
	return file;
fail:
	vtb_input_unmap(&input);
	free(file);
	return NULL;
}

static struct vtb_pt_file *find_file(struct vtb_pt_image *image, const char *path)
{
	struct vtb_pt_file *file;

	for (size_t i = 0; i < image->n_files; i++)
		if (image->files[i]->path && !strcmp(image->files[i]->path, path))
			return image->files[i];
	if (vtb_array_room(image, files) < 0)
		return NULL;
	file = map_file(path);
	if (file)
		image->files[image->n_files++] = file;
	return file;
}

static void remove_section(struct vtb_pt_image *image, size_t i)
{
	memmove(image->sections + i, image->sections + i + 1, (image->n_sections - i - 1) * sizeof(*image->sections));
	image->n_sections--;
}

static int insert_section(struct vtb_pt_image *image, size_t i, struct vtb_pt_section section)
{
	if (vtb_array_room(image, sections) < 0)
		return -ENOMEM;
	memmove(image->sections + i + 1, image->sections + i, (image->n_sections - i) * sizeof(*image->sections));
	image->sections[i] = section;
	image->n_sections++;
	return 0;
}

/* Clear [lo, hi): sections that reach into it lose that part, one that surrounds it becomes two. */
static int make_hole(struct vtb_pt_image *image, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < image->n_sections;) {
		struct vtb_pt_section *s = &image->sections[i];
		struct vtb_pt_section right = *s;

		if (s->hi <= lo || s->lo >= hi) {
			i++;
			continue;
		}
		right.offset += hi - s->lo;
		right.lo = hi;
		if (s->lo >= lo && s->hi <= hi) {
			remove_section(image, i);
		} else if (s->lo < lo) {
			const bool split = s->hi > hi;

			s->hi = lo;
			if (split)
				return insert_section(image, i + 1, right);
			i++;
		} else {
			*s = right;
			i++;
		}
	}
	return 0;
}

static int add_section(struct vtb_pt_image *image, struct vtb_pt_section section)
{
	size_t i = 0;
	int r = make_hole(image, section.lo, section.hi);

	if (r < 0)
		return r;
	while (i < image->n_sections && image->sections[i].lo < section.lo)
		i++;
	return insert_section(image, i, section);
}

static int check_range(const struct vtb_pt_image *image, uint64_t size, uint64_t addr, const char *path,
                       struct vtb_error *err)
{
	if (image->n_sections + 2 > VTB_PT_SECTIONS_MAX)
		return vtb_error_set(err, -VTB_E_LIMIT, path, 0, "more than %u executable mappings",
		                     VTB_PT_SECTIONS_MAX);
	if (size == 0 || addr + size < addr)
		return vtb_error_set(err, -EINVAL, path, 0,
		                     "a mapping of %" PRIu64 " bytes at 0x%" PRIx64 " is not possible", size, addr);
	return 0;
}

int vtb_pt_image_add_file(struct vtb_pt_image *image, const char *path, uint64_t offset, uint64_t size, uint64_t addr,
                          struct vtb_error *err)
{
	struct vtb_pt_file *file;
	int r = check_range(image, size, addr, path, err);

	if (r < 0)
		return r;
	file = find_file(image, path);
	if (!file || offset >= file->size) /* not at hand: whatever was there before is gone all the same */
		return make_hole(image, addr, addr + size);
	if (size > file->size - offset)
		size = file->size - offset;
	return add_section(image,
	                   (struct vtb_pt_section){ .lo = addr, .hi = addr + size, .offset = offset, .file = file });
}

int vtb_pt_image_add_bytes(struct vtb_pt_image *image, const void *bytes, uint64_t size, uint64_t addr,
                           struct vtb_error *err)
{
	struct vtb_pt_file *file;
	int r = check_range(image, size, addr, NULL, err);

	if (r < 0)
		return r;
	if (vtb_array_room(image, files) < 0)
		return -ENOMEM;
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->bytes = malloc(size);
	if (!file->bytes) {
		free(file);
		return -ENOMEM;
	}
	memcpy(file->bytes, bytes, size);
	file->size = size;
	image->files[image->n_files++] = file;
	return add_section(image, (struct vtb_pt_section){ .lo = addr, .hi = addr + size, .offset = 0, .file = file });
}

/* What runs here. */
static int open_elf(const char *path, struct vtb_elf **ret, struct vtb_error *err)
{
	int r = vtb_elf_open(path, ret, err);

	if (r >= 0 && !vtb_elf_is_native(*ret)) {
		vtb_elf_close(*ret);
		r = vtb_error_set(err, -VTB_E_FORMAT, path, 0, "not an x86-64 ELF file");
	}
	return r;
}

int vtb_pt_image_add_elf(struct vtb_pt_image *image, const char *path, uint64_t base, struct vtb_error *err)
{
	struct vtb_elf_segment first, s;
	struct vtb_elf *elf;
	int r = open_elf(path, &elf, err);

	if (r < 0)
		return r;
	if (vtb_elf_loaded(elf, 0, &first)) /* program headers are sorted by address */
		for (size_t i = 0; r >= 0 && vtb_elf_segment(elf, i, &s); i++)
			if (s.type == PT_LOAD && s.flags & PF_X)
				r = vtb_pt_image_add_file(image, path, s.offset, s.file_size,
				                          s.addr - first.addr + base, err);
	vtb_elf_close(elf);
	return r;
}

static const struct vtb_pt_section *section_at(const struct vtb_pt_image *image, uint64_t addr)
{
	size_t lo = 0, hi = image->n_sections;

	while (lo < hi) {
		const size_t mid = (lo + hi) / 2;

		if (image->sections[mid].hi <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < image->n_sections && image->sections[lo].lo <= addr ? &image->sections[lo] : NULL;
}

size_t vtb_pt_image_read(const struct vtb_pt_image *image, uint64_t addr, void *buf, size_t n)
{
	uint8_t *to = buf;
	size_t done = 0;

	while (done < n) {
		const struct vtb_pt_section *s = section_at(image, addr + done);
		uint64_t part;

		if (!s)
			break;
		part = s->hi - (addr + done);
		if (part > n - done)
			part = n - done;
		memcpy(to + done, s->file->bytes + s->offset + (addr + done - s->lo), part);
		done += part;
	}
	return done;
}

const char *vtb_pt_image_map(const struct vtb_pt_image *image, size_t i, uint64_t *ret_lo, uint64_t *ret_hi,
                             uint64_t *ret_offset)
{
	for (size_t k = 0; k < image->n_sections; k++) {
		const struct vtb_pt_section *s = &image->sections[k];

		if (!s->file->path || i-- > 0)
			continue;
		*ret_lo = s->lo;
		*ret_hi = s->hi;
		*ret_offset = s->offset;
		return s->file->path;
	}
	return NULL;
}

uint64_t vtb_pt_elf_base(const char *path)
{
	struct vtb_elf *elf;
	uint64_t base;

	if (open_elf(path, &elf, NULL) < 0)
		return 0;
	base = vtb_elf_base(elf);
	vtb_elf_close(elf);
	return base;
}
