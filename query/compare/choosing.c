/* choosing.c - which results will do, and what is left out; see choosing.h. */
#include "query/compare/choosing.h"

#include <math.h>
#include <string.h>

void abdb_choosing_leave_out(abdb_choosing *c, const char *what, const char *why, size_t n)
{
    for (size_t i = 0; i < c->left_outs; i++)
        if (strcmp(c->left_out[i].what, what) == 0 && strcmp(c->left_out[i].why, why) == 0) {
            c->left_out[i].n += n;
            return;
        }
    if (c->left_outs < ABDB_LEFT_OUT_MAX)
        c->left_out[c->left_outs++] = (abdb_choice_left_out){what, why, n, NAN};
}

static const abdb_set *set_of(const abdb_choosing *c)
{
    return &c->ranking.set;
}

double abdb_choosing_value(const abdb_choosing *c, size_t member)
{
    double value = set_of(c)->member[member].value;

    return c->training ? value : value * abdb_member_number(set_of(c), member, ABDB_M_devices);
}

bool abdb_choosing_counts(const abdb_choosing *c, size_t member)
{
    const abdb_member *m = &set_of(c)->member[member];

    return !m->why && isfinite(m->value) && m->value > 0 &&
           abdb_member_number(set_of(c), member, ABDB_M_devices) >= 1 &&
           (!c->by_watt || isfinite(c->watts[member]));
}

bool abdb_choosing_meets(const abdb_choosing *c, const abdb_choose_options *o, size_t member,
                         const char *device)
{
    if (device && strcmp(abdb_member_text(set_of(c), member, ABDB_M_device), device) != 0)
        return false;
    return abdb_choosing_counts(c, member) &&
           !(c->training && abdb_choosing_value(c, member) > o->most_s);
}
