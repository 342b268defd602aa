/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "libc_untold.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/elf_file.h"

/* Between blanks: they compute with what is handed to them by value, or make a system call, with which the program's
 * memory is told, or keep what is one thread's, or work on what a thread has made for itself before it uses it. */
static const char harmless[] =
    /* numbers, letters */
    " abs labs llabs imaxabs div ldiv lldiv imaxdiv ffs ffsl ffsll htonl htons ntohl ntohs difftime toascii"
    " copysign copysignf copysignl isinf isinff isinfl isnan isnanf isnanl finite finitef finitel ldexp ldexpf"
    " ldexpl scalbn scalbnf scalbnl isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint"
    " ispunct isspace isupper isxdigit tolower toupper isalnum_l isalpha_l isblank_l iscntrl_l isdigit_l"
    " isgraph_l islower_l isprint_l ispunct_l isspace_l isupper_l isxdigit_l tolower_l toupper_l gnu_dev_major"
    " gnu_dev_makedev gnu_dev_minor"
    /* what does not change, or is the thread's own */
    " getpagesize getauxval getdtablesize gnu_get_libc_version gnu_get_libc_release strerror strerrorname_np"
    " strerrordesc_np sigabbrev_np sigdescr_np strsignal hstrerror gai_strerror pthread_self pthread_equal"
    " thrd_current thrd_equal pthread_getspecific tss_get uselocale"
    " pthread_atfork dlerror backtrace backtrace_symbols backtrace_symbols_fd malloc_usable_size"
    " malloc_trim cfree valloc pvalloc dirfd"
    " pthread_getcpuclockid clock_getcpuclockid sched_get_priority_max sched_get_priority_min arc4random"
    " arc4random_uniform"
    /* what a thread sets up before others use it */
    " pthread_mutexattr_setrobust_np"
    " posix_spawn_file_actions_addchdir_np posix_spawn_file_actions_addclose"
    " posix_spawn_file_actions_adddup2 posix_spawn_file_actions_addopen posix_spawn_file_actions_destroy"
    " posix_spawn_file_actions_init posix_spawnattr_destroy posix_spawnattr_init posix_spawnattr_setflags"
    " posix_spawnattr_setpgroup posix_spawnattr_setsigdefault posix_spawnattr_setsigmask"
    " sigfillset cfgetispeed"
    " cfgetospeed cfmakeraw cfsetispeed cfsetospeed cfsetspeed freeaddrinfo freeifaddrs globfree"
    " globfree64 regfree wordfree"
    /* the program's end, and what is said of a mistake */
    " err errx verr verrx argp_error argp_failure argp_help argp_parse argp_state_help argp_usage daemon"
    " fdelt pthread_mutex_getprioceiling"
    /* files and descriptors */
    " read pread pread64 recv accept accept4 access acct alarm bind brk chdir chmod chown chroot close"
    " close_range closefrom connect copy_file_range creat creat64 dup dup2 dup3 eaccess epoll_create"
    " epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait euidaccess eventfd eventfd_read"
    " eventfd_write execveat faccessat fallocate fallocate64 fanotify_init fanotify_mark fchdir fchmod"
    " fchmodat fchown fchownat fcntl fcntl64 fdatasync fdopen fdopendir fgetxattr flistxattr flock"
    " fopen fopen64 fopencookie fremovexattr fsetxattr fstatat fstatat64 fstatfs fstatfs64 fstatvfs fstatvfs64"
    " fsync ftok ftruncate ftruncate64 futimens futimes futimesat getxattr inotify_add_watch inotify_init"
    " inotify_init1 inotify_rm_watch ioctl isatty lchmod lchown lgetxattr link linkat listen listxattr"
    " llistxattr lockf lockf64 lremovexattr lseek lseek64 lsetxattr lutimes memfd_create mkdir mkdirat mkfifo"
    " mkfifoat mknod mknodat mount msgctl msgget msgrcv msgsnd mq_close mq_getattr mq_notify mq_open"
    " mq_receive mq_send mq_setattr mq_timedreceive mq_timedsend mq_unlink open open64 openat openat64 opendir"
    " pathconf fpathconf poll ppoll posix_fadvise posix_fadvise64 posix_fallocate posix_fallocate64"
    " posix_openpt preadv preadv2 preadv64 preadv64v2 pselect pwritev pwritev2 pwritev64 pwritev64v2 readahead"
    " recvfrom recvmmsg recvmsg remove removexattr rename renameat renameat2 rmdir select sendfile sendfile64"
    " sendmmsg sendmsg sendto setsockopt setxattr shm_open shm_unlink shutdown signalfd socket splice statfs"
    " statfs64 statvfs statvfs64 statx symlink symlinkat sync sync_file_range syncfs tcdrain tcflow tcflush"
    " tcgetattr tcgetpgrp tcgetsid tcsendbreak tcsetattr tcsetpgrp tee timerfd_create timerfd_gettime"
    " timerfd_settime tmpfile tmpfile64 truncate truncate64 umask umount umount2 unlink unlinkat utime"
    " utimensat utimes vmsplice getpeername getsockname getsockopt sockatmark isfdtype"
    /* memory, processes, time, signals */
    " getegid geteuid getgid getitimer getpgid getpgrp getpriority getresgid getresuid getrlimit getrlimit64"
    " getsid getuid killpg gsignal ssignal clone mincore mremap msync"
    " nice pause personality pidfd_getfd pidfd_open pidfd_send_signal pkey_alloc pkey_free pkey_get"
    " pkey_mprotect pkey_set posix_madvise prlimit prlimit64 ptrace sched_getparam sched_getscheduler"
    " sched_setaffinity sched_setparam sched_setscheduler semctl semget semop semtimedop setfsgid setfsuid"
    " setitimer setns setpgid setpgrp setpriority setrlimit setrlimit64 setsid shmat shmctl shmdt shmget"
    " sigaction sigaltstack sigblock siggetmask sighold sigignore siginterrupt signal sigpause sigpending"
    " sigprocmask sigrelse sigset sigsetmask sigsuspend bsd_signal sysv_signal pthread_sigmask tgkill ualarm"
    " ulimit unshare wait wait3 wait4 waitid waitpid pthread_yield clock clock_getres pclose bsearch alphasort"
    " alphasort64 versionsort versionsort64 clock_settime timespec_getres process_madvise process_mrelease"
    " getcpu pthread_getattr_default_np"
    " ";

