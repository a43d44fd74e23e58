/* picture_size.c - how large a picture shall be, as people type it; see figure.h. */
#include <math.h>
#include <string.h>

#include "plots/figure.h"

/* PRINT_DPI: dots of a PNG for print. */
enum { LEAST_WIDTH = 240, LEAST_HEIGHT = 160, MOST = 4000, PRINT_DPI = 300, PHONE_WIDTH = 390 };

/* Reads a number at *text, times factor, and moves *text behind it and its unit. */
static bool parse_length(const char **text, const char *unit, double factor, double *points)
{
    char number[16];
    size_t size = strspn(*text, "0123456789.");

    if (!size || size >= sizeof number) return false;
    memcpy(number, *text, size);
    number[size] = '\0';
    *text += size;
    if (strncmp(*text, unit, strlen(unit)) == 0) *text += strlen(unit);
    if (!abdb_double_parse(number, ABDB_MARK_POINT, points)) return false;
    *points = round(*points * factor);
    return true;
}

/* Only the width is given: the drawing keeps its height, and words get the room that they need. */
static void set_width_keep_height(abdb_figure *f, double width)
{
    f->width = (int)width;
    f->width_fixed = true;
}

/* WIDTHxHEIGHT or WIDTH, and a unit of both (none, px: points), which the width may have too.
 * False: it is no size of a picture. */
static bool parse_picture_size(abdb_figure *f, const char *size)
{
    static const struct {
        const char *name;
        double points;
        bool printed;
    } units[] = {{"mm", ABDB_CSS_DPI / 25.4, true},
                 {"cm", ABDB_CSS_DPI / 2.54, true},
                 {"in", ABDB_CSS_DPI, true},
                 {"pt", ABDB_CSS_DPI / 72.0, true},
                 {"px", 1, false},
                 {"", 1, false}};
    const char *at = size;
    size_t length = strlen(size), i = 0;
    double width, height;

    while (*units[i].name && (length < 2 || strcmp(size + length - 2, units[i].name) != 0)) i++;
    if (!parse_length(&at, units[i].name, units[i].points, &width) ||
        !(width >= LEAST_WIDTH && width <= MOST))
        return false;
    if (*at) {
        if (*at++ != 'x' || !parse_length(&at, units[i].name, units[i].points, &height) || *at ||
            !(height >= LEAST_HEIGHT && height <= MOST))
            return false;
        f->base = f->height;
        f->width = (int)width;
        f->height = (int)height;
        f->fixed = f->width_fixed = true;
    } else
        set_width_keep_height(f, width);
    f->printed = units[i].printed;
    if (f->printed) f->pixels = (double)PRINT_DPI / ABDB_CSS_DPI;
    return true;
}

abdb_status abdb_figure_set_size(abdb_figure *f, const char *size, abdb_error *err)
{
    static const struct {
        const char *name;
        int width, height;
        double pixels;
    } sizes[] = {{"slide", 800, 450, 2.4}, {"card", 600, 315, 2}};

    if (strcmp(size, "article") == 0) return ABDB_OK;
    if (strcmp(size, "phone") == 0) {
        set_width_keep_height(f, PHONE_WIDTH);
        f->pixels = 2;
        return ABDB_OK;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(size, sizes[i].name) == 0) {
            f->fixed = f->width_fixed = true;
            f->base = f->height;
            f->width = sizes[i].width;
            f->height = sizes[i].height;
            f->pixels = sizes[i].pixels;
            return ABDB_OK;
        }
    if (!parse_picture_size(f, size))
        return ABDB_FAIL(
            err, ABDB_USAGE,
            "--size wants article, slide, card, phone, points such as 720x440 (%dx%d to"
            " %dx%d), or what it measures in print, such as 180x110mm (or cm, in, pt), or"
            " a width alone, such as 390 or 88mm; not '%s'",
            LEAST_WIDTH, LEAST_HEIGHT, MOST, MOST, size);
    return ABDB_OK;
}
