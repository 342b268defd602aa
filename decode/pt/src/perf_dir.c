/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory of perf record --threads: `data` has the header and what perf itself wrote, data.0, data.1, ... the
 * records that its threads read, without a header. */
#include "perf_data.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "perf_records.h"
#include "vtb/array.h"

#define WRITERS_MAX 65536

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int is_writer(const struct dirent *entry)
{
	const char *number = strncmp(entry->d_name, "data.", 5) ? "" : entry->d_name + 5;

	return *number && strspn(number, "0123456789") == strlen(number);
}

static int map_file(struct vtb_perf_data *data, const char *path, struct vtb_input *ret, struct vtb_error *err)
{
	int r;

	if (vtb_array_room(data, files) < 0)
		return -ENOMEM;
	r = vtb_input_map(path, ret, err);
	if (r >= 0)
		data->files[data->n_files++] = *ret;
	return r;
}

static int read_writer(struct vtb_perf_data *data, const char *path, uint64_t *before, struct vtb_error *err)
{
	struct vtb_perf_stream stream = { .path = path, .before = *before };
	struct vtb_input file;
	int r = map_file(data, path, &file, err);

	*before += r >= 0 ? file.size : 0;
	return r < 0 ? r : vtb_perf_stream_read(data, &stream, file.data, 0, file.size, err);
}

static int read_writers(struct vtb_perf_data *data, const char *dir, uint64_t before, struct vtb_error *err)
{
	struct dirent **names;
	const int n = scandir(dir, &names, is_writer, versionsort);
	int r = n < 0             ? vtb_error_set(err, -errno, dir, 0, "cannot be read: %s", strerror(errno))
	        : n > WRITERS_MAX ? vtb_error_set(err, -VTB_E_LIMIT, dir, 0, "more than %d files data.N", WRITERS_MAX)
	                          : 0;

	for (int i = 0; i < n; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		r = r < 0 ? r : read_writer(data, path, &before, err);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return r;
}

static int read_main(struct vtb_perf_data *data, const char *path, struct vtb_error *err)
{
	struct vtb_input file;
	const int r = map_file(data, path, &file, err);

	if (r < 0)
		return r;
	snprintf(data->path, sizeof(data->path), "%s", path);
	data->bytes = file.data;
	data->size = file.size;
	return vtb_perf_read_header(data, err);
}

int vtb_perf_read(const char *path, struct vtb_perf_data *data, struct vtb_error *err)
{
	char main_file[4096];
	const bool dir = is_dir(path);
	int r;

	snprintf(main_file, sizeof(main_file), "%s%s", path, dir ? "/data" : "");
	r = read_main(data, main_file, err);
	if (r >= 0 && dir)
		r = read_writers(data, path, data->size, err);
	return r < 0 ? r : vtb_perf_end(data);
}
