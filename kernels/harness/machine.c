/* machine.c - what can be known of this machine and build; see harness.h. Names follow MLPerf's
 * system description where it has one. No host or user name. */
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
static bool first_line(const char *path, char *out, size_t room)
{
    FILE *file = fopen(path, "r");
    bool ok = file && fgets(out, (int)room, file);

    if (file) fclose(file);
    if (ok) out[strcspn(out, "\n")] = '\0';
    return ok;
}

/* The text after "key : " in /proc/cpuinfo or the like. */
static bool keyed_line(const char *path, const char *key, char *out, size_t room)
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

const char *abdb_processor(char *out, size_t room)
{
    if (!keyed_line("/proc/cpuinfo", "model name", out, room))
        snprintf(out, room, "unknown processor");
    return out;
}

static bool is_virtual(void)
{
    char text[LINE];

    return keyed_line("/proc/cpuinfo", "flags", text, sizeof text) && strstr(text, " hypervisor");
}

/* Who made the processor, and its family and model, as /proc/cpuinfo numbers them. */
static void numbered(char *out, size_t room)
{
    char maker[64] = "", family[32] = "", model[32] = "";
    const char *word = maker;

    if (keyed_line("/proc/cpuinfo", "vendor_id", maker, sizeof maker)) { /* of x86 */
        if (strncmp(maker, "Genuine", 7) == 0) word = maker + 7;
        if (strncmp(maker, "Authentic", 9) == 0) word = maker + 9;
        keyed_line("/proc/cpuinfo", "cpu family", family, sizeof family);
        keyed_line("/proc/cpuinfo", "model\t", model, sizeof model);
        snprintf(out, room, "%s family %s model %s", word, family, model);
    } else if (keyed_line("/proc/cpuinfo", "CPU implementer", maker, sizeof maker)) { /* of ARM */
        keyed_line("/proc/cpuinfo", "CPU part", model, sizeof model);
        snprintf(out, room, "ARM implementer %s part %s", maker, model);
    } else {
        snprintf(out, room, "unknown processor");
    }
}

const char *abdb_host_name(char *out, size_t room)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    char name[128];

    if (!strpbrk(abdb_processor(name, sizeof name), "0123456789")) numbered(name, sizeof name);
    snprintf(out, room, "%s with %ld%s processor%s", name, online, is_virtual() ? " virtual" : "",
             abdb_s(online));
    return out;
}

/* Size of a data or unified cache of a level on the first core; 0: the system does not say. */
static size_t level_size(int level)
{
    char path[128], text[64];

    for (int i = 0; i < 8; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
        if (!first_line(path, text, sizeof text)) break;
        if (abdb_digits_parse_or(text, INT_MAX, 0) != level) continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
        if (first_line(path, text, sizeof text) && text[0] == 'I') continue; /* of instructions */
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        if (!first_line(path, text, sizeof text)) break;
        return (size_t)abdb_digits_parse_or(text, INT_MAX, 0) * (strchr(text, 'K')   ? 1024u
                                                                 : strchr(text, 'M') ? 1048576u
                                                                                     : 1u);
    }
    return 0;
}

size_t abdb_cache_size(void)
{
    size_t largest = 0;

    for (int level = 1; level <= 4; level++)
        if (level_size(level) > largest) largest = level_size(level);
    return largest ? largest : (size_t)32 << 20;
}

/* What a user says of the last-level cache, who knows better than the system; 0: nothing, or no
 * number of bytes. */
static size_t told_cache(void)
{
    const char *text = getenv("ABDB_LAST_LEVEL_BYTES");
    long long bytes;

    return text && abdb_count_parse(text, ABDB_MARK_POINT, 1, 1ll << 50, &bytes) ? (size_t)bytes
                                                                                 : 0;
}

abdb_limits abdb_machine_limits(int threads)
{
    size_t told = told_cache(), last = told ? told : abdb_cache_size();
    abdb_limits l = {.l1 = level_size(1),
                     .l2 = level_size(2),
                     .last = last,
                     .threads = threads,
                     .claimed = last};

    if (!told && is_virtual() && l.last > SHARED_CACHE) l.last = SHARED_CACHE;

    /* Where the system does not tell, what nearly all processors of the last ten years have at
     * least. */
    if (!l.l1) l.l1 = 32 << 10;
    if (!l.l2) l.l2 = 512 << 10;
    if (l.threads < 1) l.threads = 1;
    return l;
}

double abdb_memory_total(void)
{
    char text[64];

    return keyed_line("/proc/meminfo", "MemTotal", text, sizeof text)
               ? 1024 * abdb_double_parse_or(text, 0)
               : 0;
}

