/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * std::list's pointers are changed by functions in libstdc++.so, which call no hooks. These stand before them
 * (cxx/CMakeLists.txt) and do the same to the same memory, each access hooked. The layout is the library's ABI: a node
 * begins with its two neighbours; the list's own head is a node, too, so that the circle is never open.
 */
struct node {
	struct node *next, *prev;
};

#define LIST(name) __asm__("_ZNSt8__detail15_List_node_base" name)

void vtb_list_hook(struct node *self, struct node *before) LIST("7_M_hookEPS0_");
void vtb_list_hook(struct node *self, struct node *before)
{
	self->next = before;
	self->prev = before->prev;
	before->prev->next = self;
	before->prev = self;
}

void vtb_list_unhook(struct node *self) LIST("9_M_unhookEv");
void vtb_list_unhook(struct node *self)
{
	struct node *next = self->next, *prev = self->prev;

	prev->next = next;
	next->prev = prev;
}

/* Take first..last (which stays) out of where they are, and put them before self. */
void vtb_list_transfer(struct node *self, struct node *first, struct node *last) LIST("11_M_transferEPS0_S1_");
void vtb_list_transfer(struct node *self, struct node *first, struct node *last)
{
	struct node *before;

	if (self == last)
		return;
	last->prev->next = self;
	first->prev->next = last;
	self->prev->next = first;
	before = self->prev;
	self->prev = last->prev;
	last->prev = first->prev;
	first->prev = before;
}

void vtb_list_reverse(struct node *self) LIST("10_M_reverseEv");
void vtb_list_reverse(struct node *self)
{
	struct node *n = self;

	do {
		struct node *next = n->next;

		n->next = n->prev;
		n->prev = next;
		n = next;
	} while (n != self);
}

/* The neighbours of a head that has got another's nodes. */
static void adopt(struct node *head)
{
	head->next->prev = head;
	head->prev->next = head;
}

static void become_empty(struct node *head)
{
	head->next = head;
	head->prev = head;
}

static void move_all(struct node *to, struct node *from)
{
	to->next = from->next;
	to->prev = from->prev;
	adopt(to);
	become_empty(from);
}

void vtb_list_swap(struct node *a, struct node *b) LIST("4swapERS0_S1_");
void vtb_list_swap(struct node *a, struct node *b)
{
	if (a->next != a && b->next != b) {
		const struct node kept = *a;

		a->next = b->next;
		b->next = kept.next;
		a->prev = b->prev;
		b->prev = kept.prev;
		adopt(a);
		adopt(b);
	} else if (a->next != a) {
		move_all(b, a);
	} else if (b->next != b) {
		move_all(a, b);
	}
}
