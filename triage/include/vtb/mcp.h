/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file mcp.h
 * vtb for programs that drive tools: the Model Context Protocol (2025-03-26 and 2024-11-05) over two streams, a
 * JSON-RPC 2.0 message a line. Each tool is one row (mcp_tools.c) and one run of a command of vtb; what it prints is
 * bounded. docs/format/mcp.md.
 *
 * Trouble:   a line that is no such message is answered with an error of JSON-RPC, and the next one is read; a tool
 *            that cannot do its work answers with `isError`.
 * Ends:      at the end of the input; 0, or an error of our own (-ENOMEM, the output cannot be written).
 */
#ifndef VTB_MCP_H
#define VTB_MCP_H

#include <stdio.h>

/** `bin`: the directory of vtb's commands. */
int vtb_mcp_serve(const char *bin, FILE *in, FILE *out);

#endif /* VTB_MCP_H */
