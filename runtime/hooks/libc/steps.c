/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of libc that look things up in files or ask servers, and keep what they have found: users, groups, hosts,
 * services, character sets, locales, who is logged in; and those that share one connection. Each is one operation, as a
 * read of whatever there is (steps.h); what it leaves where the program says
 * is told, too.
 */
#include <errno.h>
#include <grp.h>
#include <iconv.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <stdarg.h>
#include <syslog.h>
#include <utmpx.h>

#include "computed.h"
#include "hidden.h"
#include "steps.h"

static struct vtb_rt_thread *controlled(bool alone)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	return t && vtb_rt_controls() && vtb_sched.active && !vtb_sched.exiting && vtb_sched_alone(t) == alone ? t
	                                                                                                       : NULL;
}

struct vtb_rt_thread *vtb_libc_operates(void)
{
	return controlled(false);
}

struct vtb_rt_thread *vtb_libc_alone(void)
{
	return controlled(true);
}

struct vtb_rt_thread *vtb_libc_operation(int *changed, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_libc_operates();
	const int saved = errno;

	if (t) {
		t->base.pc = pc;
		vtb_op(t, &vtb_primitive_always, VTB_E_IO_READ, vtb_io_name(VTB_IO_FILES, 0));
	}
	if (changed)
		alters(changed, pc);
	errno = saved;
	return t;
}

