/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Causes in files. */
#include "cause_read.h"
#include "format_parts.h"

/* ---- writing */

static void write_op(struct vtb_json_writer *w, const char *key, const struct vtb_cause_op *op)
{
	vtb_json_object_row(w, key);
	vtb_json_string(w, "thread", op->thread);
	if (op->op)
		vtb_json_u64(w, "op", op->op);
	else
		vtb_json_null(w, "op");
	vtb_json_string(w, "kind", op->kind);
	vtb_json_string(w, "variable", op->variable);
	vtb_json_string(w, "function", op->function);
	vtb_json_string(w, "file", op->file);
	vtb_json_u64(w, "line", op->line);
	vtb_json_end(w);
}

static void write_orders(struct vtb_json_writer *w, const struct vtb_cause *c)
{
	vtb_json_array(w, "literals");
	for (size_t i = 0; i < c->n_orders && i < VTB_CAUSE_ORDERS_LIMIT; i++) {
		vtb_json_object(w, NULL);
		write_op(w, "before", &c->orders[i].before);
		write_op(w, "after", &c->orders[i].after);
		vtb_json_u64(w, "merged", c->orders[i].merged);
		vtb_json_end(w);
	}
	vtb_json_end(w);
}

static void write_repairs(struct vtb_json_writer *w, const struct vtb_cause *c)
{
	vtb_json_array(w, "repairs");
	for (size_t i = 0; i < c->n_repairs && i < VTB_CAUSE_ORDERS_LIMIT; i++) {
		vtb_json_object_row(w, NULL);
		vtb_json_string(w, "kind", c->repairs[i].kind);
		vtb_json_string(w, "text", c->repairs[i].text);
		vtb_json_u64(w, "schedules", c->repairs[i].schedules);
		vtb_json_end(w);
	}
	vtb_json_end(w);
	vtb_json_u64(w, "rejected", c->rejected);
}

static void write_explained(struct vtb_json_writer *w, const struct vtb_causes *c)
{
	vtb_json_object_row(w, "explained");
	vtb_json_u64(w, "runs", c->runs);
	vtb_json_u64(w, "passing", c->passing);
	vtb_json_u64(w, "failing", c->failing);
	vtb_json_u64(w, "orders", c->orders);
	vtb_json_bool(w, "exhausted", c->exhausted);
	if (c->chances_left_out)
		vtb_json_bool(w, "chances_left_out", true);
	vtb_json_bool(w, "all", c->explained);
	vtb_json_end(w);
}

void vtb_causes_write(struct vtb_json_writer *w, const struct vtb_causes *c)
{
	if (!c->runs)
		return;
	vtb_json_array(w, "cores");
	for (size_t i = 0; i < c->n_causes && i < VTB_CAUSES_LIMIT; i++) {
		const struct vtb_cause *cause = &c->causes[i];

		vtb_json_object(w, NULL);
		write_orders(w, cause);
		vtb_json_string(w, "class", cause->class);
		if (cause->detail && *cause->detail)
			vtb_json_string(w, "detail", cause->detail);
		vtb_json_string(w, "lock", cause->lock);
		if (cause->guard.kind && *cause->guard.kind)
			write_op(w, "guard", &cause->guard);
		vtb_json_bool(w, "exhausted", cause->exhausted);
		vtb_json_bool(w, "smallest", cause->smallest);
		vtb_json_u64(w, "failing", cause->failing);
		vtb_json_u64(w, "variants", cause->variants);
		write_repairs(w, cause);
		vtb_json_end(w);
	}
	vtb_json_end(w);
	write_explained(w, c);
}

/* ---- reading: strings are those of the document until they are copied */

static char *text_of(struct vtb_json *doc, const struct vtb_json_node *object, const char *key)
{
	return (char *)vtb_json_get_string(doc, object, key);
}

static struct vtb_cause_op op_of(struct vtb_json *doc, const struct vtb_json_node *op)
{
	if (!op)
		return (struct vtb_cause_op){ 0 };
	return (struct vtb_cause_op){ .thread = text_of(doc, op, "thread"),
		                      .op = (uint32_t)vtb_json_opt_u64(doc, op, "op", UINT32_MAX, 0),
		                      .kind = text_of(doc, op, "kind"),
		                      .variable = text_of(doc, op, "variable"),
		                      .function = text_of(doc, op, "function"),
		                      .file = text_of(doc, op, "file"),
		                      .line = (uint32_t)vtb_json_opt_u64(doc, op, "line", UINT32_MAX, 0) };
}

