/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/input.h"
#include "vtb/pt_recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pt_builds.h"
#include "vtb/array.h"
#include "vtb/json.h"
#include "vtb/trace.h"

#define PATH_SIZE 4096u
#define JSON_MAX ((size_t)16 << 20)
#define THREADS_MAX 65536u
#define MAPS_MAX (1u << 20)

void vtb_pt_recording_fini(struct vtb_pt_recording *rec)
{
	vtb_pt_session_fini(&rec->session);
	for (size_t i = 0; i < rec->n_maps; i++)
		free(rec->maps[i].path);
	for (size_t i = 0; i < rec->n_files; i++)
		munmap((void *)(uintptr_t)rec->files[i].data, rec->files[i].size);
	free(rec->maps);
	free(rec->data);
	free(rec->tids);
	free(rec->births);
	pt_builds_fini(rec);
	free(rec->files);
	free(rec->dir);
	free(rec->source);
	*rec = (struct vtb_pt_recording){ 0 };
}

/* Map DIR/name. A missing or empty file gives data NULL. */
static int map_file(struct vtb_pt_recording *rec, const char *name, struct vtb_input *ret, struct vtb_error *err)
{
	char path[PATH_SIZE];
	int r;

	*ret = (struct vtb_input){ 0 };
	snprintf(path, sizeof(path), "%s/%s", rec->dir, name);
	r = vtb_input_map(path, ret, err);
	if (r == -ENOENT || (r >= 0 && !ret->data))
		return 0;
	if (r < 0)
		return r;
	if (vtb_array_room(rec, files) < 0) {
		vtb_input_unmap(ret);
		return -ENOMEM;
	}
	rec->files[rec->n_files++] = *ret;
	return 0;
}

/* Check magic and version; *ret_at: where records begin. An absent file has none. */
static int check_header(const struct vtb_pt_recording *rec, const char *name, const char *magic,
                        const struct vtb_input *file, size_t *ret_at, struct vtb_error *err)
{
	struct vtb_pt_file_header h;
	char path[PATH_SIZE];

	*ret_at = file->size;
	if (!file->data)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", rec->dir, name);
	if (file->size < sizeof(h))
		return vtb_error_set(err, -VTB_E_FORMAT, path, 0, "too short for its header");
	memcpy(&h, file->data, sizeof(h));
	if (memcmp(h.magic, magic, sizeof(h.magic)))
		return vtb_error_set(err, -VTB_E_FORMAT, path, 0, "expected magic \"%s\"", magic);
	if (h.version != VTB_PT_RECORD_VERSION)
		return vtb_error_set(err, -VTB_E_VERSION, path, 8, "version %" PRIu32 ", expected %u", h.version,
		                     VTB_PT_RECORD_VERSION);
	if (h.header_size < sizeof(h) || h.header_size > file->size || h.header_size % 8)
		return vtb_error_set(err, -VTB_E_FORMAT, path, 12, "a header of %" PRIu32 " bytes is not possible",
		                     h.header_size);
	*ret_at = h.header_size;
	return 0;
}

/* ------------------------------------------------------------------ maps.txt */

static int add_map(struct vtb_pt_recording *rec, const char *line, struct vtb_error *err)
{
	struct vtb_pt_map map = { 0 };
	char path[PATH_SIZE] = "";

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %4095[^\n]", &map.lo, &map.hi, map.perms,
	           &map.offset, path) < 4)
		return 0; /* the empty line between snapshots */
	if (map.lo >= map.hi || rec->n_maps >= MAPS_MAX)
		return vtb_error_set(err, -VTB_E_FORMAT, rec->dir, 0,
		                     "maps.txt: a mapping that cannot be, or too many");
	if (vtb_array_room(rec, maps) < 0)
		return -ENOMEM;
	map.path = strdup(path);
	if (!map.path)
		return -ENOMEM;
	rec->maps[rec->n_maps++] = map;
	return 0;
}

