/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file array.h
 * A growing array of one element type, as three members of a struct: `T *items; size_t n_items, cap_items;`.
 * Growth doubles; a failed growth leaves the array unchanged. Elements are addressed by index and move when it grows.
 */
#ifndef VTB_ARRAY_H
#define VTB_ARRAY_H

#include <stddef.h>

/** Make room for `want` elements of `size` bytes in *items (capacity *cap). 0 or -ENOMEM. */
int vtb_array_reserve(void **items, size_t *cap, size_t want, size_t size);

/** *ret, a pointer, = a copy of n elements of `size` bytes, which the caller frees; NULL for none. 0 or -ENOMEM. */
int vtb_array_copy(const void *items, size_t n, size_t size, void *ret);

/** Make room for one more element of owner->name: 0 or -ENOMEM; then write owner->name[owner->n_name++]. */
#define vtb_array_room(owner, name)                                                                  \
	({                                                                                           \
		void *items_ = (owner)->name;                                                        \
		int r_ = 0;                                                                          \
		if ((owner)->n_##name >= (owner)->cap_##name) {                                      \
			r_ = vtb_array_reserve(&items_, &(owner)->cap_##name, (owner)->n_##name + 1, \
			                       sizeof(*(owner)->name));                              \
			(owner)->name = items_;                                                      \
		}                                                                                    \
		r_;                                                                                  \
	})

/** Have at least `want` elements of owner->name, new ones with the value given: 0 or -ENOMEM. */
#define vtb_array_extend(owner, name, want, ...)                                  \
	({                                                                        \
		const size_t want_ = (want);                                      \
		int extended_ = 0;                                                \
		while (extended_ == 0 && (owner)->n_##name < want_) {             \
			extended_ = vtb_array_room(owner, name);                  \
			if (extended_ == 0)                                       \
				(owner)->name[(owner)->n_##name++] = __VA_ARGS__; \
		}                                                                 \
		extended_;                                                        \
	})

#endif /* VTB_ARRAY_H */
