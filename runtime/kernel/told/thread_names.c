/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the program gives its threads. Threads of carrier fibers share one kernel thread, so that the names are
 * kept here, where a rolled back run leaves none behind; each is told in the records, for reports. Who gives and who
 * asks for the name of one thread depends on the order in which they do so: both are operations on it. A thread that
 * has ended and was not joined keeps its name; the kernel no longer knows it.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

#include "base.h"
#include "syscalls.h"

struct name {
	char text[VTB_NAME_BYTES];
};

/* A thread alone is no operation: nobody is there with whom it could be ordered. */
static void operation(struct vtb_rt_thread *t, unsigned kind, const struct vtb_rt_thread *of)
{
	if (vtb_sched.active && !vtb_sched.exiting && !vtb_sched_alone(t))
		vtb_op(t, &vtb_primitive_always, kind, vtb_io_name(VTB_IO_THREAD_NAME, of->base.slot));
}

static void tell(struct vtb_rt_thread *t, const struct vtb_rt_thread *of, const struct name *name)
{
	uint64_t words[2];
	struct vtb_rec rec = {
		.kind = VTB_E_THREAD_NAME, .addr = of->base.slot, .pc = t->base.pc, .flags = VTB_REC_VALUE | VTB_REC_ARG
	};

	memcpy(words, name, sizeof(words));
	rec.value = words[0];
	rec.arg = words[1];
	t->base.inside++;
	vtb_rt_put(t, &rec);
	t->base.inside--;
}

/* The kernel's name is that of the process until the program gives one, and of who made the thread. */
static struct name name_of(const struct vtb_rt_thread *t)
{
	struct name name = { "" };

	if (*t->kernel.name)
		memcpy(&name, t->kernel.name, sizeof(name));
	else
		sys6(SYS_prctl, PR_GET_NAME, (long)&name, 0, 0, 0, 0);
	return name;
}

static void give(struct vtb_rt_thread *t, struct vtb_rt_thread *to, const struct name *name)
{
	operation(t, VTB_E_IO_WRITE, to);
	memcpy(to->kernel.name, name, sizeof(*name));
	tell(t, to, name);
	if (to == t && vtb_rt.block->carrier == VTB_CARRIER_THREADS && !vtb_engine->call) /* for debuggers */
		sys6(SYS_prctl, PR_SET_NAME, (long)name, 0, 0, 0, 0);
}

/* As the kernel reads it: as much as there is room for. */
static bool read_name(uint64_t from, struct name *ret)
{
	uint64_t byte = 1;

	for (size_t i = 0; byte && i < sizeof(ret->text) - 1; i++) {
		if (!vtb_rt_peek((const void *)(from + i), 1, &byte))
			return false;
		ret->text[i] = (char)byte;
	}
	return true;
}

static void hand_out(struct vtb_rt_thread *t, const struct vtb_rt_thread *of, char *ret)
{
	struct name name;

	operation(t, VTB_E_IO_READ, of);
	name = name_of(of);
	vtb_engine_written(ret, sizeof(name));
	memcpy(ret, &name, sizeof(name));
}

static bool prctl_call(struct vtb_rt_thread *t, int option, uint64_t arg, long *ret)
{
	struct name name = { "" };

	*ret = 0;
	if (option == PR_GET_NAME) {
		hand_out(t, t, (char *)arg);
		return true;
	}
	if (option != PR_SET_NAME)
		return false;
	if (read_name(arg, &name))
		give(t, t, &name);
	else
		*ret = -EFAULT;
	return true;
}

bool vtb_thread_names_call(struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	return prctl_call(t, (int)g[REG_RDI], (uint64_t)g[REG_RSI], ret);
}

void vtb_thread_names_inherit(struct vtb_rt_thread *child, const struct vtb_rt_thread *creator)
{
	if (creator)
		memcpy(child->kernel.name, creator->kernel.name, sizeof(child->kernel.name));
}

/* ---- the functions: other threads' names, and where calls do not trap */

static struct vtb_rt_thread *caller(uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (t)
		t->base.pc = pc;
	return t;
}

static void record(struct vtb_rt_thread *t, pthread_t handle, const char *text)
{
	const struct vtb_rt_thread *of = vtb_rt_thread_by_handle(handle);
	struct name name = { "" };

	memcpy(name.text, text, strnlen(text, sizeof(name.text) - 1));
	if (of)
		tell(t, of, &name);
}

int vtb_thread_name_set(pthread_t handle, const char *text, uint64_t pc)
{
	struct vtb_rt_thread *t = caller(pc), *to = t ? vtb_rt_thread_by_handle(handle) : NULL;
	struct name name = { "" };
	int r;

	if (to && vtb_rt_controls()) {
		if (strlen(text) >= sizeof(name.text))
			return ERANGE;
		memcpy(name.text, text, strlen(text));
		give(t, to, &name);
		return 0;
	}
	r = VTB_CALL_REAL(pthread_setname_np)(handle, text);
	if (t && !r)
		record(t, handle, text);
	return r;
}

int vtb_thread_name(pthread_t handle, char *ret, size_t size, uint64_t pc)
{
	struct vtb_rt_thread *t = caller(pc), *of = t ? vtb_rt_thread_by_handle(handle) : NULL;

	if (!of || !vtb_rt_controls())
		return VTB_CALL_REAL(pthread_getname_np)(handle, ret, size);
	if (size < VTB_NAME_BYTES)
		return ERANGE;
	hand_out(t, of, ret);
	return 0;
}

static int real_prctl(struct vtb_rt_thread *t, int option, const unsigned long *args)
{
	const int r = VTB_CALL_REAL(prctl)(option, args[0], args[1], args[2], args[3]);

	if (t && !r && option == PR_SET_NAME)
		record(t, t->base.handle, (const char *)args[0]);
	return r;
}

int vtb_prctl(int option, const unsigned long args[4], uint64_t pc)
{
	struct vtb_rt_thread *t = caller(pc);
	long r;

	if (!t || !vtb_rt_controls() || !prctl_call(t, option, args[0], &r))
		return real_prctl(t, option, args);
	if (r < 0)
		errno = (int)-r;
	return r < 0 ? -1 : 0;
}
