/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/cause.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

static void op_fini(struct vtb_cause_op *op)
{
	free(op->thread);
	free(op->kind);
	free(op->variable);
	free(op->function);
	free(op->file);
}

void vtb_cause_fini(struct vtb_cause *c)
{
	for (size_t i = 0; i < c->n_orders; i++) {
		op_fini(&c->orders[i].before);
		op_fini(&c->orders[i].after);
	}
	for (size_t i = 0; i < c->n_repairs; i++) {
		free(c->repairs[i].kind);
		free(c->repairs[i].text);
	}
	free(c->orders);
	free(c->repairs);
	free(c->class);
	free(c->detail);
	free(c->lock);
	op_fini(&c->guard);
	*c = (struct vtb_cause){ 0 };
}

void vtb_causes_fini(struct vtb_causes *c)
{
	for (size_t i = 0; i < c->n_causes; i++)
		vtb_cause_fini(&c->causes[i]);
	free(c->causes);
	*c = (struct vtb_causes){ 0 };
}

static char *copy_text(const char *text, bool *failed)
{
	char *copy = strdup(text ? text : "");

	*failed |= !copy;
	return copy;
}

static struct vtb_cause_op copy_op(const struct vtb_cause_op *op, bool *failed)
{
	return (struct vtb_cause_op){ .thread = copy_text(op->thread, failed),
		                      .op = op->op,
		                      .kind = copy_text(op->kind, failed),
		                      .variable = copy_text(op->variable, failed),
		                      .function = copy_text(op->function, failed),
		                      .file = copy_text(op->file, failed),
		                      .line = op->line };
}

static void copy_orders(const struct vtb_cause *from, struct vtb_cause *to, bool *failed)
{
	for (size_t i = 0; i < from->n_orders && !*failed; i++) {
		*failed = vtb_array_room(to, orders) < 0;
		if (!*failed)
			to->orders[to->n_orders++] =
			    (struct vtb_cause_order){ .before = copy_op(&from->orders[i].before, failed),
				                      .after = copy_op(&from->orders[i].after, failed),
				                      .merged = from->orders[i].merged };
	}
}

static void copy_repairs(const struct vtb_cause *from, struct vtb_cause *to, bool *failed)
{
	for (size_t i = 0; i < from->n_repairs && !*failed; i++) {
		*failed = vtb_array_room(to, repairs) < 0;
		if (!*failed)
			to->repairs[to->n_repairs++] =
			    (struct vtb_cause_repair){ .kind = copy_text(from->repairs[i].kind, failed),
				                       .text = copy_text(from->repairs[i].text, failed),
				                       .schedules = from->repairs[i].schedules };
	}
}

int vtb_causes_add(struct vtb_causes *to, const struct vtb_cause *c)
{
	struct vtb_cause copy = { .exhausted = c->exhausted,
		                  .smallest = c->smallest,
		                  .failing = c->failing,
		                  .variants = c->variants,
		                  .rejected = c->rejected };
	bool failed = vtb_array_room(to, causes) < 0;

	copy.class = copy_text(c->class, &failed);
	copy.detail = copy_text(c->detail, &failed);
	copy.lock = copy_text(c->lock, &failed);
	copy.guard = copy_op(&c->guard, &failed);
	copy_orders(c, &copy, &failed);
	copy_repairs(c, &copy, &failed);
	if (failed) {
		vtb_cause_fini(&copy);
		return -ENOMEM;
	}
	to->causes[to->n_causes++] = copy;
	return 0;
}

int vtb_causes_copy(const struct vtb_causes *from, struct vtb_causes *ret)
{
	int r = 0;

	*ret = *from;
	ret->causes = NULL;
	ret->n_causes = ret->cap_causes = 0;
	for (size_t i = 0; i < from->n_causes && r == 0; i++)
		r = vtb_causes_add(ret, &from->causes[i]);
	if (r < 0)
		vtb_causes_fini(ret);
	return r;
}
