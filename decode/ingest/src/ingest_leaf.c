/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a block whose type was guessed. */
#include "ingest_private.h"

#include <errno.h>
#include <inttypes.h>

#define COUNTS 16u /* bytes of libstdc++'s _Sp_counted_ptr_inplace before its object */

/* What stands before the objects proper: counts, or an array's count. A line that makes a shared object may make others
 * as well: a block without room for both is one of those. */
static uint64_t heap_header(const struct alloc_type *type, uint64_t block_size)
{
	if (type->shared && block_size >= COUNTS + type->type_size)
		return COUNTS;
	return type->several && block_size > type->type_size && block_size % type->type_size == 8 ? 8 : 0;
}

/* Does the guess fit the block: one object (perhaps padded or with a tail) or a whole number of them? */
static bool type_fits(const struct alloc_type *type, uint64_t body)
{
	if (!type->type_size || body < type->type_size)
		return false;
	return type->open_ended || type->shared || body % type->type_size == 0;
}

const char *ingest_block_type(struct vtb_ingest *in, const struct alloc_type *type, uint64_t block_size)
{
	const uint64_t header = type->type_size ? heap_header(type, block_size) : 0;
	const uint64_t body = block_size - (header < block_size ? header : 0);

	if (!type_fits(type, body))
		return "";
	return type->open_ended || type->shared || body / type->type_size == 1
	           ? type->type_name
	           : vtb_symtab_printf(in->tab, "%s [%" PRIu64 "]", type->type_name, body / type->type_size);
}

static int fill_plain_leaf(struct vtb_ingest *in, uint64_t offset, uint32_t size, uint64_t block_size,
                           struct heap_leaf *leaf)
{
	*leaf = (struct heap_leaf){ .suffix = "", .type = "", .offset = offset, .size = size };
	if (offset || size < block_size)
		leaf->suffix = vtb_symtab_printf(in->tab, "+%" PRIu64, offset);
	return leaf->suffix ? 0 : -ENOMEM;
}

static int fill_header_leaf(struct vtb_ingest *in, uint64_t header, uint64_t offset, struct heap_leaf *leaf)
{
	static const struct heap_leaf shared[] = { { "->vptr", "", 0, 8 },
		                                   { "->use_count", "int", 8, 4 },
		                                   { "->weak_count", "int", 12, 4 } };

	if (header == COUNTS)
		*leaf = shared[offset < 8 ? 0 : offset < 12 ? 1 : 2];
	else
		*leaf = (struct heap_leaf){ "->(array count)", "unsigned long", 0, 8 };
	leaf->suffix = vtb_symtab_string(in->tab, leaf->suffix);
	leaf->type = vtb_symtab_string(in->tab, leaf->type);
	return leaf->suffix && leaf->type ? 0 : -ENOMEM;
}

int ingest_block_leaf(struct vtb_ingest *in, const struct alloc_type *type, uint64_t block_size, uint64_t offset,
                      uint32_t size, struct heap_leaf *leaf)
{
	const uint64_t header = type->type_size ? heap_header(type, block_size) : 0;
	const uint64_t body = block_size - (header < block_size ? header : 0);
	const bool one = type->open_ended || type->shared;
	struct vtb_leaf x;

	if (!type_fits(type, body))
		return fill_plain_leaf(in, offset, size, block_size, leaf);
	if (offset < header)
		return fill_header_leaf(in, header, offset, leaf);
	if (!vtb_symbols_typed(in->symbols, type->module, type->type_name, one ? type->type_size : body,
	                       offset - header, size, &x))
		return fill_plain_leaf(in, offset, size, block_size, leaf);
	*leaf = (struct heap_leaf){ .offset = x.offset + header, .size = x.size };
	leaf->suffix =
	    x.name[0] == '.' ? vtb_symtab_printf(in->tab, "->%s", x.name + 1) : vtb_symtab_string(in->tab, x.name);
	leaf->type = vtb_symtab_string(in->tab, x.type);
	return leaf->suffix && leaf->type ? 0 : -ENOMEM;
}
