/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vtb/hash.h"

#define MAGIC "vtbruns"
#define VERSION 1u
#define BLOCK_MAGIC 0x6b6c6276u /* "vblk" */
#define MSEC_MAX (1ull << 50)

struct header {
	char magic[8];
	uint32_t version, size;
	uint64_t identity;
	uint64_t checksum; /* of what comes before */
};

struct block_header {
	uint32_t magic, size; /* bytes that follow */
	uint64_t at;          /* of this header in the file */
	uint64_t msec;        /* that the hunt had taken */
	uint64_t cross_checked;
	uint32_t uncontrolled, reserved;
	uint64_t checksum; /* of what comes before and what follows */
};

static int fail(const struct kept_file *f, int r, struct vtb_error *err, const char *what)
{
	return vtb_error_set(err, r, f->path, 0, "%s: %s", what, vtb_strerror(r));
}

/* All of it, or an error. */
static int read_at(int fd, void *into, size_t n, uint64_t at)
{
	for (size_t done = 0; done < n;) {
		const ssize_t some = pread(fd, (char *)into + done, n - done, (off_t)(at + done));

		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)
			return some < 0 ? -errno : -VTB_E_FORMAT;
		done += (size_t)some;
	}
	return 0;
}

static int write_at(int fd, const void *from, size_t n, uint64_t at)
{
	for (size_t done = 0; done < n;) {
		const ssize_t some = pwrite(fd, (const char *)from + done, n - done, (off_t)(at + done));

		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)
			return some < 0 ? -errno : -ENOSPC;
		done += (size_t)some;
	}
	return 0;
}

static uint64_t checksum(const struct block_header *h, const void *bytes)
{
	return vtb_hash_seed(bytes, h->size, vtb_hash(h, offsetof(struct block_header, checksum)));
}

/* ---- opening */

/* Nothing is there, or the beginning of a header: who wrote it was killed. */
static int begin(struct kept_file *f, size_t there, uint64_t identity, struct vtb_error *err)
{
	struct header h = { .magic = MAGIC, .version = VERSION, .size = sizeof(h), .identity = identity };
	char found[sizeof(h)];
	int r = read_at(f->fd, found, there, 0);

	if (r < 0)
		return fail(f, r, err, "cannot read it");
	if (memcmp(found, MAGIC, there < sizeof(h.magic) ? there : sizeof(h.magic)) != 0)
		return vtb_error_set(err, -VTB_E_FORMAT, f->path, 0, "not a file of kept runs");
	h.checksum = vtb_hash(&h, offsetof(struct header, checksum));
	r = ftruncate(f->fd, 0) < 0 ? -errno : write_at(f->fd, &h, sizeof(h), 0);
	f->size = sizeof(h);
	return r < 0 ? fail(f, r, err, "cannot write it") : 0;
}

static int check_header(const struct kept_file *f, uint64_t identity, struct vtb_error *err)
{
	struct header h;
	int r = read_at(f->fd, &h, sizeof(h), 0);

	if (r < 0)
		return fail(f, r, err, "cannot read it");
	if (memcmp(h.magic, MAGIC, sizeof(h.magic)) != 0)
		return vtb_error_set(err, -VTB_E_FORMAT, f->path, 0, "not a file of kept runs");
	if (h.version != VERSION)
		return vtb_error_set(err, -VTB_E_VERSION, f->path, 0, "version %" PRIu32 ", and not %u", h.version,
		                     VERSION);
	if (h.size != sizeof(h) || h.checksum != vtb_hash(&h, offsetof(struct header, checksum)))
		return vtb_error_set(err, -VTB_E_FORMAT, f->path, 0, "its header is damaged");
	if (h.identity != identity)
		return vtb_error_set(err, -ESTALE, f->path, 0, "its runs are not of the hunt beside it");
	return 0;
}

/* The block there. 0: it is whole; 1: it is not, the file ends here; or an error. */
static int look_at_block(struct kept_file *f, uint64_t file_size, struct kept_out *room, struct vtb_error *err)
{
	struct block_header h;
	int r;

	if (file_size - f->size < sizeof(h))
		return 1;
	r = read_at(f->fd, &h, sizeof(h), f->size);
	if (r < 0)
		return fail(f, r, err, "cannot read it");
	if (h.magic != BLOCK_MAGIC || h.at != f->size || h.size > KEPT_BLOCK_BYTES_MAX || h.msec > MSEC_MAX ||
	    h.size > file_size - f->size - sizeof(h))
		return 1;
	if (f->n_blocks >= KEPT_BLOCKS_MAX)
		return vtb_error_set(err, -VTB_E_LIMIT, f->path, f->size, "more than %u blocks", KEPT_BLOCKS_MAX);
	if (vtb_array_room(f, blocks) < 0)
		return fail(f, -ENOMEM, err, "cannot read it");
	f->blocks[f->n_blocks] = (struct kept_block){
		.at = f->size + sizeof(h),
		.size = h.size,
		.moment = { (double)h.msec / 1000, h.uncontrolled, h.cross_checked },
	};
	r = kept_file_read(f, f->n_blocks, room, err);
	if (r < 0)
		return r;
	return h.checksum != checksum(&h, room->bytes);
}

