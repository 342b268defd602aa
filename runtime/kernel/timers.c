/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers in virtual time: they go off when the clock, which moves when nobody can go on, comes to them.
 *
 *     timer_create SIGEV_SIGNAL, alarm, setitimer(ITIMER_REAL)   a signal (signals.c)
 *     timer_create SIGEV_THREAD   a thread of its own that sleeps until then and calls the function
 *     timerfd                     an eventfd, whose counter is what a timerfd's is
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

#include "base.h"
#include "models.h"
#include "signals.h"
#include "timer_table.h"

#define SECOND 1000000000ull
#define PRIVATE_FD 700 /* out of the program's way */
#define ALARM 0u       /* timer 0 is alarm's and setitimer's */

static bool goes_off_by_itself(const struct timer *m)
{
	return m->due && m->kind != TIMER_THREAD && m->kind != TIMER_FREE;
}

uint64_t vtb_timers_next(void)
{
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; i < vtb_n_timers; i++)
		if (goes_off_by_itself(vtb_timer_at(i)) && vtb_timer_at(i)->due < next)
			next = vtb_timer_at(i)->due;
	return next;
}

void vtb_timers_forked(void)
{
	for (uint32_t i = 0; i < vtb_n_timers; i++)
		if (vtb_timer_at(i)->kind != TIMER_DESCRIPTOR)
			*vtb_timer_at(i) = (struct timer){ 0 };
}

/* How often it has gone off by now, the first time included; then it is armed for the next one. */
static uint64_t count_off(struct timer *m)
{
	const uint64_t late = vtb_sched.now > m->due ? vtb_sched.now - m->due : 0;
	const uint64_t times = m->interval ? 1 + late / m->interval : 1;

	m->due = m->interval ? m->due + times * m->interval : 0;
	return times;
}

static void go_off(struct timer *m)
{
	const uint64_t times = count_off(m);
	siginfo_t info = { .si_signo = m->signal, .si_code = m == vtb_timer_at(ALARM) ? SI_KERNEL : SI_TIMER };

	vtb_sched.epoch++; /* who is held back, having found that it has not gone off, looks again */
	if (m->kind == TIMER_DESCRIPTOR)
		sys3(SYS_write, m->write_end, (long)&times, sizeof(times));
	if (m->kind != TIMER_SIGNAL)
		return;
	if (m != vtb_timer_at(ALARM)) {
		info.si_timerid = (int)m->number;
		info.si_overrun = (int)(times - 1);
		info.si_value = m->value;
	}
	vtb_signals_generate(m->signal, &info, m->slot);
}

void vtb_timers_fire(void)
{
	for (uint64_t due; (due = vtb_timers_next()) <= vtb_sched.now;)
		for (uint32_t i = 0; i < vtb_n_timers; i++)
			if (goes_off_by_itself(vtb_timer_at(i)) && vtb_timer_at(i)->due == due) {
				go_off(vtb_timer_at(i));
				break;
			}
	vtb_signals_update();
}

/* One that t is about to look at may have gone off. One that ends the process is there for a test that hangs, and never
 * early: however the threads run, that would be a failure, of every program that has one. */
static bool is_for(const struct timer *m, const struct vtb_rt_thread *t)
{
	if (goes_off_by_itself(m) && m->due == t->kernel.timer_at)
		return true;
	if (m->kind != TIMER_SIGNAL || !m->due ||
	    (m->slot == VTB_SIGNAL_PROCESS ? vtb_signals_receiver(m->signal) != t
	                                   : m->slot != t->base.slot || t->kernel.sigmask >> (m->signal - 1) & 1))
		return false;
	return !vtb_signal_ends_process(m->signal);
}

static struct timer *first_for(const struct vtb_rt_thread *t)
{
	struct timer *best = NULL;

	for (uint32_t i = 0; i < vtb_n_timers; i++)
		if (is_for(vtb_timer_at(i), t) && (!best || vtb_timer_at(i)->due < best->due))
			best = vtb_timer_at(i);
	return best;
}

int vtb_timers_due(const struct vtb_rt_thread *t)
{
	const struct timer *m = first_for(t);

	return !m ? 0 : m->kind == TIMER_SIGNAL ? m->signal : SIGALRM;
}

