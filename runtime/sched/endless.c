/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is there a way out of the loop that a thread is in? Every place that can be reached from an instruction is looked at,
 * whatever conditions say. If none leads to a return, an unknown call or anywhere through a register, there is none,
 * and neither another thread nor time can end the loop: a compiler has taken its only read of what it waits for out of
 * it.
 *
 * Instructions are told by their length (Intel's manual, volume 2, opcode maps): those that compilers put into such
 * loops. At any other the answer is no.
 */
#include "scheduler.h"

#define PLACES_MAX 96u /* instructions */
#define LENGTH_MAX 15

/* What follows the opcode, and where it goes on. */
enum form {
	UNKNOWN,
	PLAIN,       /* nothing */
	BYTE,        /* an operand of one byte */
	WORD,        /* of four; two with prefix 66 */
	LONG,        /* of four, eight with REX.W: mov to a register */
	MEMORY,      /* ModRM */
	MEMORY_BYTE, /* ModRM and an operand */
	MEMORY_WORD,
	TEST_BYTE, /* ModRM; an operand, too, if its middle bits are 0 or 1 */
	TEST_WORD,
	COUNT, /* ModRM: inc, dec; what else goes somewhere */
	BRANCH_BYTE,
	BRANCH_WORD, /* jcc */
	JUMP_BYTE,
	JUMP_WORD,
	CALL,
};

struct range {
	uint8_t first, last, form;
};

static const struct range one_byte[] = {
	{ 0x50, 0x5f, PLAIN },       { 0x63, 0x63, MEMORY },      { 0x68, 0x68, WORD },
	{ 0x69, 0x69, MEMORY_WORD }, { 0x6a, 0x6a, BYTE },        { 0x6b, 0x6b, MEMORY_BYTE },
	{ 0x70, 0x7f, BRANCH_BYTE }, { 0x80, 0x80, MEMORY_BYTE }, { 0x81, 0x81, MEMORY_WORD },
	{ 0x83, 0x83, MEMORY_BYTE }, { 0x84, 0x8b, MEMORY },      { 0x8d, 0x8d, MEMORY },
	{ 0x90, 0x99, PLAIN },       { 0xa8, 0xa8, BYTE },        { 0xa9, 0xa9, WORD },
	{ 0xb0, 0xb7, BYTE },        { 0xb8, 0xbf, LONG },        { 0xc0, 0xc1, MEMORY_BYTE },
	{ 0xc6, 0xc6, MEMORY_BYTE }, { 0xc7, 0xc7, MEMORY_WORD }, { 0xd0, 0xd3, MEMORY },
	{ 0xe8, 0xe8, CALL },        { 0xe9, 0xe9, JUMP_WORD },   { 0xeb, 0xeb, JUMP_BYTE },
	{ 0xf6, 0xf6, TEST_BYTE },   { 0xf7, 0xf7, TEST_WORD },   { 0xfe, 0xff, COUNT },
};

static const struct range two_bytes[] = {
	/* behind 0f */
	{ 0x0d, 0x0d, MEMORY },      { 0x10, 0x17, MEMORY },      { 0x1e, 0x1f, MEMORY }, { 0x28, 0x2f, MEMORY },
	{ 0x40, 0x6f, MEMORY },      { 0x70, 0x73, MEMORY_BYTE }, { 0x74, 0x76, MEMORY }, { 0x7e, 0x7f, MEMORY },
	{ 0x80, 0x8f, BRANCH_WORD }, { 0x90, 0x9f, MEMORY },      { 0xa3, 0xa3, MEMORY }, { 0xa4, 0xa4, MEMORY_BYTE },
	{ 0xab, 0xab, MEMORY },      { 0xac, 0xac, MEMORY_BYTE }, { 0xaf, 0xb1, MEMORY }, { 0xb3, 0xb3, MEMORY },
	{ 0xb6, 0xb7, MEMORY },      { 0xba, 0xba, MEMORY_BYTE }, { 0xbb, 0xc1, MEMORY }, { 0xc2, 0xc2, MEMORY_BYTE },
	{ 0xc6, 0xc6, MEMORY_BYTE }, { 0xc8, 0xcf, PLAIN },       { 0xd1, 0xfe, MEMORY },
};

static enum form find(const struct range *ranges, size_t n, uint8_t opcode)
{
	for (size_t i = 0; i < n; i++)
		if (opcode >= ranges[i].first && opcode <= ranges[i].last)
			return ranges[i].form;
	return UNKNOWN;
}

/* The eight groups of the oldest operations look alike. */
static enum form form_of(uint8_t opcode)
{
	static const uint8_t group[] = { MEMORY, MEMORY, MEMORY, MEMORY, BYTE, WORD, UNKNOWN, UNKNOWN };

	return opcode < 0x40 ? (enum form)group[opcode & 7]
	                     : find(one_byte, sizeof(one_byte) / sizeof(*one_byte), opcode);
}

/* ModRM with what belongs to it. */
static uint32_t memory_length(const uint8_t *at)
{
	const uint32_t mod = at[0] >> 6, rm = at[0] & 7, sib = mod != 3 && rm == 4;

	if (mod == 3)
		return 1;
	if (mod == 0 && (rm == 5 || (sib && (at[1] & 7) == 5)))
		return 1 + sib + 4;
	return 1 + sib + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e || byte == 0x64 ||
	       byte == 0x65 || byte == 0xf0;
}

struct instruction {
	uint64_t next;   /* what comes after it; 0: nothing */
	uint64_t target; /* where it may jump to; 0: nowhere */
	bool hook;       /* a hook is called */
};

static int64_t offset(const uint8_t *at, bool byte)
{
	int32_t word;

	if (byte)
		return (int8_t)*at;
	__builtin_memcpy(&word, at, sizeof(word));
	return word;
}

/* False: unknown, or it leads out. */
static bool decode(uint64_t pc, struct instruction *ret)
{
	const uint8_t *at = (const uint8_t *)pc;
	bool narrow = false, wide = false;
	uint32_t word = 4, operand = 0;
	enum form form;

	for (; is_prefix(*at); at++)
		narrow |= *at == 0x66;
	if ((*at & 0xf0) == 0x40)
		wide = *at++ & 8;
	word = narrow && !wide ? 2 : 4;
	form = *at == 0x0f ? find(two_bytes, sizeof(two_bytes) / sizeof(*two_bytes), at[1]) : form_of(*at);
	at += *at == 0x0f ? 2 : 1;
	*ret = (struct instruction){ 0 };
	switch (form) {
	case UNKNOWN:
		return false;
	case COUNT:
		if ((*at >> 3 & 7) > 1)
			return false;
		break;
	case TEST_BYTE:
	case TEST_WORD:
		operand = (*at >> 3 & 7) > 1 ? 0 : form == TEST_BYTE ? 1 : word;
		break;
	case BYTE:
	case MEMORY_BYTE:
	case BRANCH_BYTE:
	case JUMP_BYTE:
		operand = 1;
		break;
	case LONG:
		operand = wide ? 8 : word;
		break;
	case WORD:
	case MEMORY_WORD:
		operand = word;
		break;
	case BRANCH_WORD:
	case JUMP_WORD:
	case CALL:
		operand = 4;
		break;
	default:
		break;
	}
	if (form == MEMORY || form == MEMORY_BYTE || form == MEMORY_WORD || form == TEST_BYTE || form == TEST_WORD ||
	    form == COUNT)
		at += memory_length(at);
	ret->next = (uint64_t)at + operand;
	if (form == BRANCH_BYTE || form == JUMP_BYTE || form == BRANCH_WORD || form == JUMP_WORD)
		ret->target = ret->next + (uint64_t)offset(at, operand == 1);
	if (form == JUMP_BYTE || form == JUMP_WORD)
		ret->next = 0;
	ret->hook = form == CALL;
	return form != CALL ||
	       vtb_rt_is_near(ret->next +
	                      (uint64_t)offset(at, false)); /* hooks come back, of other functions nobody knows */
}

static bool add(uint64_t *places, uint32_t *n, uint64_t pc)
{
	for (uint32_t i = 0; i < *n; i++)
		if (places[i] == pc)
			return true;
	if (*n == PLACES_MAX)
		return false;
	places[(*n)++] = pc;
	return true;
}

enum vtb_endless vtb_endless(uint64_t pc)
{
	uint64_t places[PLACES_MAX];
	struct instruction now;
	uint32_t n = 0;
	bool hooks = false;

	add(places, &n, pc);
	for (uint32_t i = 0; i < n; i++) {
		if (!vtb_rt_is_code(places[i]) || !vtb_rt_is_code(places[i] + LENGTH_MAX) || !decode(places[i], &now))
			return VTB_MAY_END;
		if ((now.next && !add(places, &n, now.next)) || (now.target && !add(places, &n, now.target)))
			return VTB_MAY_END;
		hooks |= now.hook;
	}
	return hooks ? VTB_NEVER_ENDS : VTB_STUCK;
}
