/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict_class.h: failures as other tools classify them. */
#ifndef VTB_VIZ_VERDICT_CLASS_H
#define VTB_VIZ_VERDICT_CLASS_H

#include "vtb/events.h"

struct verdict_class {
	const char *id;   /* SARIF rule; never reused */
	const char *name; /* SARIF rule name, JUnit type */
	const char *cwe;  /* tag */
};

static inline struct verdict_class verdict_class_of(enum vtb_verdict verdict)
{
	switch (verdict) {
	case VTB_V_DEADLOCK:
		return (struct verdict_class){ "VTB002", "Deadlock", "external/cwe/cwe-833" };
	case VTB_V_CONDITION_DEADLOCK:
	case VTB_V_LOST_WAKEUP:
		return (struct verdict_class){ "VTB003", "LostWakeup", "external/cwe/cwe-833" };
	case VTB_V_LIVELOCK:
		return (struct verdict_class){ "VTB004", "Livelock", "external/cwe/cwe-835" };
	case VTB_V_MEMORY:
		return (struct verdict_class){ "VTB005", "UseAfterFree", "external/cwe/cwe-416" };
	case VTB_V_MISUSE:
		return (struct verdict_class){ "VTB006", "SynchronisationMisuse", "external/cwe/cwe-667" };
	default:
		return (struct verdict_class){ "VTB001", "InterleavingFailure", "external/cwe/cwe-362" };
	}
}

#endif /* VTB_VIZ_VERDICT_CLASS_H */
