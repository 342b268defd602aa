/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/doctor.h"

#include <string.h>

#include "vtb/columns.h"
#include "vtb/json.h"

#define DOCTOR_VERSION 1u

static const char *const titles[VTB_DOCTOR_GROUPS] = {
	[VTB_DOCTOR_MACHINE] = "machine", [VTB_DOCTOR_VTB] = "vtb", [VTB_DOCTOR_PROGRAM] = "program"
};
static const char *const states[] = { [VTB_DOCTOR_YES] = "yes", [VTB_DOCTOR_NO] = "no", [VTB_DOCTOR_INFO] = "" };

static void title(const struct vtb_report_style *style, FILE *to, const char *text, const char *more)
{
	fprintf(to, "%s%s%s%s%s\n", vtb_style(style->colored, VTB_STYLE_BOLD), text,
	        vtb_style(style->colored, VTB_STYLE_PLAIN), *more ? "  " : "", more);
}

static size_t widest_name(const struct vtb_doctor *d)
{
	size_t widest = 0;

	for (size_t i = 0; i < d->n_rows; i++)
		if (vtb_layout_width(d->rows[i].name) > widest)
			widest = vtb_layout_width(d->rows[i].name);
	return widest;
}

/* "  no   Intel PT      the kernel offers no intel_pt device; for recording ..." */
static void print_row(const struct vtb_doctor_row *row, size_t name_width, const struct vtb_report_style *style,
                      FILE *to)
{
	const enum vtb_style look = row->state == VTB_DOCTOR_NO    ? VTB_STYLE_WARN
	                            : row->state == VTB_DOCTOR_YES ? VTB_STYLE_GOOD
	                                                           : VTB_STYLE_PLAIN;
	const size_t column = 2 + 3 + 2 + name_width + 2;
	const bool missing = row->state == VTB_DOCTOR_NO && *row->use;
	char text[700];

	snprintf(text, sizeof(text), "%s%s%s%s", row->detail, missing && *row->detail ? "; " : "",
	         missing ? "needed for " : "", missing ? row->use : "");
	fprintf(to, "  %s%-3s%s  ", look ? vtb_style(style->colored, look) : "", states[row->state],
	        look ? vtb_style(style->colored, VTB_STYLE_PLAIN) : "");
	vtb_layout_cut(to, row->name, name_width, *text);
	if (*text) {
		fputs("  ", to);
		vtb_layout_wrap(to, text, column, column, style->width ? style->width : 80);
	} else {
		fputc('\n', to);
	}
}

static void group(const struct vtb_doctor *d, enum vtb_doctor_group g, const struct vtb_report_style *style, FILE *to)
{
	const size_t width = widest_name(d);
	bool any = false;

	for (size_t i = 0; i < d->n_rows; i++) {
		if (d->rows[i].group != g)
			continue;
		if (!any)
			title(style, to, titles[g], g == VTB_DOCTOR_PROGRAM && d->program ? d->program : "");
		any = true;
		print_row(&d->rows[i], width, style, to);
	}
}

static void choices(const struct vtb_doctor *d, const struct vtb_report_style *style, FILE *to)
{
	if (!d->n_choices)
		return;
	title(style, to, "a hunt would use", "");
	for (size_t i = 0; i < d->n_choices; i++) {
		const struct vtb_doctor_choice *c = &d->choices[i];

		fprintf(to, "  %-14s  %s%-10s%s  ", c->what, vtb_style(style->colored, VTB_STYLE_NAME), c->name,
		        vtb_style(style->colored, VTB_STYLE_PLAIN));
		vtb_layout_wrap(to, c->why, 30, 30, style->width ? style->width : 80);
	}
}

void vtb_doctor_report(const struct vtb_doctor *d, const struct vtb_report_style *style, FILE *to)
{
	for (unsigned g = 0; g < VTB_DOCTOR_GROUPS; g++)
		group(d, (enum vtb_doctor_group)g, style, to);
	choices(d, style, to);
	if (*d->advice) {
		title(style, to, d->ready ? "advice" : "not ready", "");
		fputs("  ", to);
		vtb_layout_wrap(to, d->advice, 2, 2, style->width ? style->width : 80);
	}
}

void vtb_doctor_report_json(const struct vtb_doctor *d, FILE *to)
{
	struct vtb_json_writer w;

	vtb_json_begin(&w, to);
	vtb_json_object(&w, NULL);
	vtb_json_string(&w, "format", "vtb-doctor");
	vtb_json_u64(&w, "version", DOCTOR_VERSION);
	vtb_json_bool(&w, "ready", d->ready);
	vtb_json_string(&w, "program", d->program);
	vtb_json_array(&w, "facts");
	for (size_t i = 0; i < d->n_rows; i++) {
		const struct vtb_doctor_row *row = &d->rows[i];

		vtb_json_object_row(&w, NULL);
		vtb_json_string(&w, "group", titles[row->group]);
		vtb_json_string(&w, "key", row->key);
		if (row->state == VTB_DOCTOR_INFO)
			vtb_json_null(&w, "holds");
		else
			vtb_json_bool(&w, "holds", row->state == VTB_DOCTOR_YES);
		vtb_json_string(&w, "detail", row->detail);
		vtb_json_end(&w);
	}
	vtb_json_end(&w);
	vtb_json_object(&w, "choice");
	for (size_t i = 0; i < d->n_choices; i++)
		vtb_json_string(&w, d->choices[i].what, d->choices[i].name);
	vtb_json_end(&w);
	vtb_json_object(&w, "why");
	for (size_t i = 0; i < d->n_choices; i++)
		vtb_json_string(&w, d->choices[i].what, d->choices[i].why);
	vtb_json_end(&w);
	vtb_json_string(&w, "advice", *d->advice ? d->advice : NULL);
	vtb_json_finish(&w);
}

/* ---- primitives */

struct primitive {
	const char *name, *family, *functions, *modelled;
};

static const struct primitive primitives[] = {
#define VTB_PRIMITIVE(name, family, functions, modelled) { name, #family, functions, modelled },
#include "../../runtime/models/primitives.def"
#undef VTB_PRIMITIVE
	{ NULL, NULL, NULL, NULL },
};

size_t vtb_doctor_primitive_count(void)
{
	return sizeof(primitives) / sizeof(*primitives) - 1;
}

void vtb_doctor_primitives(const struct vtb_report_style *style, FILE *to)
{
	const unsigned width = style->width ? style->width : 80;

	for (const struct primitive *p = primitives; p->name; p++) {
		fprintf(to, "%s%s%s\n  ", vtb_style(style->colored, VTB_STYLE_BOLD), p->name,
		        vtb_style(style->colored, VTB_STYLE_PLAIN));
		vtb_layout_wrap(to, p->functions, 2, 2, width);
		fputs("  ", to);
		vtb_layout_wrap(to, p->modelled, 2, 2, width);
	}
}

void vtb_doctor_primitives_json(FILE *to)
{
	struct vtb_json_writer w;

	vtb_json_begin(&w, to);
	vtb_json_object(&w, NULL);
	vtb_json_string(&w, "format", "vtb-primitives");
	vtb_json_u64(&w, "version", DOCTOR_VERSION);
	vtb_json_array(&w, "primitives");
	for (const struct primitive *p = primitives; p->name; p++) {
		vtb_json_object(&w, NULL);
		vtb_json_string(&w, "name", p->name);
		vtb_json_string(&w, "family", p->family);
		vtb_json_string(&w, "functions", p->functions);
		vtb_json_string(&w, "modelled", p->modelled);
		vtb_json_end(&w);
	}
	vtb_json_finish(&w);
}