static int look_at_blocks(struct kept_file *f, uint64_t file_size, struct vtb_error *err)
{
	struct kept_out room = { 0 };
	int r;

	f->size = sizeof(struct header);
	while ((r = look_at_block(f, file_size, &room, err)) == 0) {
		f->size = f->blocks[f->n_blocks].at + f->blocks[f->n_blocks].size;
		f->n_blocks++;
	}
	free(room.bytes);
	f->cut = file_size - f->size;
	if (r > 0 && f->cut && ftruncate(f->fd, (off_t)f->size) < 0)
		return fail(f, -errno, err, "cannot cut off what is not whole");
	return r < 0 ? r : 0;
}

/* Of this process, not of those that it forks: it ends with it, whatever they do. */
static int take_lock(const struct kept_file *f, struct vtb_error *err)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(f->fd, F_SETLK, &lock) == 0)
		return 0;
	if (errno == EACCES || errno == EAGAIN)
		return vtb_error_set(err, -EBUSY, f->path, 0, "another hunt is at work with it");
	return fail(f, -errno, err, "cannot lock it");
}

int kept_file_open(struct kept_file *f, const char *path, uint64_t identity, struct vtb_error *err)
{
	struct stat st;
	int r;

	*f = (struct kept_file){ .fd = -1, .path = strdup(path) };
	if (!f->path)
		return vtb_error_set(err, -ENOMEM, path, 0, "%s", vtb_strerror(-ENOMEM));
	f->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (f->fd < 0 || fstat(f->fd, &st) < 0)
		return fail(f, -errno, err, "cannot open it");
	if (!S_ISREG(st.st_mode))
		return vtb_error_set(err, -VTB_E_FORMAT, path, 0, "not a regular file");
	r = take_lock(f, err);
	if (r >= 0 && (size_t)st.st_size < sizeof(struct header))
		return begin(f, (size_t)st.st_size, identity, err);
	if (r >= 0)
		r = check_header(f, identity, err);
	return r < 0 ? r : look_at_blocks(f, (uint64_t)st.st_size, err);
}

/* ---- blocks */

int kept_file_read(const struct kept_file *f, size_t block, struct kept_out *into, struct vtb_error *err)
{
	const struct kept_block *b = &f->blocks[block];
	void *items = into->bytes;
	int r = b->size > into->cap_bytes ? vtb_array_reserve(&items, &into->cap_bytes, b->size, 1) : 0;

	into->bytes = items;
	into->n_bytes = b->size;
	if (r >= 0)
		r = read_at(f->fd, into->bytes, b->size, b->at);
	return r < 0 ? fail(f, r, err, "cannot read it") : 0;
}

int kept_file_add(struct kept_file *f, const struct kept_out *bytes, const struct kept_moment *moment,
                  struct vtb_error *err)
{
	struct block_header h = { .magic = BLOCK_MAGIC,
		                  .size = (uint32_t)bytes->n_bytes,
		                  .at = f->size,
		                  .msec = (uint64_t)(moment->seconds * 1000),
		                  .cross_checked = moment->cross_checked,
		                  .uncontrolled = moment->uncontrolled };
	int r;

	if (bytes->n_bytes > KEPT_BLOCK_BYTES_MAX || (f->max && f->size + sizeof(h) + h.size > f->max))
		return 1;
	h.checksum = checksum(&h, bytes->bytes);
	r = write_at(f->fd, bytes->bytes, bytes->n_bytes, f->size + sizeof(h));
	if (r >= 0)
		r = write_at(f->fd, &h, sizeof(h), f->size);
	if (r >= 0) {
		f->size += sizeof(h) + h.size;
		return 0;
	}
	if (ftruncate(f->fd, (off_t)f->size) < 0)
		return fail(f, -errno, err, "cannot be written to, nor cut off");
	return fail(f, r, err, "cannot be written to");
}

void kept_file_close(struct kept_file *f)
{
	if (f->fd >= 0)
		close(f->fd); /* and with it the lock */
	free(f->path);
	free(f->blocks);
	*f = (struct kept_file){ .fd = -1 };
}
