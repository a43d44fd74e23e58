/* svg_dark_mode.c - a light and a dark SVG of gnuplot's made one; see svg_dark_mode.h. Both are
 * walked tag by tag. */
#include "plots/svg_dark_mode.h"

#include <ctype.h>
#include <stdio.h>

enum { TINTS_MOST = 600, DEEP = 16, COLOUR = 32 };

/* A colour of an attribute and its colour on a dark screen. Where one light colour has several dark
 * ones, the second is spelled with a blank behind it, and so on, for separate selectors. */
typedef struct {
    char name[16], light[COLOUR], dark[COLOUR];
    int blanks;
} colour_pair;

typedef struct {
    const char *name, *value;
    size_t name_size, value_size;
} attribute;

typedef struct {
    abdb_text *out;
    colour_pair tint[TINTS_MOST];
    size_t tints;
    attribute family; /* the font of all words, written once; no name: none yet */
    size_t begin[DEEP], behind[DEEP], depth; /* groups that are open: from where they may be cut */
    bool in_symbols;                         /* whose coordinates are scaled: they stay exact */
} svg_merge;

/* --- attributes ------------------------------------------------------------------------------ */

/* The next attribute of a tag; false: it ends, or is not as gnuplot writes it. */
static bool parse_next_attribute(const char **at, attribute *out)
{
    const char *s = *at + strspn(*at, " \t\n"), *end;

    out->name = s;
    out->name_size = strcspn(s, "= \t\n/>");
    s += out->name_size + strspn(s + out->name_size, " ");
    if (!out->name_size || *s != '=') return false;
    s += 1 + strspn(s + 1, " ");
    if (*s != '"' && *s != '\'') return false;
    out->value = s + 1;
    end = strchr(out->value, *s);
    if (!end) return false;
    out->value_size = (size_t)(end - out->value);
    *at = end + 1;
    return true;
}

static bool attribute_has_name(const attribute *a, const char *name)
{
    return strlen(name) == a->name_size && memcmp(a->name, name, a->name_size) == 0;
}

static bool attribute_equals(const attribute *a, const char *name, const char *value)
{
    return attribute_has_name(a, name) && strlen(value) == a->value_size &&
           memcmp(a->value, value, a->value_size) == 0;
}

static bool bytes_equal(const char *a, size_t a_size, const char *b, size_t b_size)
{
    return a_size == b_size && memcmp(a, b, a_size) == 0;
}

/* --- colours --------------------------------------------------------------------------------- */

/* "rgb( 34,  34, 34)" and "#222222" as "#222", a word as it is. False: too long. */
static bool shorten_rgb_or_hex_colour_keep_words(const attribute *a, char out[COLOUR])
{
    unsigned part[3];
    char text[COLOUR], *s = text;

    if (a->value_size >= sizeof text) return false;
    memcpy(text, a->value, a->value_size);
    text[a->value_size] = '\0';
    memcpy(out, text, sizeof text);
    if (strncmp(text, "rgb(", 4) == 0) {
        s += 3;
        for (int i = 0; i < 3; i++) {
            unsigned long long number = 0;

            s += *s != '\0';
            s += abdb_digits_parse_prefix(s, 10, &number);
            part[i] = (unsigned)number & 255U;
        }
    } else if (*text == '#' && a->value_size == 7) {
        unsigned long long all = 0;

        (void)abdb_digits_parse_prefix(text + 1, 16, &all);
        for (int i = 0; i < 3; i++) part[i] = (unsigned)(all >> (16 - 8 * i)) & 255U;
    } else
        return true;
    if (part[0] % 17 == 0 && part[1] % 17 == 0 && part[2] % 17 == 0)
        snprintf(out, COLOUR, "#%x%x%x", part[0] / 17, part[1] / 17, part[2] / 17);
    else
        snprintf(out, COLOUR, "#%02x%02x%02x", part[0], part[1], part[2]);
    return true;
}

