/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sarif.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define ROOT_ID "%SRCROOT%" /* as code scanning calls it */

void sarif_text(struct sarif *w, const char *key, const char *text)
{
	vtb_json_object_row(&w->json, key);
	vtb_json_string(&w->json, "text", text);
	vtb_json_end(&w->json);
}

/* The program's directory, below which paths are told from it; NULL: they are not. */
static const char *root_of(const struct sarif *w)
{
	const char *cwd = w->report->trace->cwd;

	return cwd && cwd[0] == '/' && cwd[1] ? cwd : NULL;
}

/* A path as a URI reference (RFC 3986): absolute ones get their scheme, other bytes than unreserved ones are escaped.
 */
static void put_uri_text(struct sarif *w, const char *scheme, const char *path, const char *end)
{
	struct text uri = { 0 };
	char *text;

	text_add(&uri, scheme);
	for (; *path; path++)
		if (isalnum((unsigned char)*path) || strchr("-._~/+", *path))
			text_add_bytes(&uri, path, 1);
		else
			text_printf(&uri, "%%%02X", (unsigned char)*path);
	text_add(&uri, end);
	text = text_take(&uri);
	vtb_json_string(&w->json, "uri", text ? text : "");
	free(text);
}

/* An artifactLocation: whoever looks at it has the sources somewhere else, so it hangs on a base if it can. */
void sarif_artifact(struct sarif *w, const char *path)
{
	const char *root = root_of(w);
	const size_t n = root ? strlen(root) : 0;
	const bool below = root && !strncmp(path, root, n) && path[n] == '/' && path[n + 1];

	vtb_json_object_row(&w->json, "artifactLocation");
	put_uri_text(w, path[0] == '/' && !below ? "file://" : "", below ? path + n + 1 : path, "");
	if (root && (below || path[0] != '/'))
		vtb_json_string(&w->json, "uriBaseId", ROOT_ID);
	vtb_json_end(&w->json);
}

void sarif_bases(struct sarif *w)
{
	if (!root_of(w))
		return;
	vtb_json_object(&w->json, "originalUriBaseIds");
	vtb_json_object(&w->json, ROOT_ID);
	put_uri_text(w, "file://", root_of(w), "/");
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
}

/* "physicalLocation" if the site has a file; nothing else makes sense to a viewer. */
void sarif_physical(struct sarif *w, uint32_t id)
{
	const struct vtb_site *site = id < w->tab->n_sites ? &w->tab->sites[id] : NULL;

	if (!site || !site->file[0])
		return;
	vtb_json_object(&w->json, "physicalLocation");
	sarif_artifact(w, site->file);
	if (site->line) {
		vtb_json_object(&w->json, "region");
		vtb_json_u64(&w->json, "startLine", site->line);
		if (site->text[0])
			sarif_text(w, "snippet", site->text);
		vtb_json_end(&w->json);
	}
	vtb_json_end(&w->json);
}
