/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where things lie in a server's block (server.h has the picture). The program's copy of these numbers is not read. */
#ifndef VTB_SERVER_ARENA_H
#define VTB_SERVER_ARENA_H

#include "server.h"

#define OUTPUT_BYTES (256ull << 10) /* engine snapshot: of what a run prints, in the block */

static inline uint64_t arena_pages(uint64_t bytes)
{
	return (bytes + 4095) & ~4095ull;
}

static inline struct vtb_wire_slot *arena_slot(const struct server *s, uint32_t i)
{
	return (struct vtb_wire_slot *)vtb_block_at(&s->block, s->block.areas.slots.offset, s->block.areas.slots.size) +
	       i;
}

static inline uint64_t arena_schedule(const struct server *s, uint32_t i)
{
	return s->block.areas.arena.offset + i * arena_pages(s->opts.schedule_bytes);
}

static inline uint64_t arena_events(const struct server *s, uint32_t i)
{
	return s->block.areas.arena.offset + s->opts.slots * arena_pages(s->opts.schedule_bytes) +
	       i * arena_pages(s->opts.events_bytes);
}

/* Which area the series posted as number `n` writes its events to: as many as are in flight, so that they stay in the
 * cache. */
static inline uint32_t arena_of_series(const struct server *s, uint32_t n)
{
	return n % (s->opts.slots < SERVER_SERIES ? s->opts.slots : SERVER_SERIES);
}

static inline uint64_t arena_view(const struct server *s)
{
	return arena_events(s, s->opts.slots);
}

/* One for all slots: runs are made one after the other. */
static inline uint64_t arena_output(const struct server *s)
{
	return arena_view(s) + arena_pages(sizeof(struct vtb_fsview));
}

static inline uint64_t arena_output_size(const struct server *s)
{
	return s->opts.engine == VTB_ENGINE_SNAPSHOT ? OUTPUT_BYTES : 0;
}

static inline uint64_t arena_series(const struct server *s, uint32_t i)
{
	return arena_output(s) + arena_output_size(s) + i * arena_pages(sizeof(struct vtb_wire_series));
}

static inline uint64_t arena_size(const struct server *s)
{
	const uint32_t series = s->opts.engine == VTB_ENGINE_SNAPSHOT ? s->opts.slots : 0;

	return s->opts.slots * (arena_pages(s->opts.schedule_bytes) + arena_pages(s->opts.events_bytes)) +
	       arena_pages(sizeof(struct vtb_fsview)) + arena_output_size(s) +
	       series * arena_pages(sizeof(struct vtb_wire_series));
}

#endif /* VTB_SERVER_ARENA_H */
