/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where threads run: anywhere, and there are no places. So says libgomp, if OMP_PROC_BIND, OMP_PLACES and
 * GOMP_CPU_AFFINITY are not set; if they are, a program that asks has to have libgomp (record/src/launch/launch_env.c).
 */
#include "omp.h"

#define ASK(type, name, value)              \
	OMP_EXPORT OMP_OWN type name(void); \
	OMP_EXPORT OMP_OWN type name(void)  \
	{                                   \
		return value;               \
	}
ASK(int, omp_get_proc_bind, 0)
ASK(int, omp_get_num_places, 0)
ASK(int, omp_get_place_num, -1)
ASK(int, omp_get_partition_num_places, 0)

OMP_EXPORT int omp_get_place_num_procs(int place);
OMP_EXPORT int omp_get_place_num_procs(int place)
{
	(void)place;
	return 0;
}

OMP_EXPORT void omp_get_place_proc_ids(int place, int *ids);
OMP_EXPORT void omp_get_place_proc_ids(int place, int *ids)
{
	(void)place;
	(void)ids;
}

OMP_EXPORT void omp_get_partition_place_nums(int *places);
OMP_EXPORT void omp_get_partition_place_nums(int *places)
{
	(void)places;
}
