/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "events_file.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "columns are written as they lie in memory, little-endian"
#endif

/* Every column of the file, in its order. */
#define COLUMNS(X) \
	X(addr) X(value) X(var) X(site) X(size) X(aux) X(thread) X(place) X(kind) X(flags) X(order) X(deviation)

void vtb_events_pack(const struct vtb_event *events, size_t n, unsigned char *columns)
{
#define PACK(field)                                                                                   \
	for (size_t i = 0; i < n; i++)                                                                \
		memcpy(columns + i * sizeof(events->field), &events[i].field, sizeof(events->field)); \
	columns += n * sizeof(events->field);
	COLUMNS(PACK)
#undef PACK
}

void vtb_events_unpack(const unsigned char *columns, size_t n, struct vtb_event *events)
{
#define UNPACK(field)                                                                                 \
	for (size_t i = 0; i < n; i++)                                                                \
		memcpy(&events[i].field, columns + i * sizeof(events->field), sizeof(events->field)); \
	columns += n * sizeof(events->field);
	COLUMNS(UNPACK)
#undef UNPACK
}
