/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/user_sources.h"

#include <stdio.h>
#include <string.h>

#define PATH_TEXT_MAX 4096u

/* Where packages of the system put headers and libraries. */
static const char *const system_trees[] = {
	"/usr/include/", "/usr/lib/", "/usr/lib32/",         "/usr/lib64/",     "/usr/libexec/", "/usr/share/",
	"/lib/",         "/lib64/",   "/usr/local/include/", "/usr/local/lib/", "/nix/store/",   "/gnu/store/",
};

/* A compiler's own headers, wherever it is installed; what CMake's FetchContent has loaded. */
static const char *const foreign_parts[] = { "/include/c++/", "/lib/gcc/", "/lib/clang/", "/_deps/" };

static bool below(const char *path, const char *tree)
{
	const size_t n = strlen(tree);

	return strncmp(path, tree, n) == 0 && (tree[n - 1] == '/' || path[n] == '/' || !path[n]);
}

/* "/a/b/../c/./d" is "/a/c/d"; links are not followed, since the file may be on another machine. */
static void fold(char *path)
{
	char *to = path;

	for (const char *at = path; *at;) {
		const size_t n = 1 + strcspn(at + 1, "/");

		if (n == 3 && strncmp(at, "/..", 3) == 0)
			while (to > path && *--to != '/')
				;
		else if (n > 1 && !(n == 2 && at[1] == '.')) {
			memmove(to, at, n);
			to += n;
		}
		at += n;
	}
	*to = 0;
}

static bool whole_path(const struct vtb_place *place, char *path)
{
	const char *directory = place->file[0] != '/' && place->directory ? place->directory : "";
	const size_t before = strlen(directory), n = strlen(place->file);
	const bool slash = place->file[0] != '/';

	if (before + slash + n >= PATH_TEXT_MAX)
		return false;
	memcpy(path, directory, before);
	if (slash)
		path[before] = '/';
	memcpy(path + before + slash, place->file, n + 1);
	if (path[0] != '/')
		return false;
	fold(path);
	return true;
}

/* A program that is itself built in such a place, as containers do in /usr/src, is not the system's. */
static bool is_systems(const char *path, const struct vtb_place *place)
{
	const bool source = below(path, "/usr/src/") && !(place->directory && below(place->directory, "/usr/src/"));

	for (size_t i = 0; i < sizeof(system_trees) / sizeof(*system_trees); i++)
		if (below(path, system_trees[i]))
			return true;
	for (size_t i = 0; i < sizeof(foreign_parts) / sizeof(*foreign_parts); i++)
		if (strstr(path, foreign_parts[i]))
			return true;
	return source;
}

/* Libraries of the system that come with debug information, and ours. */
static bool is_foreign_module(const char *module)
{
	const char *slash = strrchr(module, '/'), *base = slash ? slash + 1 : module;

	if (strncmp(base, "libvtb-", 7) == 0)
		return true;
	return (below(module, "/usr/lib/") || below(module, "/lib/") || below(module, "/usr/lib64/") ||
	        below(module, "/lib64/")) &&
	       strstr(base, ".so");
}

static bool below_root(const char *path, const char *root)
{
	char folded[PATH_TEXT_MAX];

	if (snprintf(folded, sizeof(folded), "%s", root) >= (int)sizeof(folded))
		return false;
	fold(folded);
	return !*folded || below(path, folded);
}

bool vtb_source_is_users(const char *root, const char *module, const struct vtb_place *place)
{
	char path[PATH_TEXT_MAX];

	if (!*place->file)
		return false;
	if (!whole_path(place, path)) /* nothing says where it was compiled */
		return !root && !is_foreign_module(module);
	return root ? below_root(path, root) : !is_foreign_module(module) && !is_systems(path, place);
}
