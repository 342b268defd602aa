/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file sat.h
 * A solver of propositional formulas that keeps what it has learned between questions (CaDiCaL, decision 80; sat.c is
 * its adapter). A literal is a variable's number, negative for its negation.
 *
 * Errors: -ENOMEM from new; -ETIMEDOUT from solve: more conflicts than a question is worth.
 */
#ifndef VTB_SAT_H
#define VTB_SAT_H

#include <stdbool.h>
#include <stddef.h>

struct vtb_sat;

int vtb_sat_new(struct vtb_sat **ret);
void vtb_sat_free(struct vtb_sat *sat);
/** A fresh variable, from 1. */
int vtb_sat_var(struct vtb_sat *sat);
/** One of these literals holds. */
void vtb_sat_clause(struct vtb_sat *sat, const int *literals, size_t n);
/** For the next question only. */
void vtb_sat_assume(struct vtb_sat *sat, int literal);
/** Is there an assignment? 1, 0, -ETIMEDOUT. */
int vtb_sat_solve(struct vtb_sat *sat);
/** After 1: does the literal hold in it? */
bool vtb_sat_holds(const struct vtb_sat *sat, int literal);
/** After 0: did the answer need this assumption? */
bool vtb_sat_failed(const struct vtb_sat *sat, int literal);

#endif /* VTB_SAT_H */