static bool is_listed(const char *name, size_t n)
{
	for (const char *at = harmless; (at = memmem(at, strlen(at), name, n)); at++)
		if (at[-1] == ' ' && at[n] == ' ')
			return true;
	return false;
}

/* Names that begin with an underscore are made for compilers and headers: __errno_location, __ctype_b_loc. But
 * __gethostname_chk is gethostname, checked, and __isoc99_swscanf a swscanf. */
static bool is_harmless(const char *name)
{
	const size_t n = strlen(name);

	if (!strncmp(name, "__isoc", 6))
		return false;
	if (n > 6 && !strncmp(name, "__", 2) && !strcmp(name + n - 4, "_chk"))
		return is_listed(name + 2, n - 6);
	return *name == '_' || is_listed(name, n);
}

/* The runtime stands in for them for another reason, or tells that they change a table or tree, which is many accesses,
 * or that a library's memory goes, but not who is in its code, or what they are given, but not that other threads'
 * calls go by it, or streams work with it; what programs call of streams, under such names. */
static bool is_untold(const char *name)
{
	static const char *const names[] = {
		"glob",          "glob64",      "__fbufsize",  "__flbf",
		"__fpending",    "__fpurge",    "__freadable", "__freading",
		"__fsetlocking", "__fwritable", "__fwriting",  "hsearch",
		"tsearch",       "tdelete",     "dlclose",     "pthread_setattr_default_np",
		"fmemopen"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static const char *path_of(const struct vtb_symtab *tab, const char *prefix)
{
	for (size_t i = 0; i < tab->n_modules; i++) {
		const char *slash = strrchr(tab->modules[i].path, '/'),
		           *name = slash ? slash + 1 : tab->modules[i].path;

		if (!strncmp(name, prefix, strlen(prefix)))
			return tab->modules[i].path;
	}
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has(const struct libc_untold *l, const char *name)
{
	return l->n_names && bsearch(&name, l->names, l->n_names, sizeof(*l->names), by_name);
}

static void sort(struct libc_untold *l)
{
	size_t n = 0;

	if (l->n_names)
		qsort(l->names, l->n_names, sizeof(*l->names), by_name);
	for (size_t i = 0; i < l->n_names; i++)
		if (n && !strcmp(l->names[n - 1], l->names[i]))
			free(l->names[i]);
		else
			l->names[n++] = l->names[i];
	l->n_names = n;
}

static int add(struct libc_untold *l, const char *name)
{
	int r = vtb_array_room(l, names);
	char *copy = r < 0 ? NULL : strdup(name);

	if (!copy)
		return -ENOMEM;
	l->names[l->n_names++] = copy;
	return 0;
}

/* Functions that the file's dynamic symbols define, or that it wants of others. */
static int read_symbols(struct libc_untold *l, const char *path, bool defined)
{
	struct vtb_elf *elf = NULL;
	struct vtb_elf_section s;
	struct vtb_elf_symbol symbol;
	int r = 0;

	if (!path || vtb_elf_open(path, &elf, NULL) < 0)
		return 0;
	for (size_t i = 0; r >= 0 && vtb_elf_section(elf, i, &s); i++)
		for (size_t k = 0; r >= 0 && s.type == SHT_DYNSYM && vtb_elf_symbol(elf, &s, k, &symbol); k++)
			if (symbol.defined == defined && *symbol.name &&
			    (symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC))
				r = add(l, symbol.name);
	vtb_elf_close(elf);
	sort(l);
	return r;
}

/* What macros and inline functions of <stdio.h> and <wchar.h> do without a call, to the fields of a stream, which
 * functions of libc work with, too: the program names only what they call when the buffer is empty or full. NULL: none
 * of these. */
static const char *inlined_of(const char *symbol)
{
	static const char *const names[][2] = {
		{ "__uflow", "getc_unlocked" },       { "__underflow", "getc_unlocked" },
		{ "__overflow", "putc_unlocked" },    { "__wuflow", "getwc_unlocked" },
		{ "__wunderflow", "getwc_unlocked" }, { "__woverflow", "putwc_unlocked" }
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(symbol, names[i][0]))
			return names[i][1];
	return NULL;
}

/* What libstdc++.so does to the program's memory without hooks, by functions that the program names, or by virtual
 * ones, where it names their table or asks for the facet: memory of <memory_resource>, divided without a lock; texts
 * that facets change, compare or take numbers from; what is read letter by letter. */
static const char *resource_of(const char *symbol)
{
	static const char *const parts[][2] = {
		{ "NSt3pmr28unsynchronized_pool_resource", "std::pmr::unsynchronized_pool_resource" },
		{ "NSt3pmr25monotonic_buffer_resource", "std::pmr::monotonic_buffer_resource" },
		{ "_ZSt10from_charsPKcS0_R", "std::from_chars" },
		{ "_ZSt8to_charsPcS_", "std::to_chars" },
		{ "_ZNSi3getEPcl", "std::istream::get" },
		{ "_ZNSt13basic_istreamIwSt11char_traitsIwEE3getEPwl", "std::wistream::get" },
		{ "_ZNSt8ios_base17register_callbackE", "std::ios::register_callback" },
		{ "9use_facetISt5ctypeI", "std::ctype" },
		{ "9use_facetINSt7__cxx117collateI", "std::collate" },
		{ "9use_facetISt7codecvtI", "std::codecvt" },
		{ "9use_facetISt7num_getI", "std::num_get" },
		{ "9use_facetISt7num_putI", "std::num_put" },
		{ "9use_facetINSt7__cxx119money_getI", "std::money_get" },
		{ "9use_facetINSt7__cxx119money_putI", "std::money_put" },
		{ "9use_facetINSt7__cxx118time_getI", "std::time_get" },
		{ "9use_facetISt8time_putI", "std::time_put" },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(symbol, parts[i][0]))
			return parts[i][1];
	return NULL;
}

static int add_resources(struct libc_untold *l, const char *path)
{
	struct vtb_elf *elf = NULL;
	struct vtb_elf_section s;
	struct vtb_elf_symbol symbol;
	int r = 0;

	if (vtb_elf_open(path, &elf, NULL) < 0)
		return 0;
	for (size_t i = 0; r >= 0 && vtb_elf_section(elf, i, &s); i++)
		for (size_t k = 0; r >= 0 && s.type == SHT_DYNSYM && vtb_elf_symbol(elf, &s, k, &symbol); k++)
			if (!symbol.defined && resource_of(symbol.name))
				r = add(l, resource_of(symbol.name));
	vtb_elf_close(elf);
	return r;
}

int libc_untold_add(struct libc_untold *l, const struct vtb_symtab *tab, const char *path)
{
	struct libc_untold wanted = { 0 }, libc = { 0 }, runtime = { 0 };
	int r = read_symbols(&wanted, path, false);

	if (r >= 0)
		r = read_symbols(&libc, path_of(tab, "libc.so") ? path_of(tab, "libc.so") : path_of(tab, "libc-"),
		                 true);
	if (r >= 0)
		r = read_symbols(&runtime, path_of(tab, "libvtb-rt"), true);
	for (size_t i = 0; r >= 0 && i < wanted.n_names; i++)
		if (inlined_of(wanted.names[i]))
			r = add(l, inlined_of(wanted.names[i]));
		else if (has(&libc, wanted.names[i]) &&
		         (is_untold(wanted.names[i]) ||
		          (!has(&runtime, wanted.names[i]) && !is_harmless(wanted.names[i]))))
			r = add(l, wanted.names[i]);
	r = r < 0 ? r : add_resources(l, path);
	sort(l);
	libc_untold_fini(&wanted);
	libc_untold_fini(&libc);
	libc_untold_fini(&runtime);
	return r;
}

void libc_untold_fini(struct libc_untold *l)
{
	while (l->n_names)
		free(l->names[--l->n_names]);
	free(l->names);
	*l = (struct libc_untold){ 0 };
}