static struct vtb_cause_op read_op(struct vtb_json *doc, const struct vtb_json_node *object, const char *key)
{
	return op_of(doc, vtb_json_get_object(doc, object, key));
}

static size_t read_orders(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_cause_order *ret)
{
	const struct vtb_json_node *array = vtb_json_opt_array(doc, object, "literals", VTB_CAUSE_ORDERS_LIMIT);
	size_t n = 0;

	for (; n < vtb_json_count(array) && vtb_json_status(doc) >= 0; n++) {
		const struct vtb_json_node *order = vtb_json_item_object(doc, array, n);

		ret[n].before = read_op(doc, order, "before");
		ret[n].after = read_op(doc, order, "after");
		ret[n].merged = (uint32_t)vtb_json_opt_u64(doc, order, "merged", UINT32_MAX, 1);
	}
	return n;
}

static size_t read_repairs(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_cause_repair *ret)
{
	const struct vtb_json_node *array = vtb_json_opt_array(doc, object, "repairs", VTB_CAUSE_ORDERS_LIMIT);
	size_t n = 0;

	for (; n < vtb_json_count(array) && vtb_json_status(doc) >= 0; n++) {
		const struct vtb_json_node *repair = vtb_json_item_object(doc, array, n);

		ret[n].kind = text_of(doc, repair, "kind");
		ret[n].text = text_of(doc, repair, "text");
		ret[n].schedules = vtb_json_opt_u64(doc, repair, "schedules", UINT64_MAX, 0);
	}
	return n;
}

static void read_one(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_causes *ret)
{
	struct vtb_cause_order orders[VTB_CAUSE_ORDERS_LIMIT];
	struct vtb_cause_repair repairs[VTB_CAUSE_ORDERS_LIMIT];
	const struct vtb_cause c = {
		.orders = orders,
		.n_orders = read_orders(doc, object, orders),
		.class = text_of(doc, object, "class"),
		.detail = (char *)vtb_json_opt_string(doc, object, "detail", ""),
		.lock = text_of(doc, object, "lock"),
		.guard = op_of(doc, vtb_json_opt_object(doc, object, "guard")),
		.exhausted = vtb_json_opt_bool(doc, object, "exhausted", false),
		.smallest = vtb_json_opt_bool(doc, object, "smallest", false),
		.failing = vtb_json_opt_u64(doc, object, "failing", UINT64_MAX, 0),
		.variants = (uint32_t)vtb_json_opt_u64(doc, object, "variants", UINT32_MAX, 1),
		.repairs = repairs,
		.n_repairs = read_repairs(doc, object, repairs),
		.rejected = (uint32_t)vtb_json_opt_u64(doc, object, "rejected", UINT32_MAX, 0),
	};

	if (vtb_json_status(doc) >= 0)
		vtb_files_check(doc, object, vtb_causes_add(ret, &c));
}

void vtb_causes_read(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_causes *ret)
{
	const struct vtb_json_node *array = vtb_json_opt_array(doc, object, "cores", VTB_CAUSES_LIMIT),
	                           *explained = vtb_json_opt_object(doc, object, "explained");

	for (size_t i = 0; i < vtb_json_count(array) && vtb_json_status(doc) >= 0; i++)
		read_one(doc, vtb_json_item_object(doc, array, i), ret);
	if (!explained)
		return;
	ret->runs = vtb_json_opt_u64(doc, explained, "runs", UINT64_MAX, 0);
	ret->passing = vtb_json_opt_u64(doc, explained, "passing", UINT64_MAX, 0);
	ret->failing = vtb_json_opt_u64(doc, explained, "failing", UINT64_MAX, 0);
	ret->orders = vtb_json_opt_u64(doc, explained, "orders", UINT64_MAX, 0);
	ret->exhausted = vtb_json_opt_bool(doc, explained, "exhausted", false);
	ret->chances_left_out = vtb_json_opt_bool(doc, explained, "chances_left_out", false);
	ret->explained = vtb_json_opt_bool(doc, explained, "all", false);
}
