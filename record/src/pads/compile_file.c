/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compile_file.h"

#include "vtb/array.h"
#include "vtb/error.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One allocation holds the text, cut into words in place; the first pointer of the array is that text. */
struct words {
	char **word;
	size_t n_word, cap_word;
};

static int read_text(const char *path, char **ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n;
	char *text;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > VTB_RESPONSE_BYTES_MAX) {
		close(fd);
		return -VTB_E_LIMIT;
	}
	text = malloc((size_t)st.st_size + 1);
	n = text ? read(fd, text, (size_t)st.st_size) : -1;
	close(fd);
	if (n < 0) {
		const int r = text ? -EIO : -ENOMEM;

		free(text);
		return r;
	}
	text[n] = 0;
	*ret = text;
	return 0;
}

/* Copy one word from *in to *out, both in the same buffer, and end it; *in moves behind it. */
static void cut_word(char **in, char **out)
{
	char quote = 0;

	for (; **in && (quote || !isspace((unsigned char)**in)); (*in)++) {
		if (**in == '\\' && (*in)[1])
			*(*out)++ = *++*in;
		else if (quote && **in == quote)
			quote = 0;
		else if (!quote && (**in == '\'' || **in == '"'))
			quote = **in;
		else
			*(*out)++ = **in;
	}
	if (**in)
		(*in)++;
	*(*out)++ = 0;
}

static int append(struct words *w, char *word)
{
	const int r = vtb_array_room(w, word);

	if (r >= 0)
		w->word[w->n_word++] = word;
	return r;
}

int vtb_compile_file_read(const char *path, char ***ret)
{
	struct words w = { 0 };
	char *text = NULL, *in, *out;
	int r = read_text(path, &text);

	if (r < 0)
		return r;
	r = append(&w, text); /* kept for vtb_compile_file_free(), not a word */
	for (in = out = text; r >= 0;) {
		char *word = out;

		while (isspace((unsigned char)*in))
			in++;
		if (!*in)
			break;
		cut_word(&in, &out);
		r = append(&w, word);
	}
	if (r >= 0)
		r = append(&w, NULL);
	if (r < 0) {
		free(text);
		free(w.word);
		return r;
	}
	*ret = w.word + 1;
	return 0;
}

void vtb_compile_file_free(char **words)
{
	if (!words)
		return;
	free(words[-1]);
	free(words - 1);
}
