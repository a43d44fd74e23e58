/* machine_info.c - the description of this machine and build; see harness.h. Names follow
 * MLPerf's system description where it has one. No host or user name. */
#include <features.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "kernels/harness/harness.h"
#include "schema/core/text.h"

/* SHARED_CACHE: of a last-level cache that a virtual machine shares with others it can count on no
 * more than this, however large the system says it is. LINE: the longest line of /proc that is
 * read. */
enum { LINE = 4096, SHARED_CACHE = 64 << 20 };

/* The first line of a file, without its end; false when there is none. */
static bool read_first_line(const char *path, char *out, size_t room)
{
    FILE *file = fopen(path, "r");
    bool ok = file && fgets(out, (int)room, file);

    if (file) fclose(file);
    if (ok) out[strcspn(out, "\n")] = '\0';
    return ok;
}

/* The text after "key : " in /proc/cpuinfo or the like. */
static bool read_value_of_first_key_colon_line(const char *path, const char *key, char *out,
                                               size_t room)
{
    FILE *file = fopen(path, "r");
    char line[LINE];
    bool found = false;

    while (file && !found && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');

        if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
        colon++;
        colon += strspn(colon, " \t");
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(out, room, "%s", colon);
        found = true;
    }
    if (file) fclose(file);
    return found;
}

const char *abdb_processor_model_name(char *out, size_t room)
{
    if (!read_value_of_first_key_colon_line("/proc/cpuinfo", "model name", out, room))
        snprintf(out, room, "unknown processor");
    return out;
}

static bool has_hypervisor_cpu_flag(void)
{
    char text[LINE];

    return read_value_of_first_key_colon_line("/proc/cpuinfo", "flags", text, sizeof text) &&
           strstr(text, " hypervisor");
}

/* Who made the processor, and its family and model, as /proc/cpuinfo numbers them. */
static void format_processor_vendor_family_model(char *out, size_t room)
{
    char vendor[64] = "", family[32] = "", model[32] = "";
    const char *word = vendor;

    if (read_value_of_first_key_colon_line("/proc/cpuinfo", "vendor_id", vendor,
                                           sizeof vendor)) { /* of x86 */
        if (strncmp(vendor, "Genuine", 7) == 0) word = vendor + 7;
        if (strncmp(vendor, "Authentic", 9) == 0) word = vendor + 9;
        read_value_of_first_key_colon_line("/proc/cpuinfo", "cpu family", family, sizeof family);
        read_value_of_first_key_colon_line("/proc/cpuinfo", "model\t", model, sizeof model);
        snprintf(out, room, "%s family %s model %s", word, family, model);
    } else if (read_value_of_first_key_colon_line("/proc/cpuinfo", "CPU implementer", vendor,
                                                  sizeof vendor)) { /* of ARM */
        read_value_of_first_key_colon_line("/proc/cpuinfo", "CPU part", model, sizeof model);
        snprintf(out, room, "ARM implementer %s part %s", vendor, model);
    } else {
        snprintf(out, room, "unknown processor");
    }
}

const char *abdb_host_device_name(char *out, size_t room)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    char name[128];

    if (!strpbrk(abdb_processor_model_name(name, sizeof name), "0123456789"))
        format_processor_vendor_family_model(name, sizeof name);
    snprintf(out, room, "%s with %ld%s processor%s", name, online,
             has_hypervisor_cpu_flag() ? " virtual" : "", abdb_plural_ending(online));
    return out;
}

/* Size of a data or unified cache of a level on the first core; 0: the system lacks it. */
static size_t data_cache_bytes_of_level(int level)
{
    char path[128], text[64];

    for (int i = 0; i < 8; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
        if (!read_first_line(path, text, sizeof text)) break;
        if (abdb_digits_parse_prefix_up_to_max_or(text, INT_MAX, 0) != level) continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
        if (read_first_line(path, text, sizeof text) && text[0] == 'I')
            continue; /* of instructions */
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        if (!read_first_line(path, text, sizeof text)) break;
        return (size_t)abdb_digits_parse_prefix_up_to_max_or(text, INT_MAX, 0) *
               (strchr(text, 'K')   ? 1024u
                : strchr(text, 'M') ? 1048576u
                                    : 1u);
    }
    return 0;
}

size_t abdb_last_level_cache_bytes_or_32_mib(void)
{
    size_t largest = 0;

    for (int level = 1; level <= 4; level++)
        if (data_cache_bytes_of_level(level) > largest) largest = data_cache_bytes_of_level(level);
    return largest ? largest : (size_t)32 << 20;
}

/* The user's size of the last-level cache, which replaces the system's; 0: none, or no number of
 * bytes. */
static size_t last_level_cache_bytes_from_env(void)
{
    const char *text = getenv("ABDB_LAST_LEVEL_BYTES");
    long long bytes;

    return text && abdb_integer_parse_in_range(text, ABDB_MARK_POINT, 1, 1ll << 50, &bytes)
               ? (size_t)bytes
               : 0;
}

