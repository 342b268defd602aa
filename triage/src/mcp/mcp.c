/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/mcp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mcp_tools.h"
#include "vtb/argv.h"

#define LINE_MAX_BYTES (1u << 20)
#define BLANKS " \t\r\n"

/* Error codes of JSON-RPC 2.0. */
enum { PARSE_ERROR = -32700, INVALID_REQUEST = -32600, NO_METHOD = -32601, INVALID_PARAMS = -32602 };

struct mcp {
	const char *bin;
	FILE *out;
	const char *id;  /* of the request, as JSON; NULL: a notification, which nobody answers */
	bool batch;      /* it is one of several in an array, */
	size_t answered; /* of which so many have an answer */
};

static const char *const revisions[] = { "2025-03-26", "2024-11-05" }; /* the first for who asks for another */

/* A text as a JSON string, a fresh one. */
static char *quoted(const char *text)
{
	char *json = NULL;
	size_t size;
	FILE *to = open_memstream(&json, &size);
	struct vtb_json_writer w;

	if (!to)
		return NULL;
	vtb_json_begin(&w, to);
	vtb_json_string(&w, NULL, text);
	if (fclose(to) != 0)
		return NULL;
	json[strcspn(json, "\n")] = '\0';
	return json;
}

static int answer(struct mcp *m, const char *member, const char *json)
{
	if (!m->id)
		return 0;
	if (m->batch)
		fputs(m->answered++ ? "," : "[", m->out);
	fprintf(m->out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"%s\":%s}%s", m->id, member, json, m->batch ? "" : "\n");
	return fflush(m->out) == 0 ? 0 : -EIO;
}

static int complain(struct mcp *m, int code, const char *text)
{
	char *words = quoted(text), *json;
	int r = words && asprintf(&json, "{\"code\":%d,\"message\":%s}", code, words) >= 0 ? 0 : -ENOMEM;

	free(words);
	if (r < 0)
		return r;
	r = answer(m, "error", json);
	free(json);
	return r;
}

/* ---- methods */

static int initialize(struct mcp *m, struct vtb_json *doc, const struct vtb_json_node *params)
{
	const char *asked = vtb_json_opt_string(doc, params, "protocolVersion", ""), *agreed = revisions[0];
	char *version, *json;
	int r;

	for (size_t i = 0; i < sizeof(revisions) / sizeof(*revisions); i++)
		if (strcmp(revisions[i], asked) == 0)
			agreed = revisions[i];
	version = quoted(agreed);
	r = version && asprintf(&json,
	                        "{\"protocolVersion\":%s,\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":"
	                        "\"vtb\",\"version\":\"" VTB_VERSION "\"}}",
	                        version) >= 0
	        ? 0
	        : -ENOMEM;

	free(version);
	if (r < 0)
		return r;
	r = answer(m, "result", json);
	free(json);
	return r;
}

static int ping(struct mcp *m, struct vtb_json *doc, const struct vtb_json_node *params)
{
	(void)doc;
	(void)params;
	return answer(m, "result", "{}");
}

static int list_tools(struct mcp *m, struct vtb_json *doc, const struct vtb_json_node *params)
{
	char *json = NULL;
	size_t size;
	FILE *to = open_memstream(&json, &size);
	int r;

	(void)doc;
	(void)params;
	if (!to)
		return -ENOMEM;
	fputs("{\"tools\":[", to);
	for (size_t i = 0; i < vtb_n_mcp_tools; i++)
		fprintf(to, "%s{\"name\":\"%s\",\"description\":\"%s\",\"inputSchema\":%s}", i ? "," : "",
		        vtb_mcp_tools[i].name, vtb_mcp_tools[i].description, vtb_mcp_tools[i].schema);
	fputs("]}", to);
	if (fclose(to) != 0)
		return -ENOMEM;
	r = answer(m, "result", json);
	free(json);
	return r;
}

/* What the command printed, and its status: 0 and 1 are answers, others are trouble. */
static int tell_result(struct mcp *m, const char *text, int status)
{
	char *words = quoted(text), *json;
	int r =
	    words && asprintf(&json,
	                      "{\"content\":[{\"type\":\"text\",\"text\":%s}],\"structuredContent\":{\"status\":%d},"
	                      "\"isError\":%s}",
	                      words, status, status == 0 || status == 1 ? "false" : "true") >= 0
	        ? 0
	        : -ENOMEM;

	free(words);
	if (r < 0)
		return r;
	r = answer(m, "result", json);
	free(json);
	return r;
}

static int run_tool(struct mcp *m, const struct vtb_mcp_tool *tool, struct vtb_json *doc,
                    const struct vtb_json_node *arguments)
{
	const char *why = NULL;
	char **argv = tool->command(doc, arguments, &why), *text = NULL;
	int status = 0, r;

	if (!argv || why || vtb_json_status(doc) < 0) {
		vtb_argv_free(argv);
		return complain(m, INVALID_PARAMS,
		                why ? why : "the arguments are not of the kind that the tool's schema says");
	}
	r = vtb_mcp_run(m->bin, argv, &text, &status);
	if (r >= 0)
		r = tell_result(m, text, status);
	else
		r = complain(m, INVALID_REQUEST, vtb_strerror(r));
	free(text);
	vtb_argv_free(argv);
	return r;
}