static int read_maps(struct vtb_pt_recording *rec, struct vtb_error *err)
{
	char path[PATH_SIZE], line[PATH_SIZE + 128];
	FILE *file;
	int r = 0;

	snprintf(path, sizeof(path), "%s/maps.txt", rec->dir);
	file = vtb_input_stream(path);
	if (!file)
		return vtb_error_set(err, -errno, path, 0, "cannot open: %s", strerror(errno));
	while (r >= 0 && fgets(line, sizeof(line), file))
		r = add_map(rec, line, err);
	fclose(file);
	return r;
}

/* Was this very mapping there in the snapshot before? Then it does not replace anything. */
static bool seen_before(const struct vtb_pt_recording *rec, size_t i)
{
	const struct vtb_pt_map *map = &rec->maps[i];

	for (size_t k = 0; k < i; k++) {
		const struct vtb_pt_map *old = &rec->maps[k];

		if (old->lo == map->lo && old->hi == map->hi && old->offset == map->offset && old->perms[2] == 'x' &&
		    !strcmp(old->path, map->path))
			return true;
	}
	return false;
}

static int make_image(struct vtb_pt_recording *rec, struct vtb_error *err)
{
	struct vtb_input vdso;
	int r = vtb_pt_image_new(&rec->session.image);

	if (r >= 0)
		r = map_file(rec, "vdso.bin", &vdso, err);
	for (size_t i = 0; r >= 0 && i < rec->n_maps; i++) {
		const struct vtb_pt_map *map = &rec->maps[i];
		char path[PATH_SIZE];

		if (map->perms[2] != 'x' || seen_before(rec, i))
			continue;
		if (map->path[0] == '/') {
			r = vtb_pt_image_add_file(rec->session.image, map->path, map->offset, map->hi - map->lo,
			                          map->lo, err);
		} else if (!strcmp(map->path, "[vdso]") && vdso.data) {
			snprintf(path, sizeof(path), "%s/vdso.bin",
			         rec->dir); /* as a file, so that its blocks are cached */
			r = vtb_pt_image_add_file(rec->session.image, path, 0,
			                          vdso.size < map->hi - map->lo ? vdso.size : map->hi - map->lo,
			                          map->lo, err);
		}
	}
	return r;
}

/* ------------------------------------------------------------------ data.bin, log.bin */

static int read_data(struct vtb_pt_recording *rec, struct vtb_error *err)
{
	struct vtb_input file;
	struct vtb_pt_data head;
	size_t at;
	int r = map_file(rec, "data.bin", &file, err);

	if (r >= 0)
		r = check_header(rec, "data.bin", VTB_PT_DATA_MAGIC, &file, &at, err);
	while (r >= 0 && at < file.size) {
		if (file.size - at < sizeof(head))
			return vtb_error_set(err, -VTB_E_FORMAT, rec->dir, at, "data.bin ends inside a record");
		memcpy(&head, file.data + at, sizeof(head));
		at += sizeof(head);
		if (head.size > file.size - at || head.addr + head.size < head.addr)
			return vtb_error_set(err, -VTB_E_FORMAT, rec->dir, at,
			                     "data.bin: %" PRIu64 " bytes at 0x%" PRIx64 " do not fit", head.size,
			                     head.addr);
		if (vtb_array_room(rec, data) < 0)
			return -ENOMEM;
		rec->data[rec->n_data++] = (struct vtb_pt_chunk){ head.addr, head.size, file.data + at };
		at += head.size + (-head.size & 7);
		if (at > file.size)
			at = file.size;
	}
	return r;
}

static int read_log(struct vtb_pt_recording *rec, struct vtb_error *err)
{
	struct vtb_input file;
	size_t at = 0;
	int r = map_file(rec, "log.bin", &file, err);

	if (r >= 0)
		r = check_header(rec, "log.bin", VTB_PT_LOG_MAGIC, &file, &at, err);
	if (r < 0)
		return r;
	rec->log = file.data ? (const struct vtb_pt_log *)(const void *)(file.data + at) : NULL;
	rec->n_log = (file.size - at) /
	             sizeof(*rec->log); /* half a record at the end was being written when the process was killed */
	return 0;
}