#define STEP(ret, name, params, args)                                    \
	VTB_EXPORT ret name params;                                      \
	VTB_EXPORT ret name params                                       \
	{                                                                \
		static void *real;                                       \
		VTB_LIBC_STEP(vtb_libc_step(NULL, VTB_CALLER));          \
                                                                         \
		return ((ret(*) params)vtb_real_kept(&real, #name))args; \
	}

/* What it leaves where it is told to: one or more of INTO(). */
#define ANSWER(ret, name, params, args, writes)                                                             \
	VTB_EXPORT ret name params;                                                                         \
	VTB_EXPORT ret name params                                                                          \
	{                                                                                                   \
		static void *real;                                                                          \
		const uint64_t pc = VTB_CALLER;                                                             \
		struct vtb_rt_thread *const t = vtb_libc_operation(NULL, pc);                               \
		struct computed computed;                                                                   \
		ret result;                                                                                 \
                                                                                                            \
		if (!vtb_rt_is_hooked(pc)) {                                                                \
			VTB_LIBC_STEP(vtb_libc_within(t));                                                  \
			return ((ret(*) params)vtb_real_kept(&real, #name))args;                            \
		}                                                                                           \
		computed_start(&computed, pc);                                                              \
		COMPUTED_CALL(writes, WITHIN(t, result = ((ret(*) params)vtb_real_kept(&real, #name))args), \
		              WROTE_IF(!result));                                                           \
		return result;                                                                              \
	}
#define WITHIN(t, call)                            \
	do {                                       \
		VTB_LIBC_STEP(vtb_libc_within(t)); \
		call;                              \
	} while (0)
#define LEFT(at) INTO(at, sizeof(*(at)))
#define ENTRY                       \
	INTO_SOME(room, size);      \
	INTO_SOME(to, sizeof(*to)); \
	LEFT(found)

/* What is found is kept by libc, where the next call changes it; where that is, is known from the first call on. */
#define FOUND(type, name, params, args)                                                                        \
	VTB_EXPORT struct type *name params;                                                                   \
	VTB_EXPORT struct type *name params                                                                    \
	{                                                                                                      \
		static void *real, *kept;                                                                      \
		const uint64_t pc = VTB_CALLER;                                                                \
		struct vtb_rt_thread *const t = vtb_libc_operation(NULL, pc);                                  \
		struct computed computed;                                                                      \
		struct type *found;                                                                            \
                                                                                                               \
		if (!vtb_rt_is_hooked(pc)) {                                                                   \
			VTB_LIBC_STEP(vtb_libc_within(t));                                                     \
			return ((struct type * (*)params) vtb_real_kept(&real, #name)) args;                   \
		}                                                                                              \
		computed_start(&computed, pc);                                                                 \
		COMPUTED_CALL(INTO(kept, sizeof(*found)),                                                      \
		              WITHIN(t, found = ((struct type * (*)params) vtb_real_kept(&real, #name)) args), \
		              WROTE_IF(found));                                                                \
		kept = found ? found : kept;                                                                   \
		return found;                                                                                  \
	}

/* ---- users and groups */

FOUND(passwd, getpwnam, (const char *name), (name))
FOUND(passwd, getpwuid, (uid_t id), (id))
FOUND(passwd, getpwent, (void), ())
STEP(void, setpwent, (void), ())
STEP(void, endpwent, (void), ())
ANSWER(int, getpwnam_r, (const char *name, struct passwd *to, char *room, size_t size, struct passwd **found),
       (name, to, room, size, found), ENTRY)
ANSWER(int, getpwuid_r, (uid_t id, struct passwd *to, char *room, size_t size, struct passwd **found),
       (id, to, room, size, found), ENTRY)
ANSWER(int, getpwent_r, (struct passwd * to, char *room, size_t size, struct passwd **found), (to, room, size, found),
       ENTRY)
FOUND(group, getgrnam, (const char *name), (name))
FOUND(group, getgrgid, (gid_t id), (id))
FOUND(group, getgrent, (void), ())
STEP(void, setgrent, (void), ())
STEP(void, endgrent, (void), ())
ANSWER(int, getgrnam_r, (const char *name, struct group *to, char *room, size_t size, struct group **found),
       (name, to, room, size, found), ENTRY)
ANSWER(int, getgrgid_r, (gid_t id, struct group *to, char *room, size_t size, struct group **found),
       (id, to, room, size, found), ENTRY)
ANSWER(int, getgrent_r, (struct group * to, char *room, size_t size, struct group **found), (to, room, size, found),
       ENTRY)
ANSWER(int, getgrouplist, (const char *user, gid_t group, gid_t *groups, int *n), (user, group, groups, n),
       INTO(groups, (size_t)*n * sizeof(*groups));
       LEFT(n))
STEP(int, initgroups, (const char *user, gid_t group), (user, group))
STEP(char *, getlogin, (void), ())
ANSWER(int, getlogin_r, (char *to, size_t size), (to, size), INTO_SOME(to, size))

/* ---- hosts, services, protocols */

FOUND(hostent, gethostbyname, (const char *name), (name))
FOUND(hostent, gethostbyname2, (const char *name, int family), (name, family))
FOUND(hostent, gethostbyaddr, (const void *address, socklen_t size, int family), (address, size, family))
FOUND(hostent, gethostent, (void), ())
STEP(void, sethostent, (int stays), (stays))
STEP(void, endhostent, (void), ())
ANSWER(int, gethostbyname_r,
       (const char *name, struct hostent *to, char *room, size_t size, struct hostent **found, int *error),
       (name, to, room, size, found, error), ENTRY;
       LEFT(error))
ANSWER(int, gethostbyname2_r,
       (const char *name, int family, struct hostent *to, char *room, size_t size, struct hostent **found, int *error),
       (name, family, to, room, size, found, error), ENTRY;
       LEFT(error))
ANSWER(int, gethostbyaddr_r,
       (const void *address, socklen_t n, int family, struct hostent *to, char *room, size_t size,
        struct hostent **found, int *error),
       (address, n, family, to, room, size, found, error), ENTRY;
       LEFT(error))
ANSWER(int, getaddrinfo, (const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found),
       (node, service, hints, found), LEFT(found))
ANSWER(int, getnameinfo,
       (const struct sockaddr *address, socklen_t n, char *host, socklen_t host_size, char *service,
        socklen_t service_size, int flags),
       (address, n, host, host_size, service, service_size, flags), INTO_SOME(host, host_size);
       INTO_SOME(service, service_size))
FOUND(servent, getservbyname, (const char *name, const char *protocol), (name, protocol))
FOUND(servent, getservbyport, (int port, const char *protocol), (port, protocol))
FOUND(servent, getservent, (void), ())
STEP(void, setservent, (int stays), (stays))
STEP(void, endservent, (void), ())
ANSWER(int, getservbyname_r,
       (const char *name, const char *protocol, struct servent *to, char *room, size_t size, struct servent **found),
       (name, protocol, to, room, size, found), ENTRY)
ANSWER(int, getservbyport_r,
       (int port, const char *protocol, struct servent *to, char *room, size_t size, struct servent **found),
       (port, protocol, to, room, size, found), ENTRY)
FOUND(protoent, getprotobyname, (const char *name), (name))
FOUND(protoent, getprotobynumber, (int number), (number))
FOUND(protoent, getprotoent, (void), ())
STEP(void, setprotoent, (int stays), (stays))
STEP(void, endprotoent, (void), ())
ANSWER(int, getprotobyname_r, (const char *name, struct protoent *to, char *room, size_t size, struct protoent **found),
       (name, to, room, size, found), ENTRY)
ANSWER(int, getprotobynumber_r, (int number, struct protoent *to, char *room, size_t size, struct protoent **found),
       (number, to, room, size, found), ENTRY)

/* ---- character sets, locales */

STEP(iconv_t, iconv_open, (const char *to, const char *from), (to, from))
STEP(int, iconv_close, (iconv_t it), (it))
STEP(locale_t, newlocale, (int mask, const char *name, locale_t base), (mask, name, base))
STEP(locale_t, duplocale, (locale_t it), (it))
STEP(void, freelocale, (locale_t it), (it))

/* ---- who is logged in */

FOUND(utmpx, getutxent, (void), ())
FOUND(utmpx, getutxid, (const struct utmpx *like), (like))
FOUND(utmpx, getutxline, (const struct utmpx *like), (like))
FOUND(utmpx, pututxline, (const struct utmpx *what), (what))
STEP(void, setutxent, (void), ())
STEP(void, endutxent, (void), ())

/* ---- one connection for all threads */

STEP(void, openlog, (const char *name, int options, int facility), (name, options, facility))
STEP(void, closelog, (void), ())
STEP(void, vsyslog, (int priority, const char *format, va_list args), (priority, format, args))
STEP(void, __vsyslog_chk, (int priority, int flag, const char *format, va_list args), (priority, flag, format, args))

VTB_EXPORT void syslog(int priority, const char *format, ...);
VTB_EXPORT void syslog(int priority, const char *format, ...)
{
	static void *real;
	va_list args;
	VTB_LIBC_STEP(vtb_libc_step(NULL, VTB_CALLER));

	va_start(args, format);
	((void (*)(int, const char *, va_list))vtb_real_kept(&real, "vsyslog"))(priority, format, args);
	va_end(args);
}

VTB_EXPORT void __syslog_chk(int priority, int flag, const char *format, ...);
VTB_EXPORT void __syslog_chk(int priority, int flag, const char *format, ...)
{
	static void *real;
	va_list args;
	VTB_LIBC_STEP(vtb_libc_step(NULL, VTB_CALLER));

	va_start(args, format);
	((void (*)(int, int, const char *, va_list))vtb_real_kept(&real, "__vsyslog_chk"))(priority, flag, format,
	                                                                                   args);
	va_end(args);
}
