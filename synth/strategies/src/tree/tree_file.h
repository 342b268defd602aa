/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file tree_file.h
 * Memory that lies in a file, for an execution tree that is larger than it may be: the kernel keeps of it what it has
 * room for, and this process holds only what it has touched since it last let go.
 *
 * The file has no name from the beginning (O_TMPFILE): nothing is left of it, whatever dies. It is used only where a
 * file is no memory, and where what was promised can be written: its bytes are reserved before they are touched. The
 * disk keeps half of what is free on it when the file is made.
 *
 * Ownership: owns the file and the mapping. Children of this process do not have it.
 */
#ifndef VTB_TREE_FILE_H
#define VTB_TREE_FILE_H

#include <stddef.h>
#include <stdint.h>

struct vtb_tree_file {
	void *at; /* NULL: there is none */
	size_t bytes;
	uint64_t most;
	int fd;
};

/** A file of no bytes in directory `dir`, of at most so many (0: as the disk allows). 0 or -errno: it cannot be made
 * there, or should not. */
int vtb_tree_file_open(struct vtb_tree_file *f, const char *dir, uint64_t most);
/** At least `want` bytes at f->at, which may move, and rather more than that. 0; on an error nothing has changed. */
int vtb_tree_file_grow(struct vtb_tree_file *f, size_t want);
/** Hold nothing of it in this process; what is touched next comes back. O(pages held). */
void vtb_tree_file_let_go(struct vtb_tree_file *f);
/** Nothing is left of it. One that was not opened is accepted. */
void vtb_tree_file_close(struct vtb_tree_file *f);

#endif /* VTB_TREE_FILE_H */
