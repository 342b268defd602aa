/* SPDX-License-Identifier: BSD-2-Clause */
#include "owned_sites.h"

#include "base.h"
#include "scheduler.h"

#define LOOKED_BITS 12u

/* Where calls were looked for last. What it says is the same in each run. */
struct looked {
	uint64_t pc;
	uint32_t site; /* + 1 */
};

static struct {
	struct vtb_wire_site *sites;
	uint64_t n_sites; /* of the file */
	bool places;
	uint32_t *by_pc; /* open addressing by where the call ends: site + 1, 0: none */
	struct looked *looked;
	uint32_t bits;
	uint64_t bias;
} known;

static uint64_t end_of(uint64_t i)
{
	return known.bias + known.sites[i].addr + known.sites[i].length;
}

static uint32_t *entry_of(uint64_t pc)
{
	const uint32_t mask = (1u << known.bits) - 1;
	uint32_t at = (uint32_t)(pc * VTB_SEEN_FACTOR >> (64 - known.bits));

	while (known.by_pc[at] && end_of(known.by_pc[at] - 1) != pc)
		at = (at + 1) & mask;
	return &known.by_pc[at];
}

void vtb_owned_take_sites(struct vtb_wire_site *sites, uint64_t n, bool places, uint64_t bias)
{
	uint32_t bits = 4;

	while (1ull << bits < 2 * n)
		bits++;
	known.looked = vtb_shared_pages(sizeof(*known.looked) << LOOKED_BITS);
	known.by_pc = known.looked ? sys_pages(sizeof(*known.by_pc) << bits) : NULL;
	if (!known.by_pc)
		return;
	known.sites = sites;
	known.n_sites = n;
	known.places = places;
	known.bits = bits;
	known.bias = bias;
	for (uint64_t i = 0; i < n; i++)
		if (sites[i].hook != UINT16_MAX && (sites[i].call || sites[i].hook == VTB_SITE_PAD))
			*entry_of(end_of(i)) = (uint32_t)i + 1;
}

bool vtb_owned_has_sites(void)
{
	return known.by_pc != NULL;
}

/* The same wherever modules were loaded. */
static uint32_t place_of(uint64_t pc)
{
	const uint64_t hash = vtb_rt_module_offset(pc) * VTB_SEEN_FACTOR >> 32;

	return (uint32_t)(known.n_sites + hash % VTB_SITE_PLACES) + 1;
}

static uint32_t look_for(uint64_t pc, struct looked *ret)
{
	const uint32_t site = *entry_of(pc);

	*ret = (struct looked){ pc, site ? site : known.places ? place_of(pc) : 0 };
	return ret->site;
}

uint32_t vtb_owned_site(uint64_t pc)
{
	struct looked *looked;
	uint32_t site;

	if (VTB_UNLIKELY(!known.by_pc))
		return 0;
	looked = &known.looked[pc * VTB_SEEN_FACTOR >> (64 - LOOKED_BITS)];
	site = VTB_LIKELY(looked->pc == pc) ? looked->site : look_for(pc, looked);
	return site && known.sites[site - 1].on & VTB_SITE_OWNED ? site : 0;
}

bool vtb_owned_is_fine(uint32_t site)
{
	return known.sites[site - 1].on & VTB_SITE_FINE;
}

void vtb_owned_met(uint32_t site, bool part)
{
	struct vtb_wire_site *s = &known.sites[site - 1];

	s->is_on |= part && !(s->on & VTB_SITE_FINE) ? VTB_SITE_PART : VTB_SITE_MET;
	vtb_sched.slot->outcome.flags |= VTB_OUT_SHARED;
}