abdb_machine_caches abdb_machine_cache_sizes_capped_if_virtual(int threads)
{
    size_t told = last_level_cache_bytes_from_env(),
           last = told ? told : abdb_last_level_cache_bytes_or_32_mib();
    abdb_machine_caches l = {.l1 = data_cache_bytes_of_level(1),
                             .l2 = data_cache_bytes_of_level(2),
                             .last = last,
                             .threads = threads,
                             .claimed = last};

    if (!told && has_hypervisor_cpu_flag() && l.last > SHARED_CACHE) l.last = SHARED_CACHE;

    /* Where the system reports no size: the least size of nearly all processors of the last ten
     * years. */
    if (!l.l1) l.l1 = 32 << 10;
    if (!l.l2) l.l2 = 512 << 10;
    if (l.threads < 1) l.threads = 1;
    return l;
}

double abdb_memory_total_bytes(void)
{
    char text[64];

    return read_value_of_first_key_colon_line("/proc/meminfo", "MemTotal", text, sizeof text)
               ? 1024 * abdb_double_parse_prefix_or(text, 0)
               : 0;
}

int abdb_numa_node_count(void)
{
    char text[LINE];
    int nodes = 0;

    /* As "0" or "0-3,8". */
    if (!read_first_line("/sys/devices/system/node/online", text, sizeof text)) return 1;
    for (char *s = text; *s; s += *s == ',') {
        unsigned long long from = 0, to;

        s += abdb_digits_parse_prefix(s, 10, &from);
        to = from;
        if (*s == '-') s += 1 + abdb_digits_parse_prefix(s + 1, 10, &to);
        nodes += to >= from && to - from < INT_MAX / 2 ? (int)(to - from + 1) : 1;
        s += strcspn(s, ",");
    }
    return nodes > 0 ? nodes : 1;
}

double abdb_memory_available_bytes_within_cgroup(void)
{
    char text[64];
    /* Of a container the cgroup's limit counts, where it is lower than the host's memory. */
    double available = 1e18, limit, used;

    if (read_value_of_first_key_colon_line("/proc/meminfo", "MemAvailable", text, sizeof text))
        available = 1024 * abdb_double_parse_prefix_or(text, 0);
    if (read_first_line("/sys/fs/cgroup/memory.max", text, sizeof text) && text[0] != 'm') {
        limit = abdb_double_parse_prefix_or(text, 0);
        used = read_first_line("/sys/fs/cgroup/memory.current", text, sizeof text)
                   ? abdb_double_parse_prefix_or(text, 0)
                   : 0;
        if (limit - used < available) available = limit - used;
    }
    return available;
}

static void set_json_text_if_utf8(json_t *object, const char *key, const char *text)
{
    json_t *value = json_string(text); /* NULL when it is no UTF-8 */

    if (value) json_object_set_new(object, key, value);
}

static void set_json_first_line_of_file_if_readable(json_t *object, const char *key,
                                                    const char *path)
{
    char text[LINE];

    if (read_first_line(path, text, sizeof text)) set_json_text_if_utf8(object, key, text);
}

void abdb_host_max_plausible_rates(double *ops_per_s, double *bytes_per_s)
{
    static const double clock_hz = 7e9; /* above all processors sold */
    /* Each cycle: a matrix unit; two units of 64 bytes of products of four; of 32 bytes. */
    static const double matrix = 4096, bytes_64 = 256, bytes_32 = 128, ports = 3 * 64;
    double processors = (double)sysconf(_SC_NPROCESSORS_ONLN), ops = matrix;
    char text[LINE];

    if (read_value_of_first_key_colon_line("/proc/cpuinfo", "flags", text, sizeof text) &&
        !strstr(text, "amx_tile"))
        ops = strstr(text, "avx512f") ? bytes_64 : bytes_32;
    *ops_per_s = processors * clock_hz * ops;
    *bytes_per_s = processors * clock_hz * ports;
}

/* Adds the processor, its instruction sets and caches from /proc/cpuinfo and sysfs. */
static void add_processor_isa_and_caches_to_json(json_t *m)
{
    static const char *const keys[][2] = {{"vendor_id", "host_processor_vendor"},
                                          {"cpu family", "host_processor_family"},
                                          {"model\t", "host_processor_model"},
                                          {"stepping", "host_processor_stepping"},
                                          {"microcode", "host_processor_microcode"}};
    char text[LINE], path[128], key[64];

    set_json_text_if_utf8(m, "host_processor_model_name",
                          abdb_processor_model_name(text, sizeof text));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (read_value_of_first_key_colon_line("/proc/cpuinfo", keys[i][0], text, sizeof text))
            set_json_text_if_utf8(m, keys[i][1], text);
    if (read_value_of_first_key_colon_line("/proc/cpuinfo", "flags", text, sizeof text)) {
        static const char *const isa[] = {"avx2",        "fma",         "avx512f",  "avx512_bf16",
                                          "avx512_vnni", "avx512_fp16", "avx_vnni", "amx_tile",
                                          "amx_bf16",    "amx_int8",    "amx_fp16"};
        json_t *list = json_array();

        for (size_t i = 0; i < sizeof isa / sizeof isa[0]; i++) {
            if (abdb_list_has_word(text, ' ', isa[i], strlen(isa[i])))
                json_array_append_new(list, json_string(isa[i]));
        }
        json_object_set_new(m, "instruction_sets", list);
    }
    for (int i = 0; i < 8; i++) {
        char level[16], type[32];

        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
        if (!read_first_line(path, level, sizeof level)) break;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
        if (!read_first_line(path, type, sizeof type) || strcmp(type, "Instruction") == 0) continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        snprintf(key, sizeof key, "cache_l%.8s", level);
        set_json_first_line_of_file_if_readable(m, key, path);
    }
}

