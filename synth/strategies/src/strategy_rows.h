/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of strategies: a line and a file each, the default first. */
#ifndef VTB_STRATEGY_ROWS_H
#define VTB_STRATEGY_ROWS_H

#include "vtb/strategy.h"

#define VTB_STRATEGY_ROWS(ROW) \
	ROW(portfolio)         \
	ROW(cvt)               \
	ROW(dfs)               \
	ROW(levels)            \
	ROW(dpor)              \
	ROW(bestfirst)         \
	ROW(exitblock)         \
	ROW(aim)               \
	ROW(random)            \
	ROW(pct)               \
	ROW(pctvb)             \
	ROW(pcttb)             \
	ROW(pos)               \
	ROW(surw)

#define VTB_STRATEGY_DECLARE(name) extern const struct vtb_strategy vtb_strategy_##name;
VTB_STRATEGY_ROWS(VTB_STRATEGY_DECLARE)

#endif /* VTB_STRATEGY_ROWS_H */
