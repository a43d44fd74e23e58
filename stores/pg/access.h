/* access.h - rights of users in a warehouse, and error messages for users without them. */
#ifndef ABDB_STORES_ACCESS_H
#define ABDB_STORES_ACCESS_H

#include <stdbool.h>

#include "stores/pg/pg_connection.h"

typedef enum {
    ABDB_ACCESS_READ,   /* a pull */
    ABDB_ACCESS_PUSH,   /* a push into a warehouse that is there */
    ABDB_ACCESS_UPGRADE /* changes its tables */
} abdb_access;

/* Checks that the user of the connection may do that in the schema abdb, which is there. ABDB_IO:
 * the error names the role that is missing and the SQL that grants it. */
ABDB_MUST_USE abdb_status abdb_access_refuse_if_role_is_missing(abdb_server *s, abdb_access wanted,
                                                                abdb_error *err);
/* Checks that the user may make a schema in this database. ABDB_IO: names the right. */
ABDB_MUST_USE abdb_status abdb_access_refuse_if_schema_creation_is_denied(abdb_server *s,
                                                                          abdb_error *err);
/* Adds to `message`, behind "; ", a warning for the owner: the roles could not be made (changed:
 * tables or views were made just now), or have no rights here yet. Other users get none. */
ABDB_MUST_USE abdb_status abdb_access_append_role_problems_for_owner(abdb_server *s, bool changed,
                                                                     abdb_text *message,
                                                                     abdb_error *err);

#endif
