/* price_check.c - a price of a catalog held against its own row; see price_check.h. */
#include "ingest/tables/price_check.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* "8x_h100", "8xA100-80GB", "8gpu-128vcpu": devices; "highgpu-8g", of Google, too. */
static bool is_device_count_in_instance_name(const char *name, const char *digits, size_t size)
{
    const char *behind = digits + size;
    bool google = digits > name && digits[-1] == '-' && behind[0] == 'g' && !behind[1];

    return google || strncasecmp(behind, "gpu", 3) == 0 ||
           (behind[0] == 'x' && (behind[1] == '_' || isalpha((unsigned char)behind[1])));
}

/* The number of devices in an instance's name; 0: it says none. */
static long long device_count_in_instance_name_or_0(const char *name)
{
    for (const char *s = name; (s = strpbrk(s, "0123456789")); s += strspn(s, "0123456789")) {
        size_t size = strspn(s, "0123456789");
        bool begins = s == name || s[-1] == '_' || s[-1] == '-';
        bool last = s - name > 1 && s[-1] == 'x' && isdigit((unsigned char)s[-2]) && !s[size];
        char number[4];
        long long count;

        if (size > 3) continue;
        if (!last && !(begins && is_device_count_in_instance_name(name, s, size)))
            continue; /* "h100x4": last */
        snprintf(number, sizeof number, "%.*s", (int)size, s);
        return abdb_integer_parse_in_range(number, ABDB_MARK_POINT, 1, 512, &count) ? count : 0;
    }
    return 0;
}

bool price_devices_match_instance_name(const abdb_fact *price, bool instance_required, char *reason,
                                       size_t room)
{
    const char *instance = NULL;
    double devices = 0;
    long long named;

    for (size_t i = 0; i < price->columns; i++) {
        if (strcmp(price->column[i].name, "instance") == 0) instance = price->column[i].text;
        if (strcmp(price->column[i].name, "devices") == 0) devices = price->column[i].num;
    }
    if (!instance || !*instance) {
        snprintf(reason, room, "no instance: the price of an accelerator without its machine");
        return !instance_required;
    }
    named = device_count_in_instance_name_or_0(instance);
    if (!named || (double)named == devices) return true;
    snprintf(reason, room, "the instance is called '%.60s', and has %.0f devices", instance,
             devices);
    return false;
}