bool vtb_timers_early(struct vtb_rt_thread *t)
{
	struct timer *m = first_for(t);

	if (!m)
		return false;
	if (vtb_sched.now < m->due)
		vtb_sched.now = m->due;
	vtb_timers_fire();
	return true;
}

/* ---- setting and asking; the clocks of virtual time differ only in where they begin */

static struct timespec span_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND) };
}

static uint64_t ns_of(const struct timespec *span)
{
	return (uint64_t)span->tv_sec * SECOND + (uint64_t)span->tv_nsec;
}

static struct itimerspec left_of(const struct timer *m)
{
	const uint64_t left = !m->due ? 0 : m->due > vtb_sched.now ? m->due - vtb_sched.now : 1;

	return (struct itimerspec){ .it_value = span_of(left), .it_interval = span_of(m->interval) };
}

/* 0 or -EINVAL. */
static int set(struct timer *m, bool absolute, const struct itimerspec *to, struct itimerspec *ret_old)
{
	if (!vtb_time_is_valid(&to->it_value) || !vtb_time_is_valid(&to->it_interval))
		return -EINVAL;
	vtb_time_look();
	vtb_stretch_end();
	if (ret_old)
		*ret_old = left_of(m);
	m->interval = ns_of(&to->it_interval);
	if (!to->it_value.tv_sec && !to->it_value.tv_nsec)
		m->due = 0;
	else
		m->due = absolute ? vtb_time_at(m->clock, &to->it_value) : vtb_sched.now + ns_of(&to->it_value) + 1;
	if (m->service) {
		m->service->sched.deadline = m->due;
		if (m->service->sched.call && !m->service->sched.enabled)
			vtb_sched_fact(VTB_E_BLOCK, vtb_sched.running, 0, 0, m->service->base.slot,
			               VTB_E_SLEEP | (m->due ? VTB_BLOCK_ARMED : 0u));
	}
	vtb_timers_fire(); /* a time that is over already */
	vtb_sched_recheck();
	return 0;
}

/* ---- POSIX timers */

/* Names of timers begin where no pointer and no kernel's number is. */
#define NAME(i) ((timer_t)(uintptr_t)(0x76740000u + (i)))

static struct timer *by_name(timer_t name)
{
	const uintptr_t i = (uintptr_t)name - (uintptr_t)NAME(0);

	return i < vtb_n_timers && vtb_timer_at((uint32_t)i)->kind != TIMER_FREE ? vtb_timer_at((uint32_t)i) : NULL;
}

static bool service_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const struct timer *m = (const struct timer *)call->data;

	return m->service != t || (m->due && vtb_sched.now >= m->due);
}

static const struct vtb_primitive primitive_service = { "timer thread", service_ready, NULL, NULL, false, NULL };

/* glibc makes a thread for each call of the function; here they come one after the other in one of the timer's own. */
static void *serve(void *arg)
{
	struct timer *m = arg;
	struct vtb_rt_thread *t = vtb_self;

	for (;;) {
		struct vtb_call call = { .prim = &primitive_service,
			                 .kind = VTB_E_SLEEP,
			                 .pc = (uint64_t)m->function + 1,
			                 .data = (uint64_t)m };

		t->sched.deadline = m->service == t ? m->due : 0;
		vtb_ctl_op(t, &call);
		t->sched.deadline = 0;
		if (m->service != t)
			return NULL;
		count_off(m);
		m->function(m->value);
	}
}

static int start_service(struct timer *m, const pthread_attr_t *attr)
{
	pthread_t handle;
	const int r = vtb_ctl_pthread_create(&handle, attr, serve, m);

	if (r)
		return r;
	m->service = vtb_rt_thread_by_handle(handle);
	m->service->sched.service = true;
	m->service->base.detached = true;
	return vtb_carrier->detach(m->service);
}

static struct vtb_rt_thread *controlled(uint64_t pc, unsigned kind)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (!t || !vtb_rt_controls())
		return NULL;
	t->base.pc = pc;
	vtb_tell_timers(t, kind);
	return t;
}

static int fail(int error)
{
	errno = error;
	return -1;
}

