/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Built as a shared library. One function has the name of one of libm. */
void library_set(int value);
void library_look(void (*look)(int));
void log(int value);

static int state;

void library_set(int value)
{
	state = value;
}

void log(int value)
{
	state = value;
}

void library_look(void (*look)(int))
{
	look(state);
}