/* The light colour of an attribute, remembered with the dark one. */
static bool write_light_colour_record_dark(svg_merge *j, const attribute *light,
                                           const attribute *dark)
{
    colour_pair new = {0};
    size_t i = 0;

    if (light->name_size >= sizeof new.name ||
        !shorten_rgb_or_hex_colour_keep_words(light, new.light) ||
        !shorten_rgb_or_hex_colour_keep_words(dark, new.dark))
        return false;
    memcpy(new.name, light->name, light->name_size);
    for (; i < j->tints; i++) {
        const colour_pair *t = &j->tint[i];

        if (strcmp(t->name, new.name) != 0 || strcmp(t->light, new.light) != 0) continue;
        if (strcmp(t->dark, new.dark) == 0) break;
        new.blanks++;
    }
    if (i == TINTS_MOST) return false;
    if (i == j->tints) j->tint[j->tints++] = new;
    abdb_text_printf(j->out, " %s=\"%s%*s\"", new.name, new.light, j->tint[i].blanks, "");
    return true;
}

/* The rules of a dark screen, where a style may stand. */
static void write_dark_mode_style(const svg_merge *j, abdb_text *out)
{
    abdb_text_puts(out, "<style>@media (prefers-color-scheme:dark){");
    for (size_t i = 0; i < j->tints; i++) {
        const colour_pair *t = &j->tint[i];

        if (strcmp(t->light, t->dark) != 0)
            abdb_text_printf(out, "[%s=\"%s%*s\"]{%s:%s}", t->name, t->light, t->blanks, "",
                             t->name, t->dark);
    }
    abdb_text_puts(out, "}</style>\n");
}

/* --- shorter spellings ----------------------------------------------------------------------- */

/* Numbers with a tenth at most, blanks only where two would run together. */
static void write_rounded_coordinates(abdb_text *out, const char *text, size_t size)
{
    for (const char *end = text + size; text < end;) {
        char number[40];
        double value;
        size_t digits =
            isdigit((unsigned char)*text) || (*text == '-' && isdigit((unsigned char)text[1]))
                ? abdb_double_parse_prefix(text, &value)
                : 0;

        if (digits) {
            snprintf(number, sizeof number, "%.1f", value);
            if (number[strlen(number) - 1] == '0') number[strlen(number) - 2] = '\0';
            abdb_text_puts(out, strcmp(number, "-0") == 0 ? "0" : number);
            text += digits;
        } else {
            size_t blanks = strspn(text, " ");

            if (!blanks)
                abdb_text_add(out, text, 1);
            else if (text + blanks < end &&
                     (isdigit((unsigned char)text[blanks]) || text[blanks] == '-'))
                abdb_text_puts(out, " ");
            text += blanks ? blanks : 1;
        }
    }
}

/* Does a path only move, and draw nothing? */
static bool path_has_only_move_commands(const attribute *path)
{
    for (size_t i = 0; i < path->value_size; i++)
        if (isalpha((unsigned char)path->value[i]) && path->value[i] != 'M') return false;
    return true;
}

/* Is it a transform that only moves? */
static bool is_transform_translate_without_scale(const attribute *a)
{
    return attribute_has_name(a, "transform") && strncmp(a->value, "translate(", 10) == 0 &&
           !memmem(a->value, a->value_size, "scale", 5);
}

static bool attribute_is_default_or_redundant(const svg_merge *j, const attribute *a)
{
    return attribute_equals(a, "stroke-linecap", "butt") ||
           attribute_equals(a, "stroke-linejoin", "miter") ||
           attribute_equals(a, "stroke-width", "1.00") || attribute_has_name(a, "class") ||
           (attribute_has_name(a, "font-family") &&
            bytes_equal(a->value, a->value_size, j->family.value, j->family.value_size));
}