int vtb_timer_create(clockid_t clock, struct sigevent *event, timer_t *ret, uint64_t pc)
{
	struct vtb_rt_thread *t = controlled(pc, VTB_E_IO_WRITE);
	const int how = event ? event->sigev_notify : SIGEV_SIGNAL;
	struct timer *m;
	uint32_t i;
	int r;

	if (!t || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0)
		return VTB_CALL_REAL(timer_create)(clock, event, ret);
	i = vtb_timer_new(how == SIGEV_THREAD ? TIMER_THREAD : how == SIGEV_NONE ? TIMER_NOTHING : TIMER_SIGNAL, clock);
	m = vtb_timer_at(i);
	m->signal = event && how != SIGEV_NONE ? event->sigev_signo : SIGALRM;
	m->value = event ? event->sigev_value : (union sigval){ .sival_int = (int)i };
	if (how == SIGEV_THREAD_ID)
		m->slot = vtb_carrier_slot(event->_sigev_un._tid);
	if (how == SIGEV_THREAD) {
		m->function = event->sigev_notify_function;
		r = start_service(m, event->sigev_notify_attributes);
		if (r) {
			m->kind = TIMER_FREE;
			return fail(r);
		}
	}
	*ret = NAME(i);
	return 0;
}

int vtb_timer_settime(timer_t name, int flags, const struct itimerspec *to, struct itimerspec *old, uint64_t pc)
{
	struct timer *m = controlled(pc, VTB_E_IO_WRITE) ? by_name(name) : NULL;
	int r;

	if (!m)
		return VTB_CALL_REAL(timer_settime)(name, flags, to, old);
	r = set(m, flags & TIMER_ABSTIME, to, old);
	return r < 0 ? fail(-r) : 0;
}

int vtb_timer_gettime(timer_t name, struct itimerspec *ret, uint64_t pc)
{
	struct timer *m = controlled(pc, VTB_E_IO_READ) ? by_name(name) : NULL;

	if (!m)
		return VTB_CALL_REAL(timer_gettime)(name, ret);
	vtb_time_look();
	*ret = left_of(m);
	return 0;
}

VTB_EXPORT int timer_getoverrun(timer_t name)
{
	struct timer *m = controlled(VTB_CALLER, VTB_E_IO_READ) ? by_name(name) : NULL;

	return m ? 0 : VTB_CALL_REAL(timer_getoverrun)(name); /* every expiry is waited for */
}

VTB_EXPORT int timer_delete(timer_t name)
{
	struct timer *m = controlled(VTB_CALLER, VTB_E_IO_WRITE) ? by_name(name) : NULL;

	if (!m)
		return VTB_CALL_REAL(timer_delete)(name);
	m->due = 0;
	m->kind = m->service ? TIMER_NOTHING : TIMER_FREE; /* its thread still looks at it, to end */
	m->service = NULL;
	vtb_signals_update();
	vtb_sched_recheck();
	return 0;
}

/* ---- timerfd */

void vtb_timers_epoll(const greg_t *g)
{
	struct timer *m = vtb_timer_of((int)g[REG_RDX]);
	const int name = (int)g[REG_RDI] + 1;
	uint32_t k = 0;

	if (!m)
		return;
	while (k < VTB_EPOLLS_ROOM && m->epolls[k] != name)
		k++;
	if (k < VTB_EPOLLS_ROOM)
		m->epolls[k] = g[REG_RSI] == EPOLL_CTL_DEL ? 0 : name;
	for (k = 0; k < VTB_EPOLLS_ROOM && g[REG_RSI] == EPOLL_CTL_ADD; k++)
		if (!m->epolls[k]) {
			m->epolls[k] = name;
			return;
		}
	if (g[REG_RSI] == EPOLL_CTL_ADD)
		vtb_limit_reached(VTB_LIMIT_EPOLLS);
}

static long new_timerfd(clockid_t clock, int flags)
{
	const uint32_t i = vtb_timer_new(TIMER_DESCRIPTOR, clock);
	long fd;

	fd = sys3(SYS_eventfd2, 0, (flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0) | (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0),
	          0);
	vtb_timer_at(i)->fd = (int)fd;
	vtb_timer_at(i)->write_end = fd < 0 ? -1 : (int)sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, PRIVATE_FD);
	if (fd < 0)
		vtb_timer_at(i)->kind = TIMER_FREE;
	else if (vtb_timer_at(i)->write_end < 0)
		vtb_limit_reached(VTB_LIMIT_DESCRIPTORS);
	return fd;
}

