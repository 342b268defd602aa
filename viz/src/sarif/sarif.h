/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sarif.h: the parts of report_sarif.c. Each writes members of the object that is open. */
#ifndef VTB_VIZ_SARIF_H
#define VTB_VIZ_SARIF_H

#include "reporter.h"
#include "vtb/json.h"

struct sarif {
	struct vtb_json_writer json;
	const struct report *report;
	const struct vtb_symtab *tab;
};

/* `key`: {"text": text} */
void sarif_text(struct sarif *w, const char *key, const char *text);
/* "artifactLocation": below the program's directory relative to it, so that it fits wherever the sources lie. */
void sarif_artifact(struct sarif *w, const char *path);
/* "originalUriBaseIds" */
void sarif_bases(struct sarif *w);
/* "physicalLocation" if the site has a file; nothing else makes sense to a viewer. */
void sarif_physical(struct sarif *w, uint32_t site);

/* Of a failure: the operations of its cause, its stacks, and what SARIF has no place of its own for. */
void sarif_related(struct sarif *w, const struct vtb_causes *causes);
void sarif_stacks(struct sarif *w, const struct vtb_failure *f);
void sarif_properties(struct sarif *w, const struct vtb_failure *f);

/* Results for what is beside the failure, and the rules that these follow. */
void sarif_suspicions(struct sarif *w);
void sarif_suspicion_rules(struct sarif *w);

#endif /* VTB_VIZ_SARIF_H */