static int call_tool(struct mcp *m, struct vtb_json *doc, const struct vtb_json_node *params)
{
	const char *name = vtb_json_opt_string(doc, params, "name", "");

	for (size_t i = 0; i < vtb_n_mcp_tools; i++)
		if (strcmp(vtb_mcp_tools[i].name, name) == 0)
			return run_tool(m, &vtb_mcp_tools[i], doc, vtb_json_opt_object(doc, params, "arguments"));
	return complain(m, INVALID_PARAMS, "there is no such tool");
}

static const struct {
	const char *name;
	int (*answer)(struct mcp *m, struct vtb_json *doc, const struct vtb_json_node *params);
} methods[] = {
	{ "initialize", initialize },
	{ "ping", ping },
	{ "tools/list", list_tools },
	{ "tools/call", call_tool },
};

static int take_request(struct mcp *m, struct vtb_json *doc)
{
	const struct vtb_json_node *root = vtb_json_root(doc), *params = vtb_json_opt_object(doc, root, "params");
	const char *method = vtb_json_peek_string(root, "method");

	if (!method || strcmp(vtb_json_opt_string(doc, root, "jsonrpc", ""), "2.0") != 0 || vtb_json_status(doc) < 0) {
		m->id = m->id ? m->id : "null";
		return complain(m, INVALID_REQUEST, "no request of JSON-RPC 2.0");
	}
	for (size_t i = 0; m->id && i < sizeof(methods) / sizeof(*methods); i++)
		if (strcmp(methods[i].name, method) == 0)
			return methods[i].answer(m, doc, params);
	return complain(m, NO_METHOD, "there is no such method");
}

static int take_line(struct mcp *m, const char *line, size_t size)
{
	struct vtb_error err = { 0 };
	struct vtb_json *doc;
	char *id;
	int r = vtb_json_parse("request", line, size, &doc, &err);

	if (r < 0) {
		m->id = "null";
		return complain(m, PARSE_ERROR, err.text);
	}
	id = vtb_json_text(vtb_json_root(doc), "id");
	m->id = id;
	r = take_request(m, doc);
	free(id);
	vtb_json_free(doc);
	return r;
}

/* Of an array that is JSON: the comma or bracket behind the value that begins here. */
static const char *value_end(const char *text)
{
	unsigned depth = 0;
	bool string = false;

	for (;; text++) {
		if (string && *text == '\\')
			text++;
		else if (string || *text == '"')
			string = !string || *text != '"';
		else if (*text == '[' || *text == '{')
			depth++;
		else if (!depth && (*text == ',' || *text == ']'))
			return text;
		else if (*text == ']' || *text == '}')
			depth--;
	}
}

/* Requests in an array: their answers in one. Each is read by itself, so that what is wrong with one is its own. */
static int take_batch(struct mcp *m, const char *line, size_t size)
{
	const char *at = strchr(line, '[') + 1, *end;
	struct vtb_error err = { 0 };
	struct vtb_json *doc;
	int r = vtb_json_parse("request", line, size, &doc, &err);

	if (r < 0)
		return complain(m, PARSE_ERROR, err.text);
	vtb_json_free(doc);
	if (at[strspn(at, BLANKS)] == ']')
		return complain(m, INVALID_REQUEST, "a batch of no requests");
	m->batch = true;
	m->answered = 0;
	do {
		end = value_end(at);
		m->id = "null";
		r = take_line(m, at, (size_t)(end - at));
		at = end + 1;
	} while (r >= 0 && *end == ',');
	m->batch = false;
	if (m->answered)
		fputs("]\n", m->out);
	return r >= 0 && fflush(m->out) != 0 ? -EIO : r;
}

/* A line of at most LINE_MAX_BYTES, with a NUL behind it. A longer one is passed over, and its length is more than
 * that. 0: the end. */
static size_t read_line(FILE *in, char *line)
{
	size_t n = 0;
	int c = 0;

	while (c != '\n' && (c = getc_unlocked(in)) != EOF) {
		if (n < LINE_MAX_BYTES)
			line[n] = (char)c;
		n += n <= LINE_MAX_BYTES;
	}
	line[n < LINE_MAX_BYTES ? n : LINE_MAX_BYTES] = '\0';
	return n;
}

int vtb_mcp_serve(const char *bin, FILE *in, FILE *out)
{
	struct mcp m = { .bin = bin, .out = out };
	char *line = malloc(LINE_MAX_BYTES + 1);
	size_t n;
	int r = line ? 0 : -ENOMEM;

	while (r >= 0 && (n = read_line(in, line)) > 0) {
		const char *text = line + strspn(line, BLANKS);

		m.id = "null";
		if (n > LINE_MAX_BYTES)
			r = complain(&m, INVALID_REQUEST, "a request is longer than a megabyte");
		else if (*text == '[')
			r = take_batch(&m, line, n);
		else if (text < line + n)
			r = take_line(&m, line, n);
	}
	free(line);
	return r;
}