/* ------------------------------------------------------------------ pt.json, thread-N.pt */

static int add_thread(struct vtb_pt_recording *rec, uint32_t slot, uint32_t tid, struct vtb_error *err)
{
	struct vtb_input file;
	char name[64];
	int r;

	if (slot != rec->n_tids)
		return vtb_error_set(err, -VTB_E_SCHEMA, rec->dir, 0,
		                     "pt.json: slot %" PRIu32 " where %zu was expected", slot, rec->n_tids);
	if (vtb_array_room(rec, tids) < 0 || vtb_array_room(&rec->session, sources) < 0)
		return -ENOMEM;
	rec->tids[rec->n_tids++] = tid;
	snprintf(name, sizeof(name), "thread-%" PRIu32 ".pt", slot);
	r = map_file(rec, name, &file, err);
	if (r < 0)
		return r;
	rec->session.sources[rec->session.n_sources++] = (struct vtb_pt_source){
		.data = file.data, .size = file.size, .cpu = VTB_PT_NONE, .tid = slot, .idx = slot
	};
	return vtb_pt_session_thread(&rec->session, slot) ? 0 : -ENOMEM; /* a thread without a packet is one, too */
}

/* Slots are given in the order of birth. */
static int add_birth(struct vtb_pt_recording *rec, struct vtb_json *doc, const struct vtb_json_node *t, uint32_t slot,
                     struct vtb_error *err)
{
	const struct vtb_pt_birth birth = {
		.parent = (uint32_t)vtb_json_opt_u64(doc, t, "parent", THREADS_MAX, VTB_PT_NONE),
		.nth = (uint32_t)vtb_json_opt_u64(doc, t, "nth", THREADS_MAX, 0),
	};

	if (birth.parent != VTB_PT_NONE && birth.parent >= slot)
		return vtb_error_set(err, -VTB_E_SCHEMA, rec->dir, 0,
		                     "pt.json: slot %" PRIu32 " has parent %" PRIu32 ", expected a smaller one", slot,
		                     birth.parent);
	if (vtb_array_room(rec, births) < 0)
		return -ENOMEM;
	rec->births[rec->n_births++] = birth;
	return 0;
}

static int read_threads(struct vtb_pt_recording *rec, struct vtb_json *doc, struct vtb_error *err)
{
	const struct vtb_json_node *threads = vtb_json_get_array(doc, vtb_json_root(doc), "threads", THREADS_MAX);
	int r = 0;

	for (size_t i = 0; r >= 0 && i < vtb_json_count(threads); i++) {
		const struct vtb_json_node *t = vtb_json_item_object(doc, threads, i);
		const uint32_t slot = (uint32_t)vtb_json_get_u64(doc, t, "slot", THREADS_MAX),
		               tid = (uint32_t)vtb_json_get_u64(doc, t, "tid", UINT32_MAX);

		r = vtb_json_status(doc);
		if (r >= 0)
			r = add_thread(rec, slot, tid, err);
		if (r >= 0)
			r = add_birth(rec, doc, t, slot, err);
	}
	return r < 0 ? r : vtb_json_status(doc);
}

static void read_cpu(struct vtb_json *doc, struct vtb_pt_cpu *cpu)
{
	const struct vtb_json_node *node = vtb_json_opt_object(doc, vtb_json_root(doc), "cpu");

	if (!node)
		return;
	cpu->family = (uint16_t)vtb_json_get_u64(doc, node, "family", UINT16_MAX);
	cpu->model = (uint8_t)vtb_json_get_u64(doc, node, "model", UINT8_MAX);
	cpu->stepping = (uint8_t)vtb_json_get_u64(doc, node, "stepping", UINT8_MAX);
	cpu->mtc_freq = (uint8_t)vtb_json_opt_u64(doc, node, "mtc_freq", UINT8_MAX, 0);
	cpu->nom_freq = (uint8_t)vtb_json_opt_u64(doc, node, "nom_freq", UINT8_MAX, 0);
	cpu->cpuid_15_eax = (uint32_t)vtb_json_opt_u64(doc, node, "cpuid_15_eax", UINT32_MAX, 0);
	cpu->cpuid_15_ebx = (uint32_t)vtb_json_opt_u64(doc, node, "cpuid_15_ebx", UINT32_MAX, 0);
}

