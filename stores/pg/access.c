/* access.c - reads the rights of the connection's user from the catalog; see access.h. */
#include "stores/pg/access.h"

#include <string.h>

/* The columns of facts_sql, in order. */
enum { MAY_READ, MAY_WRITE, IS_OWNER, USER, OWNER, ROLES, IS_MEMBER, HAVE_RIGHTS };

/* $1: the role that the user would need. A table that was dropped is no matter of rights. */
static const char facts_sql[] =
    "SELECT has_schema_privilege(n.oid, 'USAGE') AND coalesce((SELECT has_table_privilege(c.oid,"
    " 'SELECT') FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = 'entry_row'), true),"
    " has_schema_privilege(n.oid, 'USAGE') AND coalesce((SELECT has_any_column_privilege(c.oid,"
    " 'INSERT') FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = 'entry_row'), true),"
    " pg_has_role(n.nspowner, 'USAGE'), quote_ident(current_user),"
    " quote_ident(pg_get_userbyid(n.nspowner)),"
    " (SELECT count(*) FROM pg_roles WHERE rolname IN ('abdb_read', 'abdb_write')),"
    " EXISTS (SELECT 1 FROM pg_roles r WHERE r.rolname = $1 AND pg_has_role(r.oid, 'MEMBER')),"
    " NOT EXISTS (SELECT 1 FROM pg_roles r WHERE r.rolname IN ('abdb_read', 'abdb_write')"
    "  AND NOT has_schema_privilege(r.oid, n.oid, 'USAGE'))"
    " FROM pg_namespace n WHERE n.nspname = 'abdb'";

static bool is_fact_true(const PGresult *facts, int column)
{
    return strcmp(PQgetvalue(facts, 0, column), "t") == 0;
}

static int count_existing_abdb_roles(const PGresult *facts)
{
    return *PQgetvalue(facts, 0, ROLES) - '0';
}

/* Fails with the user's missing role, and with the remedy: a grant, an upgrade, or both roles. */
static abdb_status fail_missing_role_with_remedy(const char *role, const char *what,
                                                 const PGresult *facts, abdb_error *err)
{
    const char *user = PQgetvalue(facts, 0, USER), *owner = PQgetvalue(facts, 0, OWNER);

    if (count_existing_abdb_roles(facts) < 2)
        return ABDB_FAIL(
            err, ABDB_IO,
            "%s may not %s this warehouse, and the role %s that would allow it is not"
            " there: an administrator runs CREATE ROLE abdb_read; CREATE ROLE"
            " abdb_write; GRANT abdb_read, abdb_write TO %s WITH ADMIN OPTION; GRANT %s TO"
            " %s; then %s runs `abdb push --upgrade`",
            user, what, role, owner, role, user, owner);
    if (is_fact_true(facts, IS_MEMBER))
        return ABDB_FAIL(err, ABDB_IO,
                         "%s may not %s this warehouse: the role %s has no rights in it yet; its"
                         " owner %s runs `abdb push --upgrade`",
                         user, what, role, owner);
    return ABDB_FAIL(err, ABDB_IO,
                     "%s may not %s this warehouse: %s is no member of the role %s; an"
                     " administrator or whoever made that role runs GRANT %s TO %s",
                     user, what, user, role, role, user);
}

abdb_status abdb_access_refuse_if_role_is_missing(abdb_server *s, abdb_access wanted,
                                                  abdb_error *err)
{
    const char *role = wanted == ABDB_ACCESS_READ ? "abdb_read" : "abdb_write";
    PGresult *facts = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_server_query_and_validate_columns(s, facts_sql, 1, &role, "tttttntt", &facts, err));
    if (!PQntuples(facts)) goto done;
    if (wanted == ABDB_ACCESS_UPGRADE && !is_fact_true(facts, IS_OWNER))
        TRY(ABDB_FAIL(err, ABDB_IO, "--upgrade is for the owner of this warehouse, %s, not for %s",
                      PQgetvalue(facts, 0, OWNER), PQgetvalue(facts, 0, USER)));
    if (wanted == ABDB_ACCESS_READ && !is_fact_true(facts, MAY_READ))
        TRY(fail_missing_role_with_remedy(role, "read", facts, err));
    if (wanted == ABDB_ACCESS_PUSH && !is_fact_true(facts, MAY_WRITE))
        TRY(fail_missing_role_with_remedy(role, "add to", facts, err));
done:
    PQclear(facts);
    return st;
}

abdb_status abdb_access_refuse_if_schema_creation_is_denied(abdb_server *s, abdb_error *err)
{
    static const char sql[] =
        "SELECT has_database_privilege(current_database(), 'CREATE'), quote_ident(current_user),"
        " quote_ident(current_database()), quote_ident(pg_get_userbyid(datdba))"
        " FROM pg_database WHERE datname = current_database()";
    PGresult *facts = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_server_query_and_validate_columns(s, sql, 0, NULL, "tttt", &facts, err));
    if (!is_fact_true(facts, 0)) {
        const char *user = PQgetvalue(facts, 0, 1), *database = PQgetvalue(facts, 0, 2),
                   *owner = PQgetvalue(facts, 0, 3);

        st = ABDB_FAIL(err, ABDB_IO,
                       "%s may not make a schema in the database %s: its owner %s pushes first, or"
                       " runs GRANT CREATE ON DATABASE %s TO %s",
                       user, database, owner, database, user);
    }
done:
    PQclear(facts);
    return st;
}

abdb_status abdb_access_append_role_problems_for_owner(abdb_server *s, bool changed,
                                                       abdb_text *message, abdb_error *err)
{
    const char *role = "abdb_write";
    PGresult *facts = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_server_query_and_validate_columns(s, facts_sql, 1, &role, "tttttntt", &facts, err));
    if (!PQntuples(facts) || !is_fact_true(facts, IS_OWNER)) goto done;
    if (count_existing_abdb_roles(facts) < 2 && changed)
        abdb_text_printf(message,
                         "; the roles abdb_read and abdb_write are not there, so that nobody but %s"
                         " reads or adds here: %s may make no roles (CREATEROLE). An administrator"
                         " runs CREATE ROLE abdb_read; CREATE ROLE abdb_write; GRANT abdb_read,"
                         " abdb_write TO %s WITH ADMIN OPTION; then `abdb push --upgrade` gives"
                         " them their rights, and %s grants them to others",
                         PQgetvalue(facts, 0, OWNER), PQgetvalue(facts, 0, USER),
                         PQgetvalue(facts, 0, USER), PQgetvalue(facts, 0, USER));
    else if (count_existing_abdb_roles(facts) == 2 && !is_fact_true(facts, HAVE_RIGHTS))
        abdb_text_puts(message,
                       "; the roles abdb_read and abdb_write have no rights in this warehouse"
                       " yet: `abdb push --upgrade` gives them");
done:
    PQclear(facts);
    return st;
}
