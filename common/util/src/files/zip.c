/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/zip.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "vtb/error.h"

#define LEVEL 1 /* a quarter larger than level 3 and four times as fast */

struct vtb_zip {
	ZSTD_CCtx *zstd;
	unsigned char *packed;
	size_t packed_size;
};

struct vtb_unzip {
	ZSTD_DCtx *zstd;
	ZSTD_inBuffer in;
	size_t frame; /* last answer of zstd; 0: the frame is complete */
};

struct vtb_zip *vtb_zip_new(void)
{
	struct vtb_zip *z = calloc(1, sizeof(*z));

	if (!z)
		return NULL;
	z->packed_size = ZSTD_CStreamOutSize();
	z->packed = malloc(z->packed_size);
	z->zstd = ZSTD_createCCtx();
	if (!z->packed || !z->zstd) {
		vtb_zip_free(z);
		return NULL;
	}
	ZSTD_CCtx_setParameter(z->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(z->zstd, ZSTD_c_checksumFlag, 1);
	return z;
}

void vtb_zip_free(struct vtb_zip *z)
{
	if (!z)
		return;
	ZSTD_freeCCtx(z->zstd);
	free(z->packed);
	free(z);
}

int vtb_zip_write(struct vtb_zip *z, const void *bytes, size_t size, bool last, FILE *file)
{
	ZSTD_inBuffer in = { bytes, size, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { z->packed, z->packed_size, 0 };

		left = ZSTD_compressStream2(z->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -ENOMEM;
		fwrite(z->packed, 1, out.pos, file);
	} while (last ? left > 0 : in.pos < in.size);
	return 0;
}

struct vtb_unzip *vtb_unzip_new(void)
{
	struct vtb_unzip *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->frame = 1;
	u->zstd = ZSTD_createDCtx();
	if (!u->zstd) {
		free(u);
		return NULL;
	}
	return u;
}

void vtb_unzip_free(struct vtb_unzip *u)
{
	if (!u)
		return;
	ZSTD_freeDCtx(u->zstd);
	free(u);
}

void vtb_unzip_feed(struct vtb_unzip *u, const void *bytes, size_t size)
{
	u->in = (ZSTD_inBuffer){ bytes, size, 0 };
}

int64_t vtb_unzip_read(struct vtb_unzip *u, void *buf, size_t size)
{
	ZSTD_outBuffer out = { buf, size, 0 };

	while (out.pos < size && u->frame) {
		const size_t before = out.pos;

		u->frame = ZSTD_decompressStream(u->zstd, &out, &u->in);
		if (ZSTD_isError(u->frame))
			return -VTB_E_FORMAT;
		if (out.pos == before && u->in.pos == u->in.size)
			break;
	}
	return (int64_t)out.pos;
}

void vtb_unzip_next(struct vtb_unzip *u)
{
	u->frame = 1; /* zstd begins anew by itself */
}

bool vtb_unzip_ended(const struct vtb_unzip *u)
{
	return !u->frame;
}

bool vtb_unzip_used_up(const struct vtb_unzip *u)
{
	return u->in.pos == u->in.size;
}

const char *vtb_unzip_complaint(const struct vtb_unzip *u)
{
	return ZSTD_getErrorName(u->frame);
}
