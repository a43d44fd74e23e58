/* llama_devices.c - which devices ran a test of llama-bench; see llama_devices.h. */
#include "ingest/programs/llama_devices.h"

#include <ctype.h>
#include <string.h>

/* --- what is there ---------------------------------------------------------------------------- */

/* The number at the beginning of a text, and where it ends; -1: there is none of a device. */
static long parse_device_number_or_minus_1(const char *s, const char **end)
{
    long number = 0;

    *end = s;
    for (; isdigit((unsigned char)**end) && number <= LLAMA_DEVICES_MAX; ++*end)
        number = 10 * number + (**end - '0');
    return *end > s && number <= LLAMA_DEVICES_MAX ? number : -1;
}

/* "found 2 ROCm devices", "Found 3 Vulkan devices:": how many; -1: another line. */
static long device_count_of_found_line_or_minus_1(const char *text)
{
    const char *at = strstr(text, "ound ");
    const char *end;

    if (!at || strncmp(text, "ggml_", 5) != 0 || !strstr(at, " device")) return -1;
    return parse_device_number_or_minus_1(at + 5, &end);
}

/* "Device 1: NAME, ...", "ggml_vulkan: 1 = NAME (...)": where NAME begins, and its number; NULL:
 * another line. */
static const char *name_in_device_line_or_null(const char *text, size_t *number)
{
    static const char *const before[] = {"Device ", "ggml_vulkan: "};
    static const char *const behind[] = {": ", " = "};

    for (size_t i = 0; i < 2; i++) {
        const char *at = strstr(text, before[i]);
        const char *end;
        long n = at ? parse_device_number_or_minus_1(at + strlen(before[i]), &end) : -1;

        if (n < 0 || n >= LLAMA_DEVICES_MAX || strncmp(end, behind[i], strlen(behind[i])) != 0)
            continue;
        *number = (size_t)n;
        return end + strlen(behind[i]);
    }
    return NULL;
}

bool llama_devices_is_loader_line(const char *text)
{
    size_t number;

    return device_count_of_found_line_or_minus_1(text) >= 0 ||
           name_in_device_line_or_null(text, &number) != NULL;
}

void llama_devices_store_count_or_name_of_line(llama_devices *devices, abdb_arena *arena,
                                               const char *text)
{
    size_t number = 0;
    const char *name = name_in_device_line_or_null(text, &number);
    long found = device_count_of_found_line_or_minus_1(text);
    const char *end;
    size_t size;
    char *copy;

    if (found >= 0) {
        *devices = (llama_devices){.count = (size_t)found};
        return;
    }
    if (!name) return;
    if (number == 0 && devices->name[0]) *devices = (llama_devices){0};
    /* "NAME, compute capability", "NAME (driver)" or "NAME | uma"; "(R)" belongs to the name. */
    size = strcspn(name, ",|");
    end = strstr(name, " (");
    if (end && (size_t)(end - name) < size) size = (size_t)(end - name);
    copy = abdb_arena_copy(arena, name, size);
    if (number >= devices->count) devices->count = number + 1;
    devices->name[number] = copy ? abdb_trim_in_place(copy) : NULL;
    devices->integrated[number] = strstr(name, "| uma: 1") != NULL;
}

/* What separates the names: names have slashes too ("RX 6800/6800 XT"), but each begins anew with
 * the word that the first begins with. */
static const char *separator_of_device_names(const char *list)
{
    size_t first = strcspn(list, " ");

    if (strstr(list, ", ")) return ", ";
    for (const char *s = list; first && (s = strchr(s, '/')); s++)
        if (strncmp(s + 1, list, first + 1) == 0) return "/";
    return ", ";
}

void llama_devices_add_separated_names(llama_devices *devices, abdb_arena *arena, const char *list)
{
    const char *separator = list && *list ? separator_of_device_names(list) : "";

    for (const char *s = list; s && *s && devices->count < LLAMA_DEVICES_MAX;) {
        const char *end = strstr(s, separator);
        size_t size = end ? (size_t)(end - s) : strlen(s);

        devices->name[devices->count++] = abdb_arena_copy(arena, s, size);
        s = end ? end + strlen(separator) : NULL;
    }
}

/* --- what was used ---------------------------------------------------------------------------- */