/* Armed anew, it forgets how often it has gone off. */
static void forget_count(int fd)
{
	const long flags = sys3(SYS_fcntl, fd, F_GETFL, 0);
	uint64_t count;

	sys3(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
	sys3(SYS_read, fd, (long)&count, sizeof(count));
	sys3(SYS_fcntl, fd, F_SETFL, flags);
}

/* ---- alarm and setitimer */

static long set_alarm(const struct itimerspec *to, struct itimerspec *old)
{
	struct timer *m = vtb_timer_at(ALARM);

	vtb_n_timers = vtb_n_timers ? vtb_n_timers : ALARM + 1;
	*m = (struct timer){ .kind = TIMER_SIGNAL,
		             .signal = SIGALRM,
		             .slot = VTB_SIGNAL_PROCESS,
		             .clock = CLOCK_MONOTONIC,
		             .due = m->due,
		             .interval = m->interval };
	return set(m, false, to, old);
}

static long call_alarm(unsigned seconds)
{
	const struct itimerspec to = { .it_value = { .tv_sec = seconds } };
	struct itimerspec old = { 0 };

	set_alarm(&to, &old);
	return old.it_value.tv_sec +
	       (old.it_value.tv_nsec >= (long)SECOND / 2 || (!old.it_value.tv_sec && old.it_value.tv_nsec));
}

static struct timespec from_timeval(const struct timeval *v)
{
	return (struct timespec){ .tv_sec = v->tv_sec, .tv_nsec = v->tv_usec * 1000 };
}

static struct timeval to_timeval(const struct timespec *s)
{
	return (struct timeval){ .tv_sec = s->tv_sec, .tv_usec = s->tv_nsec / 1000 };
}

static void tell(const struct itimerspec *from, struct itimerval *ret)
{
	if (ret)
		*ret = (struct itimerval){ .it_value = to_timeval(&from->it_value),
			                   .it_interval = to_timeval(&from->it_interval) };
}

static long call_setitimer(const struct itimerval *v, struct itimerval *ret_old)
{
	const struct itimerspec to = v ? (struct itimerspec){ .it_value = from_timeval(&v->it_value),
		                                              .it_interval = from_timeval(&v->it_interval) }
	                               : (struct itimerspec){ 0 };
	struct itimerspec old = { 0 };
	const long r = set_alarm(&to, &old);

	if (r == 0)
		tell(&old, ret_old);
	return r;
}

bool vtb_timers_call(const greg_t *g, long *ret)
{
	struct timer *m;
	struct itimerspec left;

	switch (g[REG_RAX]) {
	case SYS_alarm:
		*ret = call_alarm((unsigned)g[REG_RDI]);
		return true;
	case SYS_setitimer:
		if (g[REG_RDI] != ITIMER_REAL)
			return false;
		*ret = call_setitimer((const struct itimerval *)g[REG_RSI], (struct itimerval *)g[REG_RDX]);
		return true;
	case SYS_getitimer:
		if (g[REG_RDI] != ITIMER_REAL)
			return false;
		vtb_time_look();
		left = left_of(vtb_timer_at(ALARM));
		tell(&left, (struct itimerval *)g[REG_RSI]);
		*ret = 0;
		return true;
	case SYS_timerfd_create:
		*ret = new_timerfd((clockid_t)g[REG_RDI], (int)g[REG_RSI]);
		return true;
	case SYS_timerfd_settime:
		if (!(m = vtb_timer_of((int)g[REG_RDI])))
			return false;
		forget_count(m->fd);
		*ret = set(m, g[REG_RSI] & TFD_TIMER_ABSTIME, (const struct itimerspec *)g[REG_RDX],
		           (struct itimerspec *)g[REG_R10]);
		return true;
	case SYS_timerfd_gettime:
		if (!(m = vtb_timer_of((int)g[REG_RDI])))
			return false;
		vtb_time_look();
		*(struct itimerspec *)g[REG_RSI] = left_of(m);
		*ret = 0;
		return true;
	default:
		return false;
	}
}
