/* machine_identity.h - is a pair measured on one machine? A gate judges no other. */
#ifndef ABDB_COMPARE_MACHINE_IDENTITY_H
#define ABDB_COMPARE_MACHINE_IDENTITY_H

#include "query/compare/compare.h"

/* By it a gate refuses a pair of two machines; v_rule lists it among the rules. */
extern const abdb_rule abdb_rule_one_machine;

/* Appends "device A EPYC 7763, B EPYC 9V74; ..." for each device, processor, power limit and type
 * of virtual machine with two known values in the runs of both sides; letter: of the second side.
 * Appends no text where the known values are of one machine. */
ABDB_MUST_USE abdb_status abdb_pair_append_unlike_machines(sqlite3 *db, const abdb_pair *pair,
                                                           char letter, abdb_text *out,
                                                           abdb_error *err);
/* Have all sets the same devices, several of each? Then each device is compared with itself. */
bool abdb_sets_have_same_devices(const abdb_set *set, size_t sets);

#endif
