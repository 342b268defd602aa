/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Built as a shared library. */
void library_set(int value);
void library_look(void (*look)(int));

static int state;

void library_set(int value)
{
	state = value;
}

void library_look(void (*look)(int))
{
	look(state);
}