int abdb_memory_nodes(void)
{
    char text[LINE];
    int nodes = 0;

    /* As "0" or "0-3,8". */
    if (!first_line("/sys/devices/system/node/online", text, sizeof text)) return 1;
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

double abdb_memory_available(void)
{
    char text[64];
    /* Of a container the cgroup's limit counts, where it is lower than the host's memory. */
    double available = 1e18, limit, used;

    if (keyed_line("/proc/meminfo", "MemAvailable", text, sizeof text))
        available = 1024 * abdb_double_parse_or(text, 0);
    if (first_line("/sys/fs/cgroup/memory.max", text, sizeof text) && text[0] != 'm') {
        limit = abdb_double_parse_or(text, 0);
        used = first_line("/sys/fs/cgroup/memory.current", text, sizeof text)
                   ? abdb_double_parse_or(text, 0)
                   : 0;
        if (limit - used < available) available = limit - used;
    }
    return available;
}

static void put(json_t *object, const char *key, const char *text)
{
    json_t *value = json_string(text); /* NULL when it is no UTF-8 */

    if (value) json_object_set_new(object, key, value);
}

static void put_file(json_t *object, const char *key, const char *path)
{
    char text[LINE];

    if (first_line(path, text, sizeof text)) put(object, key, text);
}

static void put_processor(json_t *m)
{
    static const char *const keys[][2] = {{"vendor_id", "host_processor_vendor"},
                                          {"cpu family", "host_processor_family"},
                                          {"model\t", "host_processor_model"},
                                          {"stepping", "host_processor_stepping"},
                                          {"microcode", "host_processor_microcode"}};
    char text[LINE], path[128], key[64];

    put(m, "host_processor_model_name", abdb_processor(text, sizeof text));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keyed_line("/proc/cpuinfo", keys[i][0], text, sizeof text)) put(m, keys[i][1], text);
    if (keyed_line("/proc/cpuinfo", "flags", text, sizeof text)) {
        static const char *const isa[] = {"avx2",        "fma",         "avx512f",  "avx512_bf16",
                                          "avx512_vnni", "avx512_fp16", "avx_vnni", "amx_tile",
                                          "amx_bf16",    "amx_int8",    "amx_fp16"};
        json_t *list = json_array();

        for (size_t i = 0; i < sizeof isa / sizeof isa[0]; i++) {
            if (abdb_has_word(text, ' ', isa[i], strlen(isa[i])))
                json_array_append_new(list, json_string(isa[i]));
        }
        json_object_set_new(m, "instruction_sets", list);
    }
    for (int i = 0; i < 8; i++) {
        char level[16], type[32];

        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
        if (!first_line(path, level, sizeof level)) break;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
        if (!first_line(path, type, sizeof type) || strcmp(type, "Instruction") == 0) continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        snprintf(key, sizeof key, "cache_l%.8s", level);
        put_file(m, key, path);
    }
}

static void put_limits(json_t *m)
{
    cpu_set_t set;

    json_object_set_new(m, "processors_online", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    if (abdb_team_places(&set) || sched_getaffinity(0, sizeof set, &set) == 0)
        json_object_set_new(m, "processors_allowed", json_integer(CPU_COUNT(&set)));
    put_file(m, "cgroup_cpu_max", "/sys/fs/cgroup/cpu.max");
    put_file(m, "cgroup_memory_max", "/sys/fs/cgroup/memory.max");
    put_file(m, "load_average", "/proc/loadavg");
    put_file(m, "transparent_huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled");
    put_file(m, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    put_file(m, "turbo_boost", "/sys/devices/system/cpu/cpufreq/boost");
    put_file(m, "numa", "/sys/devices/system/node/online");
    put_file(m, "smt", "/sys/devices/system/cpu/smt/control");
    put_file(m, "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
}

static void put_build(json_t *m, const abdb_backend *backend)
{
    static const char *const variables[] = {
        "OMP_NUM_THREADS", "OMP_PROC_BIND",     "OMP_PLACES",           "OMP_WAIT_POLICY",
        "GOMP_SPINCOUNT",  "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "ABDB_LAST_LEVEL_BYTES"};
    json_t *environment = json_object();

    put(m, "compiler", "gcc-compatible " __VERSION__);
#ifdef __GLIBC__
    put(m, "libc", gnu_get_libc_version());
#else
    put(m, "libc", "not glibc");
#endif
    if (backend->library && backend->library()) put(m, "library", backend->library());
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (getenv(variables[i])) put(environment, variables[i], getenv(variables[i]));
    json_object_set_new(m, "variables", environment);
}

static void tell(void *to, const char *key, const char *text)
{
    put(to, key, text);
}

json_t *abdb_machine(const abdb_backend *backend, abdb_device *device)
{
    json_t *m = json_object();
    struct utsname name;
    char text[LINE];

    if (!m) return NULL;
    put_processor(m);
    if (keyed_line("/proc/meminfo", "MemTotal", text, sizeof text))
        put(m, "host_memory_capacity", text);
    if (uname(&name) == 0) {
        put(m, "kernel", name.release);
        put(m, "architecture", name.machine);
    }
    if (keyed_line("/proc/cpuinfo", "flags", text, sizeof text))
        json_object_set_new(m, "virtual_machine", json_boolean(is_virtual()));
    put_limits(m);
    put_build(m, backend);
    if (device->threads)
        json_object_set_new(m, "omp_region_s", json_real(abdb_team_region_s(device->threads)));
    if (device->describe) device->describe(device, tell, m);
    return m;
}
