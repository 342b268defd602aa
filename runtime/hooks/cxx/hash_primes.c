/* SPDX-License-Identifier: BSD-2-Clause */
/* Hashes of keys are made in libstdc++.so: a hash is a read of the key. */
#include <dlfcn.h>
#include <stddef.h>

extern void __tsan_read_range(void *addr, long size);

typedef size_t hash_function(const void *, size_t, size_t);

/* Without hooks: what the library finds out once for all threads is no operation of theirs. */
static __attribute__((noinline, no_sanitize_thread)) hash_function *found(const char *name, hash_function **real)
{
	hash_function *call = __atomic_load_n(real, __ATOMIC_RELAXED);

	if (!call) {
		call = (hash_function *)dlsym(RTLD_NEXT, name);
		__atomic_store_n(real, call, __ATOMIC_RELAXED);
	}
	return call;
}

static size_t hash(const char *name, hash_function **real, const void *key, size_t size, size_t seed)
{
	if (size)
		__tsan_read_range((void *)(size_t)key, (long)size);
	return found(name, real)(key, size, seed);
}

/* Looked up before main, if the library is there: what a run finds out is taken back with it. */
#define HASH(name, mangled)                                                            \
	static hash_function *real_##name;                                             \
	__attribute__((constructor, no_sanitize_thread)) static void find_##name(void) \
	{                                                                              \
		found(mangled, &real_##name);                                          \
	}                                                                              \
	size_t name(const void *key, size_t size, size_t seed) __asm__(mangled);       \
	size_t name(const void *key, size_t size, size_t seed)                         \
	{                                                                              \
		return hash(mangled, &real_##name, key, size, seed);                   \
	}
HASH(vtb_hash_bytes, "_ZSt11_Hash_bytesPKvmm")
HASH(vtb_fnv_hash_bytes, "_ZSt15_Fnv_hash_bytesPKvmm")
