/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Response files of compilers: @FILE stands for the words in FILE. */
#ifndef VTB_COMPILE_FILE_H
#define VTB_COMPILE_FILE_H

#define VTB_RESPONSE_BYTES_MAX (16u << 20)

/** The words of the file, NULL-terminated: separated by blanks, which quotes ('' and "") and backslashes keep. 0 or
 * negative errno. */
int vtb_compile_file_read(const char *path, char ***ret);
void vtb_compile_file_free(char **words);

#endif /* VTB_COMPILE_FILE_H */
