/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/cli_values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct vtb_cli_row *vtb_cli_row_find(const struct vtb_cli_row *rows, const char *name)
{
	for (; rows->name; rows++)
		if (rows->type != VTB_CLI_LIST && strcmp(rows->name, name) == 0)
			return rows;
	return NULL;
}

/* Which of the names, or -1. */
static int choice(const struct vtb_cli_row *row, const char *text)
{
	for (int i = 0; row->names[i]; i++)
		if (strcmp(row->names[i], text) == 0)
			return i;
	return -1;
}

static bool take_number(const struct vtb_cli_row *row, const char *text, void *member)
{
	uint64_t value;

	if (vtb_cli_number(text, row->least, row->most, &value) < 0)
		return false;
	if (row->type == VTB_CLI_U32)
		*(uint32_t *)member = (uint32_t)value;
	else
		*(uint64_t *)member = value;
	return true;
}

static bool take_real(const struct vtb_cli_row *row, const char *text, double *member)
{
	char *end;
	const double value = strtod(text, &end);

	if (end == text || *end || !(value > 0) || !(value <= row->real_most))
		return false;
	*member = value;
	return true;
}

static bool take_name(const struct vtb_cli_row *row, const char *text, void *member)
{
	const int i = choice(row, text);

	if (i < 0)
		return false;
	if (row->type == VTB_CLI_CHOICE)
		*(int *)member = row->first + i;
	else
		*(bool *)member = i == 1;
	return true;
}

static bool take(const struct vtb_cli_row *row, const char *text, void *member)
{
	switch (row->type) {
	case VTB_CLI_FLAG:
		*(bool *)member = true;
		return strcmp(text, "on") == 0;
	case VTB_CLI_TEXT:
		*(const char **)member = text;
		return true;
	case VTB_CLI_U32:
	case VTB_CLI_U64:
		return take_number(row, text, member);
	case VTB_CLI_REAL:
		return take_real(row, text, member);
	case VTB_CLI_CHOICE:
	case VTB_CLI_SWITCH:
		return take_name(row, text, member);
	default:
		return false;
	}
}

int vtb_cli_value_read(const struct vtb_cli_row *row, const char *text, void *into, struct vtb_error *err)
{
	if (take(row, text, (char *)into + row->member))
		return 0;
	return vtb_error_set(err, -EINVAL, NULL, 0, "option %s: it takes no \"%.100s\"", row->name, text);
}

const char *vtb_cli_value_text(const struct vtb_cli_row *row, const void *from, char *buf, size_t size)
{
	const void *member = (const char *)from + row->member;

	switch (row->type) {
	case VTB_CLI_FLAG:
		return *(const bool *)member ? "on" : NULL;
	case VTB_CLI_TEXT:
		return *(const char *const *)member;
	case VTB_CLI_U32:
		snprintf(buf, size, "%" PRIu32, *(const uint32_t *)member);
		return buf;
	case VTB_CLI_U64:
		snprintf(buf, size, "%" PRIu64, *(const uint64_t *)member);
		return buf;
	case VTB_CLI_REAL:
		snprintf(buf, size, "%.17g", *(const double *)member);
		return buf;
	case VTB_CLI_CHOICE:
		return row->names[*(const int *)member - row->first];
	case VTB_CLI_SWITCH:
		return row->names[*(const bool *)member];
	default:
		return NULL;
	}
}
