/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file mcp_tools.h The tools that are offered: a row each. */
#ifndef VTB_MCP_TOOLS_H
#define VTB_MCP_TOOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "vtb/json.h"

#define VTB_MCP_TEXT_MAX 24000u /* bytes of what a tool answers */

struct vtb_mcp_tool {
	const char *name, *description;
	const char *schema; /* of its arguments: a JSON Schema, on one line */
	/** The command with its arguments (argv[0] without the directory), or NULL and *ret_why: what is wrong. */
	char **(*command)(struct vtb_json *doc, const struct vtb_json_node *arguments, const char **ret_why);
};
extern const struct vtb_mcp_tool vtb_mcp_tools[];
extern const size_t vtb_n_mcp_tools;

/** Run it: what it printed (a fresh string, at most VTB_MCP_TEXT_MAX bytes and a line that says how much more there
 * was), and its exit status as a shell has it. 0 or an error. */
int vtb_mcp_run(const char *bin, char **argv, char **ret_text, int *ret_status);

#endif /* VTB_MCP_TOOLS_H */