static int read_json(struct vtb_pt_recording *rec, struct vtb_error *err)
{
	struct vtb_json *doc;
	char path[PATH_SIZE];
	int r;

	snprintf(path, sizeof(path), "%s/pt.json", rec->dir);
	r = vtb_json_read(path, JSON_MAX, &doc, err);
	if (r < 0)
		return r;
	r = vtb_json_expect(doc, vtb_json_root(doc), VTB_PT_RECORD_FORMAT, VTB_PT_RECORD_VERSION);
	if (r >= 0) {
		rec->source = strdup(vtb_json_opt_string(doc, vtb_json_root(doc), "source", ""));
		rec->total = !strcmp(vtb_json_opt_string(doc, vtb_json_root(doc), "order", "partial"), "total");
		rec->died = (uint32_t)vtb_json_opt_u64(doc, vtb_json_root(doc), "died", THREADS_MAX, VTB_PT_NONE);
		read_cpu(doc, &rec->session.cpu);
		r = rec->source ? read_threads(rec, doc, err) : -ENOMEM;
		r = r < 0 ? r : pt_builds_read(rec, doc);
	}
	vtb_json_free(doc);
	return r;
}

int vtb_pt_recording_read(const char *dir, unsigned jobs, struct vtb_pt_recording *ret, struct vtb_error *err)
{
	int r;

	*ret = (struct vtb_pt_recording){ .dir = strdup(dir), .died = VTB_PT_NONE };
	if (!ret->dir)
		return -ENOMEM;
	r = read_json(ret, err);
	if (r >= 0)
		r = read_maps(ret, err);
	if (r >= 0)
		r = make_image(ret, err);
	if (r >= 0)
		r = read_data(ret, err);
	if (r >= 0)
		r = read_log(ret, err);
	if (r >= 0)
		r = vtb_pt_session_deal(&ret->session, jobs, err);
	if (r < 0)
		vtb_pt_recording_fini(ret);
	return r;
}

/* ------------------------------------------------------------------ truth */

int vtb_pt_truth_open(struct vtb_pt_recording *rec, uint32_t slot, struct vtb_pt_truth_reader *ret,
                      struct vtb_error *err)
{
	char name[64];
	int r;

	*ret = (struct vtb_pt_truth_reader){ 0 };
	snprintf(name, sizeof(name), "thread-%" PRIu32 ".truth", slot);
	r = map_file(rec, name, &ret->file, err);
	if (r >= 0)
		r = check_header(rec, name, VTB_PT_TRUTH_MAGIC, &ret->file, &ret->at, err);
	return r < 0 ? r : ret->file.data ? 0 : -ENOENT;
}

int vtb_pt_truth_next(struct vtb_pt_truth_reader *t)
{
	struct vtb_pt_truth rec;
	size_t left = t->file.size - t->at;

	if (left == 0)
		return 0;
	if (left < sizeof(rec))
		return -VTB_E_FORMAT;
	memcpy(&rec, t->file.data + t->at, sizeof(rec));
	left -= sizeof(rec);
	t->at += sizeof(rec);
	if (rec.changed >> VTB_PT_TRUTH_REGS || left / 8 < (unsigned)__builtin_popcount(rec.changed))
		return -VTB_E_FORMAT;
	t->tsc = rec.tsc;
	t->ip = rec.ip;
	for (unsigned i = 0; i < VTB_PT_TRUTH_REGS; i++)
		if (rec.changed >> i & 1) {
			memcpy(&t->regs[i], t->file.data + t->at, 8);
			t->at += 8;
		}
	return 1;
}