static bool attribute_is_colour(const attribute *a)
{
    return attribute_has_name(a, "fill") || attribute_has_name(a, "stroke") ||
           attribute_has_name(a, "color") || attribute_has_name(a, "flood-color");
}

/* --- tags ------------------------------------------------------------------------------------ */

/* An attribute of both tags. still: gets true where it is a path that draws nothing. */
static bool merge_attribute_of_both_tags(svg_merge *j, const attribute *a, const attribute *b,
                                         bool *draws_nothing)
{
    bool is_path = attribute_has_name(a, "d");

    if (!bytes_equal(a->name, a->name_size, b->name, b->name_size)) return false;
    if (attribute_has_name(a, "font-family") && !j->family.value) j->family = *a;
    if (attribute_is_colour(a)) return write_light_colour_record_dark(j, a, b);
    if (!bytes_equal(a->value, a->value_size, b->value, b->value_size)) return false;
    if (attribute_is_default_or_redundant(j, a)) return true;
    *draws_nothing |= is_path && path_has_only_move_commands(a);
    abdb_text_printf(j->out, " %.*s=%c", (int)a->name_size, a->name, a->value[-1]);
    if ((is_path && !j->in_symbols) || attribute_has_name(a, "points") ||
        is_transform_translate_without_scale(a))
        write_rounded_coordinates(j->out, a->value, a->value_size);
    else
        abdb_text_add(j->out, a->value, a->value_size);
    abdb_text_add(j->out, a->value - 1, 1);
    return true;
}

/* A tag of both, from '<' to behind '>'. */
static bool merge_tag_of_both_and_advance(svg_merge *j, const char **light, const char **dark)
{
    const char *l = *light, *d = *dark;
    size_t name = strcspn(l, l[1] == '/' ? ">" : " \t\n/>"), from = j->out->size;
    bool is_still = false;
    attribute a, b;

    if (strncmp(l, "<defs", 5) == 0 || strncmp(l, "</defs", 6) == 0) j->in_symbols = l[1] == 'd';
    if (strncmp(l, d, name) != 0) return false;
    abdb_text_add(j->out, l, name);
    for (l += name, d += name; parse_next_attribute(&l, &a);)
        if (!parse_next_attribute(&d, &b) || !merge_attribute_of_both_tags(j, &a, &b, &is_still))
            return false;
    l += strspn(l, " \t\n"), d += strspn(d, " \t\n");
    abdb_text_puts(j->out, *l == '/' ? "/>" : *l == '?' ? "?>" : ">");
    if (*l != *d || !*l || !strchr("/?>", *l) || j->out->failed) return false;
    if (is_still && *l == '/') j->out->size = from;
    if (name == 2 && (*light)[1] == 'g' && *l == '>' && j->depth < DEEP) {
        j->begin[j->depth] = from;
        j->behind[j->depth++] = j->out->size;
    }
    *light = l + strcspn(l, ">") + 1;
    *dark = d + strcspn(d, ">") + 1;
    return l[strcspn(l, ">")] && d[strcspn(d, ">")];
}

/* Behind </g>: a group without content goes. */
static void drop_just_closed_svg_group_if_empty(svg_merge *j)
{
    static const char end[] = "</g>";
    size_t at;

    if (!j->depth) return;
    j->depth--;
    at = j->behind[j->depth];
    while (at < j->out->size && isspace((unsigned char)j->out->data[at])) at++;
    if (strncmp(j->out->data + at, end, sizeof end - 1) == 0) j->out->size = j->begin[j->depth];
    j->out->data[j->out->size] = '\0';
}

/* Appends text that is equal in both pictures; white space with an end of line becomes "\n". */
static bool append_text_if_equal_collapsing_newlines(svg_merge *j, const char **light,
                                                     const char **dark, size_t size)
{
    if (strncmp(*light, *dark, size) != 0) return false;
    if (strspn(*light, " \t\n") >= size && memchr(*light, '\n', size)) {
        if (j->out->size && j->out->data[j->out->size - 1] != '\n') abdb_text_puts(j->out, "\n");
    } else
        abdb_text_add(j->out, *light, size);
    *light += size;
    *dark += size;
    return true;
}

