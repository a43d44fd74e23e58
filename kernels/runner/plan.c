/* plan.c - plans expanded to cells: each line is a kernel and its axes, and becomes the product of
 * their values. All texts are copied into the plan's arena. See plan.h. */
#include "kernels/runner/plan.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/sanitize_text.h"

enum { VALUES_MAX = 512, WORD_MOST = 16000 };

typedef struct {
    const char *key;
    size_t count;
    const char *value[VALUES_MAX];
} axis;

static abdb_status axis_add_value(abdb_plan *plan, axis *a, const char *text, size_t size,
                                  abdb_error *err)
{
    if (a->count == VALUES_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "%s has more than %d values", a->key, VALUES_MAX);
    a->value[a->count] = abdb_arena_copy(&plan->arena, text, size);
    if (!a->value[a->count]) return ABDB_FAIL(err, ABDB_NOMEM, "a plan");
    a->count++;
    return ABDB_OK;
}

/* "256-4096*2" (from, to, factor) or "1-8+1" (from, to, step); returns 0 when it is no range, so
 * that the text is a value itself. */
static int parse_range_with_step(const char *text, double *from, double *to, char *operator_,
                                 double *step)
{
    size_t size = abdb_double_parse_prefix(text, from);

    text += size;
    if (!size || *text++ != '-') return 0;
    text += size = abdb_double_parse_prefix(text, to);
    if (!size || (*text != '*' && *text != '+')) return 0;
    *operator_ = *text++;
    size = abdb_double_parse_prefix(text, step);
    return size && !text[size];
}

/* Adds the values of a list to an axis: words, numbers, and ranges 256-4096*2 or 1-8+1 with all
 * they mean. */
static abdb_status parse_and_add_axis_values(abdb_plan *plan, axis *a, const char *text,
                                             abdb_error *err)
{
    abdb_status st = ABDB_OK;

    while (*text) {
        size_t size = strcspn(text, ",");
        char one[128], how, number[32];
        double from, to, step;

        if (size == 0 || size >= sizeof one)
            return ABDB_FAIL(err, ABDB_USAGE, "%s has an empty or too long value", a->key);
        memcpy(one, text, size);
        one[size] = '\0';
        if (!parse_range_with_step(one, &from, &to, &how, &step))
            TRY(axis_add_value(plan, a, one, size, err));
        else if (!(from > 0 && to >= from && (how == '*' ? step > 1 : step > 0)))
            return ABDB_FAIL(err, ABDB_USAGE, "%s=%s never ends: write it as 256-4096*2 or 1-8+1",
                             a->key, one);
        else
            for (double v = from; v <= to * (1 + 1e-12); v = how == '*' ? v * step : v + step) {
                snprintf(number, sizeof number, "%.0f", floor(v + 0.5));
                TRY(axis_add_value(plan, a, number, strlen(number), err));
            }
        text += size + (text[size] == ',');
    }
    if (!a->count) return ABDB_FAIL(err, ABDB_USAGE, "%s has no value", a->key);
done:
    return st;
}

/* Room for one more cell, which is not counted yet. */
static abdb_status reserve_room_for_one_cell(abdb_plan *plan, abdb_error *err)
{
    abdb_cell *more;

    if (plan->cells == ABDB_CELL_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "more than %d cells", ABDB_CELL_MAX);
    more = abdb_array_reserve_one(plan->cell, plan->cells, &plan->capacity, sizeof *more);
    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "a plan");
    plan->cell = more;
    return ABDB_OK;
}

/* Counts the last cell, under its name. */
static abdb_status set_name_and_count_reserved_cell(abdb_plan *plan, abdb_error *err)
{
    abdb_cell *cell = &plan->cell[plan->cells];
    abdb_text name = {0};

    abdb_text_puts(&name, cell->kernel);
    for (size_t i = 0; i < cell->params; i++)
        abdb_text_printf(&name, " %s=%s", cell->param[i].key, cell->param[i].text);
    cell->name = name.failed ? NULL : abdb_arena_copy(&plan->arena, name.data, name.size);
    abdb_text_free(&name);
    if (!cell->name) return ABDB_FAIL(err, ABDB_NOMEM, "a plan");
    plan->cells++;
    return ABDB_OK;
}

/* Adds the cell that has value value_index[i] of each axis i. */
static abdb_status append_cell_of_axes(abdb_plan *plan, const char *kernel, const axis *axes,
                                       size_t count, const size_t *value_index, abdb_error *err)
{
    abdb_cell *cell;
    abdb_status st = ABDB_OK;

    TRY(reserve_room_for_one_cell(plan, err));
    cell = &plan->cell[plan->cells];
    *cell = (abdb_cell){.kernel = kernel, .params = count};
    for (size_t i = 0; i < count; i++) {
        cell->param[i].key = axes[i].key;
        cell->param[i].text = axes[i].value[value_index[i]];
    }
    st = set_name_and_count_reserved_cell(plan, err);
done:
    return st;
}