/* Adds processors, limits of the cgroup, load, and the system's settings of pages, clock and
 * frequency. */
static void add_system_settings_to_json(json_t *m)
{
    cpu_set_t set;

    json_object_set_new(m, "processors_online", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    if (abdb_get_processors_of_openmp_places(&set) || sched_getaffinity(0, sizeof set, &set) == 0)
        json_object_set_new(m, "processors_allowed", json_integer(CPU_COUNT(&set)));
    set_json_first_line_of_file_if_readable(m, "cgroup_cpu_max", "/sys/fs/cgroup/cpu.max");
    set_json_first_line_of_file_if_readable(m, "cgroup_memory_max", "/sys/fs/cgroup/memory.max");
    set_json_first_line_of_file_if_readable(m, "load_average", "/proc/loadavg");
    set_json_first_line_of_file_if_readable(m, "transparent_huge_pages",
                                            "/sys/kernel/mm/transparent_hugepage/enabled");
    set_json_first_line_of_file_if_readable(
        m, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    set_json_first_line_of_file_if_readable(m, "turbo_boost",
                                            "/sys/devices/system/cpu/cpufreq/boost");
    set_json_first_line_of_file_if_readable(m, "numa", "/sys/devices/system/node/online");
    set_json_first_line_of_file_if_readable(m, "smt", "/sys/devices/system/cpu/smt/control");
    set_json_first_line_of_file_if_readable(
        m, "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
}

/* Adds compiler, libc, library, and the environment variables that change speed. */
static void add_build_and_speed_env_vars_to_json(json_t *m, const abdb_backend *backend)
{
    static const char *const variables[] = {
        "OMP_NUM_THREADS", "OMP_PROC_BIND",     "OMP_PLACES",           "OMP_WAIT_POLICY",
        "GOMP_SPINCOUNT",  "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "ABDB_LAST_LEVEL_BYTES"};
    json_t *environment = json_object();

    set_json_text_if_utf8(m, "compiler", "gcc-compatible " __VERSION__);
#ifdef __GLIBC__
    set_json_text_if_utf8(m, "libc", gnu_get_libc_version());
#else
    set_json_text_if_utf8(m, "libc", "not glibc");
#endif
    if (backend->library && backend->library())
        set_json_text_if_utf8(m, "library", backend->library());
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (getenv(variables[i]))
            set_json_text_if_utf8(environment, variables[i], getenv(variables[i]));
    json_object_set_new(m, "variables", environment);
}

static void set_json_device_property_if_utf8(void *to, const char *key, const char *text)
{
    set_json_text_if_utf8(to, key, text);
}

/* Adds whether this is a virtual machine, and the type that its maker gives it, such as "m5.large":
 * below $ABDB_SENSORS, where a test has put its own. */
static void add_virtual_machine_to_json(json_t *m)
{
    const char *root = getenv("ABDB_SENSORS");
    char path[PATH_MAX];

    json_object_set_new(m, "virtual_machine", json_boolean(has_hypervisor_cpu_flag()));
    snprintf(path, sizeof path, "%s/sys/class/dmi/id/product_name", root ? root : "");
    if (has_hypervisor_cpu_flag())
        set_json_first_line_of_file_if_readable(m, "virtual_machine_type", path);
}

json_t *abdb_describe_machine_json(const abdb_backend *backend, abdb_device *device)
{
    json_t *m = json_object();
    struct utsname name;
    char text[LINE];

    if (!m) return NULL;
    add_processor_isa_and_caches_to_json(m);
    if (read_value_of_first_key_colon_line("/proc/meminfo", "MemTotal", text, sizeof text))
        set_json_text_if_utf8(m, "host_memory_capacity", text);
    if (uname(&name) == 0) {
        set_json_text_if_utf8(m, "kernel", name.release);
        set_json_text_if_utf8(m, "architecture", name.machine);
    }
    if (read_value_of_first_key_colon_line("/proc/cpuinfo", "flags", text, sizeof text))
        add_virtual_machine_to_json(m);
    add_system_settings_to_json(m);
    add_build_and_speed_env_vars_to_json(m, backend);
    if (device->threads)
        json_object_set_new(m, "omp_region_s",
                            json_real(abdb_median_time_of_empty_parallel_region(device->threads)));
    if (device->describe) device->describe(device, set_json_device_property_if_utf8, m);
    return m;
}
