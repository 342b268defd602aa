/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pack_build_id.h"

#include <elf.h>
#include <string.h>

#include "vtb/elf_file.h"

/* A note: sizes of name and content, its type, "GNU", the content. */
static bool is_note(const uint8_t *bytes, size_t n, const uint8_t *id, size_t size)
{
	Elf64_Nhdr h;

	if (n < sizeof(h) + 4 + size)
		return false;
	memcpy(&h, bytes, sizeof(h));
	return h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && h.n_descsz == size &&
	       memcmp(bytes + sizeof(h), "GNU", 4) == 0 && memcmp(bytes + sizeof(h) + 4, id, size) == 0;
}

bool vtb_pack_has_build_id(const char *path, const uint8_t *id, size_t size)
{
	struct vtb_elf_section s;
	struct vtb_elf *elf;
	bool same = false;

	if (!size || vtb_elf_open(path, &elf, NULL) < 0)
		return false;
	for (size_t i = 0; !same && vtb_elf_section(elf, i, &s); i++) {
		size_t n = 0;
		const uint8_t *bytes = strcmp(s.name, ".note.gnu.build-id") ? NULL : vtb_elf_bytes(elf, &s, &n);

		same = bytes && is_note(bytes, n, id, size);
	}
	vtb_elf_close(elf);
	return same;
}
