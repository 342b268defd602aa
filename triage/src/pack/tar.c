/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tar.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vtb/input.h"

/* A header block: text fields, numbers in octal. */
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[6], version[2];
	char owner[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
_Static_assert(sizeof(struct header) == VTB_TAR_BLOCK, "as POSIX has it");

/* With blanks in the place of the sum itself. */
static unsigned sum_of(const struct header *h)
{
	const uint8_t *bytes = (const uint8_t *)h;
	unsigned sum = 0;

	for (size_t i = 0; i < sizeof(*h); i++)
		sum += i >= offsetof(struct header, sum) && i < offsetof(struct header, type) ? ' ' : bytes[i];
	return sum;
}

/* No owner, no time: same content, same bytes. */
static void make_header(struct header *h, const char *name, uint64_t size, bool executable)
{
	*h = (struct header){ .type = '0', .magic = "ustar", .version = { '0', '0' } };
	snprintf(h->name, sizeof(h->name), "%s", name);
	snprintf(h->mode, sizeof(h->mode), "%07o", executable ? 0755 : 0644);
	snprintf(h->uid, sizeof(h->uid), "%07o", 0);
	snprintf(h->gid, sizeof(h->gid), "%07o", 0);
	snprintf(h->size, sizeof(h->size), "%011" PRIo64, size);
	snprintf(h->mtime, sizeof(h->mtime), "%011o", 0);
	snprintf(h->sum, sizeof(h->sum), "%06o", sum_of(h));
	h->sum[7] = ' ';
}

static int add(FILE *to, const char *name, const void *bytes, size_t size, bool executable)
{
	static const char zeros[VTB_TAR_BLOCK];
	struct header h;

	if (strlen(name) > VTB_TAR_NAME_MAX || size >> 33)
		return -VTB_E_LIMIT;
	make_header(&h, name, size, executable);
	fwrite(&h, sizeof(h), 1, to);
	if (size)
		fwrite(bytes, 1, size, to);
	if (size % VTB_TAR_BLOCK)
		fwrite(zeros, 1, VTB_TAR_BLOCK - size % VTB_TAR_BLOCK, to);
	return ferror(to) ? -EIO : 0;
}

int vtb_tar_add_bytes(FILE *to, const char *name, const void *bytes, size_t size)
{
	return add(to, name, bytes, size, false);
}

int vtb_tar_add(FILE *to, const char *name, const char *path, struct vtb_error *err)
{
	struct vtb_input in;
	int r = vtb_input_map(path, &in, err);

	if (r < 0)
		return r;
	r = add(to, name, in.data, in.size, access(path, X_OK) == 0);
	vtb_input_unmap(&in);
	return r < 0 ? vtb_error_set(err, r, path, 0, "cannot be packed: %s", vtb_strerror(r)) : 0;
}

int vtb_tar_end(FILE *to)
{
	static const char zeros[2 * VTB_TAR_BLOCK];

	fwrite(zeros, 1, sizeof(zeros), to);
	return ferror(to) ? -EIO : 0;
}

static bool octal(const char *text, size_t n, uint64_t *ret)
{
	uint64_t value = 0;
	size_t i = 0;

	for (; i < n && text[i] >= '0' && text[i] <= '7'; i++)
		value = value << 3 | (uint64_t)(text[i] - '0');
	*ret = value;
	return i > 0 && (i == n || !text[i] || text[i] == ' ');
}

bool vtb_tar_is_plain(const char *name)
{
	if (!*name || *name == '/' || strstr(name, ".."))
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("._+-/", *name))
			return false;
	return true;
}

int vtb_tar_next(const char *path, const uint8_t *bytes, size_t size, uint64_t *at, struct vtb_tar_entry *ret,
                 struct vtb_error *err)
{
	struct header h;
	uint64_t sum, mode;

	if (size - *at < sizeof(h))
		return vtb_error_set(err, -VTB_E_FORMAT, path, *at, "ends within a tar header");
	memcpy(&h, bytes + *at, sizeof(h));
	if (!h.name[0])
		return 0;
	if (memcmp(h.magic, "ustar", 5) || !octal(h.sum, sizeof(h.sum), &sum) || sum != sum_of(&h))
		return vtb_error_set(err, -VTB_E_FORMAT, path, *at, "no tar header stands there");
	*ret = (struct vtb_tar_entry){ .at = *at + sizeof(h) };
	memcpy(ret->name, h.name, VTB_TAR_NAME_MAX);
	if (h.type != '0' || h.prefix[0] || h.name[VTB_TAR_NAME_MAX] || !vtb_tar_is_plain(ret->name))
		return vtb_error_set(err, -VTB_E_FORMAT, path, *at, "an entry is no plain file of a plain name");
	if (!octal(h.size, sizeof(h.size), &ret->size) || ret->size > size - ret->at)
		return vtb_error_set(err, -VTB_E_FORMAT, path, *at, "\"%s\" is longer than the file", ret->name);
	ret->executable = octal(h.mode, sizeof(h.mode), &mode) && mode & 0100;
	*at = ret->at + (ret->size + VTB_TAR_BLOCK - 1) / VTB_TAR_BLOCK * VTB_TAR_BLOCK;
	if (*at > size)
		return vtb_error_set(err, -VTB_E_FORMAT, path, ret->at, "ends within \"%s\"", ret->name);
	return 1;
}