/* Writes one SVG of two that differ in colours alone. False: they differ elsewhere, or memory is
 * missing. */
static bool merge_svgs_differing_in_colour(svg_merge *j, const char *light, const char *dark)
{
    while (*light) {
        static const char raw[] = "<![CDATA[";
        const char *end = strncmp(light, raw, sizeof raw - 1) == 0 ? strstr(light, "]]>") : NULL;
        bool closes = strncmp(light, "</g>", 4) == 0, ok;

        if (end)
            ok = append_text_if_equal_collapsing_newlines(j, &light, &dark,
                                                          (size_t)(end + 3 - light));
        else if (*light == '<')
            ok = merge_tag_of_both_and_advance(j, &light, &dark);
        else
            ok = append_text_if_equal_collapsing_newlines(j, &light, &dark, strcspn(light, "<"));
        if (!ok || j->out->failed) return false;
        if (closes) drop_just_closed_svg_group_if_empty(j);
    }
    return *dark == '\0';
}

/* --- symbols --------------------------------------------------------------------------------- */

/* Takes out a piece of the text. */
static void remove_text_range(abdb_text *text, const char *from, const char *to)
{
    memmove(text->data + (from - text->data), to, text->size - (size_t)(to - text->data) + 1);
    text->size -= (size_t)(to - from);
}

/* Symbols and filters that nothing uses, the last first, since they use one another; each begins a
 * line. */
static void drop_unused_symbols_and_filters(abdb_text *text)
{
    char *from = text->data ? strstr(text->data, "<defs>") : NULL,
         *end = from ? strstr(from, "</defs>") : NULL;

    while (end && end > from) {
        char id[40], *at = end;
        const char *name, *quote;

        do at--;
        while (at > from && *at != '\n');
        name = memmem(at, (size_t)(end - at), "id='", 4);
        quote = name ? strchr(name + 4, '\'') : NULL;
        if (quote) {
            snprintf(id, sizeof id, "#%.*s", (int)(quote - name - 4), name + 4);
            name = text->data;
            do name = strstr(name + 1, id);
            while (name && isalnum((unsigned char)name[strlen(id)]));
            if (!name && strncmp(at, "\n<filter", 8) == 0)
                remove_text_range(text, at, strstr(at, "</filter>") + strlen("</filter>"));
            else if (!name)
                remove_text_range(text, at, end);
        }
        end = at;
    }
}

abdb_status abdb_svg_merge_light_dark(const char *light, const char *dark, abdb_text *out,
                                      abdb_error *err)
{
    static const char canvas[] = "<g id=\"gnuplot_canvas\"";
    abdb_text body = {0};
    svg_merge j = {.out = &body};
    abdb_status st = ABDB_OK;
    const char *root;

    if (!merge_svgs_differing_in_colour(&j, light, dark) && !body.failed)
        TRY(ABDB_FAIL(err, ABDB_FORMAT, "gnuplot's light and dark picture differ in their lines"));
    drop_unused_symbols_and_filters(&body);
    root = strstr(abdb_text_get(&body), canvas);
    if (!root && !body.failed) TRY(ABDB_FAIL(err, ABDB_FORMAT, "gnuplot's picture has no canvas"));
    if (root) {
        abdb_text_add(out, body.data, (size_t)(root - body.data));
        write_dark_mode_style(&j, out);
        abdb_text_puts(out, canvas);
        if (j.family.value)
            abdb_text_printf(out, " font-family=\"%.*s\"", (int)j.family.value_size,
                             j.family.value);
        abdb_text_puts(out, root + sizeof canvas - 1);
    }
    if (body.failed || out->failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a picture"));
done:
    abdb_text_free(&body);
    return st;
}