/* "CUDA0/CUDA2": keeps those. False: a word that is none of them. */
static bool keep_only_devices_in_number_list(bool keep[LLAMA_DEVICES_MAX], size_t count,
                                             const char *used)
{
    memset(keep, 0, LLAMA_DEVICES_MAX * sizeof *keep);
    for (const char *s = used; *s; s += strcspn(s, "/,"), s += *s != '\0') {
        const char *digits = s + strcspn(s, "0123456789/,");
        const char *end;
        long n = parse_device_number_or_minus_1(digits, &end);

        if (n < 0 || (size_t)n >= count || (*end && *end != '/' && *end != ',')) return false;
        keep[n] = true;
    }
    return true;
}

/* "3.00/1.00/0.00": a device with no share is not used. "0.00" alone is the default. */
static void unselect_devices_without_tensor_share(bool keep[LLAMA_DEVICES_MAX], size_t count,
                                                  const char *split)
{
    bool any = strpbrk(split, "123456789") != NULL;

    for (size_t i = 0; any && i < count; i++) {
        size_t size = strcspn(split, "/");

        if (strcspn(split, "123456789") >= size) keep[i] = false;
        split += size;
        split += *split == '/';
    }
}

/* Which are used. False: that is not certain. */
static bool mark_used_devices_if_certain(const llama_devices *d, const llama_choice *choice,
                                         bool keep[LLAMA_DEVICES_MAX])
{
    const char *used = choice->used, *split = choice->tensor_split;
    bool integrated = false, other = false;

    for (size_t i = 0; i < d->count; i++) {
        keep[i] = true;
        integrated |= d->integrated[i];
        other |= !d->integrated[i];
    }
    if (used && strcmp(used, "auto") != 0) {
        if (!keep_only_devices_in_number_list(keep, d->count, used)) return false;
    } else if (integrated && other) {
        return false; /* some builds leave the integrated one out */
    } else if (choice->split_mode && strcmp(choice->split_mode, "none") == 0) {
        return keep_only_devices_in_number_list(keep, d->count,
                                                choice->main_gpu ? choice->main_gpu : "0");
    }
    if (split && strchr(split, '/')) unselect_devices_without_tensor_share(keep, d->count, split);
    return true;
}

/* The name that all have; else their names as a list; NULL: a name is missing, or none is kept. */
static const char *common_name_or_list_of_kept_devices(const llama_devices *d, const bool *keep,
                                                       abdb_arena *arena, size_t *kept)
{
    const char *first = NULL, *list = NULL;
    bool alike = true, missing = false;

    *kept = 0;
    for (size_t i = 0; i < d->count; i++) {
        if (!keep[i]) continue;
        ++*kept;
        missing |= !d->name[i];
        if (missing) continue;
        if (!first) first = d->name[i];
        alike &= strcmp(first, d->name[i]) == 0;
        list = list ? abdb_arena_printf(arena, "%s, %s", list, d->name[i]) : d->name[i];
    }
    if (missing) return NULL;
    return alike ? first : list;
}

/* "CPU", "BLAS", "CPU,BLAS": no GPU takes part, whatever the log lists. */
static bool is_backend_of_processor_alone(const char *backend)
{
    size_t size;

    for (const char *s = backend; s && *s; s += size, s += strspn(s, "/, ")) {
        size = strcspn(s, "/, ");
        if (strncmp(s, "CPU", size) != 0 && strncmp(s, "BLAS", size) != 0) return false;
    }
    return backend && *backend;
}

void llama_devices_set_entry_device_and_count(const llama_devices *d, const llama_choice *choice,
                                              abdb_arena *arena, abdb_entry *entry)
{
    bool keep[LLAMA_DEVICES_MAX] = {0}, certain = mark_used_devices_if_certain(d, choice, keep);
    bool on_processor = (choice->layers && strcmp(choice->layers, "0") == 0) ||
                        (choice->used && strcmp(choice->used, "none") == 0);
    bool remote = choice->backend && strstr(choice->backend, "RPC");
    size_t kept;
    const char *name;

    if ((!d->count && !remote) || is_backend_of_processor_alone(choice->backend)) {
        entry->field[ABDB_FIELD_device] = choice->processor;
        return;
    }
    /* Prompts may still be computed on the GPU. */
    if (on_processor && !remote) {
        if (choice->generates) entry->field[ABDB_FIELD_device] = choice->processor;
        return;
    }
    if (!certain) memset(keep, 1, d->count * sizeof *keep);
    name = common_name_or_list_of_kept_devices(d, keep, arena, &kept);
    if (remote) name = name ? abdb_arena_printf(arena, "%s, RPC", name) : NULL;
    entry->field[ABDB_FIELD_device] = name;
    if (certain && !remote && kept)
        entry->field[ABDB_FIELD_devices] = abdb_arena_printf(arena, "%zu", kept);
}
