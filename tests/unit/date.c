/* date.c - tests of schema/core/date. */
#include <stdio.h>
#include <string.h>

#include "schema/core/date.h"
#include "tests/unit/check.h"

static const struct {
    const char *text, *iso; /* NULL: no date */
} cases[] = {
    /* as they are kept */
    {"2024", "2024"},
    {"2024-05", "2024-05"},
    {"2024-05-03", "2024-05-03"},
    {"2024-05-03T10:11", "2024-05-03T10:11"},
    {"2024-05-03T10:11:12", "2024-05-03T10:11:12"},
    {"2024-05-03T10:11:12Z", "2024-05-03T10:11:12Z"},
    {"2024-05-03T10:11:12.250Z", "2024-05-03T10:11:12.250Z"},
    {"2016-12-31T23:59:60Z", "2016-12-31T23:59:60Z"},
    {"2024-02-29", "2024-02-29"},
    {"2000-02-29", "2000-02-29"},
    {"2025-06-05/2026-11-21", "2025-06-05/2026-11-21"}, /* a day between two */
    /* as sources print them */
    {"20240503", "2024-05-03"},
    {"20260213-075258", "2026-02-13T07:52:58"},
    {"20260213T075258Z", "2026-02-13T07:52:58Z"},
    {"2024/05/03", "2024-05-03"},
    {"2024/05", "2024-05"},
    {"2016-08-02 17:44:46", "2016-08-02T17:44:46"},
    {"2016-08-02 17:44", "2016-08-02T17:44"},
    {"2024-05-03 10:11:12 UTC", "2024-05-03T10:11:12Z"},
    {"2024-05-03T10:11:12+02:00", "2024-05-03T08:11:12Z"},
    {"2024-03-01T00:30:00+01:00", "2024-02-29T23:30:00Z"},
    {"2023-12-31T23:30:00.125-0530", "2024-01-01T05:00:00.125Z"},
    {"2024-05-03T10:11:12+00:00", "2024-05-03T10:11:12Z"},
    {"2024-05-03 10:11 +02", "2024-05-03T08:11Z"},
    {"May 2024", "2024-05"},
    {"May 3, 2024", "2024-05-03"},
    {"may 3 2024", "2024-05-03"},
    {"3 May 2024", "2024-05-03"},
    {"Sept. 8, 2022", "2022-09-08"},
    {"July 10th, 2019", "2019-07-10"},
    {"October 21st, 2020", "2020-10-21"},
    {"Wed, 12 Nov 2025 10:00:00 GMT", "2025-11-12T10:00:00Z"},
    {"Tue Aug  2 17:44:46 2016", "2016-08-02T17:44:46"},
    {"Tue Aug  2 17:44:46 UTC 2016", "2016-08-02T17:44:46Z"},
    {" 2024-05-03 ", "2024-05-03"},
    /* none, or none that exists */
    {"", NULL},
    {" ", NULL},
    {"2024-13-45", NULL},
    {"2026-11-21/2025-06-05", NULL},
    {"2025-06/2026-11", NULL},
    {"2025-06-05/2026-11-31", NULL},
    {"2024-13", NULL},
    {"2024-00", NULL},
    {"2024-05-00", NULL},
    {"2024-02-30", NULL},
    {"2023-02-29", NULL},
    {"1900-02-29", NULL},
    {"20241301", NULL},
    {"20240500", NULL},
    {"202405", NULL},
    {"24", NULL},
    {"0024", NULL},
    {"2024-5-3", NULL},
    {"03/05/2024", NULL},
    {"2024-05/03", NULL},
    {"2024-05-03T", NULL},
    {"2024-05-03T10", NULL},
    {"2024-05-03T24:00", NULL},
    {"2024-05-03T10:60", NULL},
    {"2024-05-03T10:11:61", NULL},
    {"2024-05-03T10:11:12.", NULL},
    {"2024-05-03T10:11:12.1234567890123", NULL},
    {"2024-05-03T10:11:12+25:00", NULL},
    {"2024-05-03T10:11:12X", NULL},
    {"2024-05-03-10:11", NULL},
    {"2024T10:11", NULL},
    {"2024-05T10:11", NULL},
    {"May 32, 2024", NULL},
    {"May 3", NULL},
    {"3 May 4 2024", NULL},
    {"May June 2024", NULL},
    {"2024 2025 May", NULL},
    {"Q2 2024", NULL},
    {"summer 2024", NULL},
    {"yesterday", NULL},
    {"N/A", NULL},
    {"1714732272", NULL},
    {"2024-05-03 and much more text than any date has, so that it does not fit into the copy",
     NULL},
};

static void test_every_date_text_has_its_iso_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[ABDB_DATE_SIZE] = "untouched";
        bool is = abdb_date_parse_any_spelling_to_iso(cases[i].text, out);

        if (is != (cases[i].iso != NULL) || strcmp(out, is ? cases[i].iso : "untouched") != 0)
            fail_msg("'%s' is read as '%s', not as '%s'", cases[i].text, is ? out : "no date",
                     cases[i].iso ? cases[i].iso : "no date");
    }
}

/* What is kept is kept as it is, and nothing else counts as kept. */
static void test_only_iso_form_counts_as_iso(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *iso = cases[i].iso;

        if (iso && !abdb_date_is_stored_iso_or_day_range(iso))
            fail_msg("'%s' should be in the form that is kept", iso);
        if (abdb_date_is_stored_iso_or_day_range(cases[i].text) !=
            (iso && strcmp(iso, cases[i].text) == 0))
            fail_msg("'%s': in the form that is kept, or not?", cases[i].text);
    }
}

static void test_now_is_utc_to_the_second(void **state)
{
    char out[ABDB_DATE_SIZE];

    (void)state;
    abdb_date_now_utc(out);
    assert_true(abdb_date_is_stored_iso_or_day_range(out));
    assert_int_equal(strlen(out), 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_date_text_has_its_iso_form),
                                       cmocka_unit_test(test_only_iso_form_counts_as_iso),
                                       cmocka_unit_test(test_now_is_utc_to_the_second)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("date", tests, NULL, NULL);
}