static bool copy_param_into_cell(abdb_plan *plan, abdb_cell *cell, const char *key,
                                 const char *text)
{
    size_t at = cell->params++;

    cell->param[at].key = abdb_arena_copy(&plan->arena, key, strlen(key));
    cell->param[at].text = abdb_arena_copy(&plan->arena, text, strlen(text));
    return cell->param[at].key && cell->param[at].text;
}

abdb_status abdb_plan_add_cell_copy_with_param(abdb_plan *plan, const abdb_cell *like,
                                               const char *key, const char *text, abdb_error *err)
{
    abdb_cell *cell;
    bool kept;
    abdb_status st = ABDB_OK;

    if (key && like->params == ABDB_AXIS_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "%s: more than %d parameters", like->name, ABDB_AXIS_MAX);
    TRY(reserve_room_for_one_cell(plan, err));
    cell = &plan->cell[plan->cells];
    *cell =
        (abdb_cell){.kernel = abdb_arena_copy(&plan->arena, like->kernel, strlen(like->kernel))};
    kept = cell->kernel != NULL;
    for (size_t i = 0; i < like->params; i++)
        kept = copy_param_into_cell(plan, cell, like->param[i].key, like->param[i].text) && kept;
    if (key) kept = copy_param_into_cell(plan, cell, key, text) && kept;
    if (!kept) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a plan"));
    st = set_name_and_count_reserved_cell(plan, err);
done:
    return st;
}

const char *abdb_cell_param_text(const abdb_cell *cell, const char *key)
{
    for (size_t i = 0; i < cell->params; i++)
        if (strcmp(cell->param[i].key, key) == 0) return cell->param[i].text;
    return NULL;
}

/* "gemm dtype=f32,f64 n=8-32*2": the cells of a line are the product of its axes. `at` counts
 * like an odometer: value at[i] of axis i; when every axis has turned over, i runs below 0 and
 * it ends. */
static abdb_status parse_line_and_add_product_of_axes(abdb_plan *plan, char *line, abdb_error *err)
{
    axis *axes = calloc(ABDB_AXIS_MAX, sizeof *axes);
    size_t count = 0, at[ABDB_AXIS_MAX] = {0}, i;
    char *rest = NULL, *word = strtok_r(line, " \t", &rest);
    const char *kernel;
    abdb_status st = ABDB_OK;

    if (!axes) return ABDB_FAIL(err, ABDB_NOMEM, "a plan");
    kernel = abdb_arena_copy(&plan->arena, word, strlen(word));
    if (!kernel) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a plan"));
    TRY(abdb_check_name_is_short_printable_utf8("the name of a kernel", word, strlen(word),
                                                WORD_MOST, err));
    if (strchr(word, '='))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "'%s' comes before a kernel's name", word));
    while ((word = strtok_r(NULL, " \t", &rest))) {
        char *equals = strchr(word, '=');

        TRY(abdb_check_name_is_short_printable_utf8("a word of a cell", word, strlen(word),
                                                    WORD_MOST, err));
        if (!equals || equals == word || !equals[1])
            TRY(ABDB_FAIL(err, ABDB_USAGE, "'%s' is not key=values", word));
        if (count == ABDB_AXIS_MAX)
            TRY(ABDB_FAIL(err, ABDB_LIMIT, "more than %d parameters", ABDB_AXIS_MAX));
        axes[count].key = abdb_arena_copy(&plan->arena, word, (size_t)(equals - word));
        if (!axes[count].key) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a plan"));
        for (i = 0; i < count; i++)
            if (strcmp(axes[i].key, axes[count].key) == 0)
                TRY(ABDB_FAIL(err, ABDB_USAGE, "%s is given twice", axes[i].key));
        TRY(parse_and_add_axis_values(plan, &axes[count], equals + 1, err));
        count++;
    }
    do { /* the last axis turns fastest */
        TRY(append_cell_of_axes(plan, kernel, axes, count, at, err));
        for (i = count; i-- > 0;) {
            if (++at[i] < axes[i].count) break;
            at[i] = 0;
        }
    } while (i != (size_t)-1);
done:
    free(axes);
    return st;
}

abdb_status abdb_plan_add_cells(abdb_plan *plan, const char *text, abdb_error *err)
{
    char *copy = strdup(text), *rest = copy, *line;
    int number = 0;
    abdb_status st = ABDB_OK;

    if (!copy) return ABDB_FAIL(err, ABDB_NOMEM, "a plan");
    while (st == ABDB_OK && (line = strsep(&rest, "\n"))) {
        number++;
        line[strcspn(line, "#")] = '\0';
        line = abdb_trim_in_place(line);
        if (!*line) continue;
        st = parse_line_and_add_product_of_axes(plan, line, err);
        if (st != ABDB_OK) abdb_error_prepend_context(err, "line %d", number);
    }
    free(copy);
    return st;
}

void abdb_plan_free(abdb_plan *plan)
{
    free(plan->cell);
    abdb_arena_free(&plan->arena);
    *plan = (abdb_plan){0};
}
