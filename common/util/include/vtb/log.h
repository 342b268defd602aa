/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file log.h
 * Developer's view inside, on stderr: VTB_LOG=decode=debug,synth=info (a module is a source file's name without suffix,
 * or "all"). Silent by default; libraries never speak to users.
 * A sentence, a colon, key=value: vtb_debug("Read section: path=\"%s\", offset=%" PRIu64, path, off).
 */
#ifndef VTB_LOG_H
#define VTB_LOG_H

enum vtb_log_level { VTB_LOG_NONE, VTB_LOG_ERROR, VTB_LOG_INFO, VTB_LOG_DEBUG };

/** Level in force for the source file `file` (as __FILE__). Reads VTB_LOG once. */
enum vtb_log_level vtb_log_level(const char *file);
void vtb_log_print(enum vtb_log_level level, const char *file, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define VTB_LOG_AT(level, ...)                                         \
	do {                                                           \
		if (vtb_log_level(__FILE__) >= (level))                \
			vtb_log_print((level), __FILE__, __VA_ARGS__); \
	} while (0)
#define vtb_debug(...) VTB_LOG_AT(VTB_LOG_DEBUG, __VA_ARGS__)
#define vtb_info(...) VTB_LOG_AT(VTB_LOG_INFO, __VA_ARGS__)

#endif /* VTB_LOG_H */
