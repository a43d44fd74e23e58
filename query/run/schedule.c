/* schedule.c - the lanes of a command of abdb run, measured in turns: the chosen backends, or with
 * --builds each backend of each build, with the tag and commit of its results. See schedule.h. */
#include "query/run/schedule.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/runner/record_line.h"
#include "kernels/runner/plan_check.h"
#include "kernels/runner/expand_providers.h"
#include "kernels/runner/runner.h"

int abdb_count_usable_processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static abdb_status resolve_commit_option(const abdb_args *args, const char *folder,
                                         abdb_schedule *lanes, abdb_commit *out, abdb_error *err)
{
    const char *word = abdb_arg_value(args, "commit");

    *out = (abdb_commit){0};
    return word ? abdb_resolve_commit_branch_and_dirty(out, word, folder, &lanes->arena, err)
                : ABDB_OK;
}

static abdb_status append_schedule_entry(abdb_schedule *out, abdb_schedule_entry lane,
                                         abdb_error *err)
{
    if (out->count == ABDB_LANES_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "more than %d backends and builds", ABDB_LANES_MAX);
    out->lane[out->count++] = lane;
    return ABDB_OK;
}

/* One build of --builds, "after=../new/build", for each chosen backend. */
static abdb_status append_build_entry_per_chosen_backend(abdb_schedule *out, const abdb_args *args,
                                                         const char *tag_and_folder, size_t size,
                                                         const abdb_backend_list *backends,
                                                         const unsigned char *chosen,
                                                         abdb_error *err)
{
    const char *equals = memchr(tag_and_folder, '=', size), *folder;
    abdb_schedule_entry lane = {0};
    abdb_status st = ABDB_OK;

    if (!equals || equals == tag_and_folder || equals + 1 == tag_and_folder + size)
        return ABDB_FAIL(err, ABDB_USAGE, "--builds wants TAG=FOLDER,TAG=FOLDER, not '%.*s'",
                         (int)size, tag_and_folder);
    folder = abdb_arena_copy(&out->arena, equals + 1, size - (size_t)(equals + 1 - tag_and_folder));
    lane.tag = abdb_arena_copy(&out->arena, tag_and_folder, (size_t)(equals - tag_and_folder));
    if (!folder || !lane.tag) return ABDB_FAIL(err, ABDB_NOMEM, "builds");
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->lane[i].tag, lane.tag) == 0)
            return ABDB_FAIL(err, ABDB_USAGE, "--builds names '%s' twice", lane.tag);
    TRY(resolve_commit_option(args, folder, out, &lane.commit, err));
    for (size_t b = 0; b < backends->count; b++) {
        if (!chosen[b]) continue;
        lane.backend = backends->backend[b].name;
        lane.counter = b;
        lane.path = abdb_arena_printf(&out->arena, "%s/abdb-run-%s", folder, lane.backend);
        if (!lane.path) TRY(ABDB_FAIL(err, ABDB_NOMEM, "builds"));
        if (access(lane.path, X_OK) != 0) {
            if (!abdb_arg_value(args, "backend")) continue; /* it was not requested */
            TRY(ABDB_FAIL(err, ABDB_USAGE, "--builds: there is no program %s", lane.path));
        }
        TRY(append_schedule_entry(out, lane, err));
    }
done:
    return st;
}

/* Where no backend was named, the backends that all of the builds have. */
static abdb_status keep_backends_in_all_builds(abdb_schedule *lanes, size_t builds, abdb_error *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < lanes->count; i++) {
        size_t same = 0;

        for (size_t k = 0; k < lanes->count; k++)
            same += lanes->lane[k].counter == lanes->lane[i].counter;
        lanes->lane[i].absent = same < builds;
    }
    for (size_t i = 0; i < lanes->count; i++)
        if (!lanes->lane[i].absent) lanes->lane[kept++] = lanes->lane[i];
    lanes->count = kept;
    return kept ? ABDB_OK
                : ABDB_FAIL(err, ABDB_USAGE,
                            "--builds: no backend that is here (abdb run --list) is in all of these"
                            " folders, as a program abdb-run-NAME");
}

/* Lanes of one backend side by side, so that its builds are measured right after one another. */
static void sort_schedule_by_backend(abdb_schedule *lanes)
{
    for (size_t i = 1; i < lanes->count; i++)
        for (size_t k = i; k > 0 && lanes->lane[k].counter < lanes->lane[k - 1].counter; k--) {
            abdb_schedule_entry swap = lanes->lane[k];

            lanes->lane[k] = lanes->lane[k - 1];
            lanes->lane[k - 1] = swap;
        }
}

/* --ranks, --launcher and --hosts. */
static abdb_status parse_ranks_and_build_launcher_command(abdb_schedule *out, const abdb_args *args,
                                                          abdb_error *err)
{
    abdb_launcher_request asked = {.launcher = abdb_arg_value(args, "launcher"),
                                   .hosts = abdb_arg_value(args, "hosts"),
                                   .processors = abdb_count_usable_processors(),
                                   .root = geteuid() == 0};
    const char *text = abdb_arg_value(args, "ranks");

    if (!text && (asked.launcher || asked.hosts))
        return ABDB_FAIL(err, ABDB_USAGE, "--launcher and --hosts want --ranks: how many?");
    if (!text) return ABDB_OK;
    if (!abdb_integer_parse_in_range(text, ABDB_MARK_UNKNOWN, 1, ABDB_LAUNCH_RANKS, &asked.ranks))
        return ABDB_FAIL(err, ABDB_USAGE, "--ranks wants a whole number, not '%s'", text);
    return abdb_launcher_build_command(&out->launch, &asked, &out->arena, err);
}

/* --ranks is of backends that have ranks: where none is named, the others do not take part. */
static abdb_status keep_backends_with_ranks_if_ranks_asked(abdb_schedule *lanes, json_t **hello,
                                                           bool named, abdb_error *err)
{
    size_t kept = 0;

    if (!lanes->launch.ranks) return ABDB_OK;
    for (size_t i = 0; i < lanes->count; i++) {
        if (!lanes->lane[i].ranks && !named) continue;
        lanes->lane[kept] = lanes->lane[i];
        hello[kept++] = hello[i];
    }
    lanes->count = kept;
    for (size_t i = 0; i < kept; i++)
        if (lanes->lane[i].ranks) return ABDB_OK;
    return ABDB_FAIL(err, ABDB_USAGE,
                     "--ranks: no backend here is made of several; mpi is (Debian: libopenmpi-dev"
                     " openmpi-bin, then build abdb again)");
}

abdb_status abdb_schedule_build_from_options(abdb_schedule *out, const abdb_args *args,
                                             const abdb_backend_list *backends,
                                             const unsigned char *chosen, abdb_error *err)
{
    const char *builds = abdb_arg_value(args, "builds");
    abdb_commit here;
    size_t folders = 0;
    abdb_status st = ABDB_OK;

    *out = (abdb_schedule){.builds = builds != NULL};
    TRY(abdb_refuse_command_options_without_command(args, err));
    TRY(parse_ranks_and_build_launcher_command(out, args, err));
    if (builds && abdb_arg_value(args, "tag"))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--builds names the tags: no --tag beside it"));
    while (builds && *builds) {
        size_t size = strcspn(builds, ",");

        TRY(append_build_entry_per_chosen_backend(out, args, builds, size, backends, chosen, err));
        folders++;
        builds += size + (builds[size] == ',');
    }
    if (out->builds) {
        TRY(keep_backends_in_all_builds(out, folders, err));
        sort_schedule_by_backend(out);
        goto done;
    }
    TRY(resolve_commit_option(args, ".", out, &here, err));
    for (size_t b = 0; b < backends->count; b++)
        if (chosen[b])
            TRY(append_schedule_entry(
                out,
                (abdb_schedule_entry){.backend = backends->backend[b].name,
                                      .path = backends->backend[b].path,
                                      .foreign = backends->backend[b].foreign,
                                      .tag = abdb_arg_value(args, "calibrate")
                                                 ? "calibration"
                                                 : abdb_arg_value(args, "tag"),
                                      .counter = b,
                                      .commit = here},
                err));
done:
    return st;
}

/* Backends without a device take part only where they are named, or there is no other. */
static void drop_backends_without_device_if_any_has(abdb_schedule *lanes, json_t **hello,
                                                    bool named)
{
    size_t kept = 0, present = 0;

    for (size_t i = 0; i < lanes->count; i++) present += !lanes->lane[i].absent;
    if (named || !present) return;
    for (size_t i = 0; i < lanes->count; i++) {
        if (lanes->lane[i].absent) continue;
        lanes->lane[kept] = lanes->lane[i];
        hello[kept++] = hello[i];
    }
    lanes->count = kept;
}

/* Of a backend that has several devices a lane each; one that the user has chosen stays alone. */
static abdb_status split_entries_by_device(abdb_schedule *lanes, json_t **hello, abdb_error *err)
{
    const char *chosen = getenv("ABDB_DEVICE");
    abdb_schedule_entry old[ABDB_LANES_MAX];
    json_t *said[ABDB_LANES_MAX];
    size_t count = lanes->count;
    abdb_status st = ABDB_OK;

    if (lanes->builds || (chosen && *chosen)) return ABDB_OK;
    memcpy(old, lanes->lane, sizeof old);
    memcpy(said, hello, sizeof said);
    lanes->count = 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *devices = json_object_get(said[i], "devices");
        size_t several = json_array_size(devices);

        for (size_t k = 0; k < (several > 1 ? several : 1); k++) {
            const char *id = abdb_json_text_or_empty(json_array_get(devices, k), "id");

            if (lanes->count < ABDB_LANES_MAX) hello[lanes->count] = said[i];
            if (several > 1) old[i].device = abdb_arena_copy(&lanes->arena, id, strlen(id));
            TRY(append_schedule_entry(lanes, old[i], err));
        }
    }
done:
    return st;
}

abdb_status abdb_schedule_probe_expand_plan(abdb_schedule *lanes, abdb_plan *plan,
                                            bool backends_were_named, abdb_error *err)
{
    json_t *said[ABDB_LANES_MAX] = {NULL}, *hello[ABDB_LANES_MAX] = {NULL};
    size_t count = lanes->count;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < lanes->count; i++) {
        abdb_run_options o = {.name = lanes->lane[i].backend,
                              .path = lanes->lane[i].path,
                              .argument = lanes->lane[i].argument,
                              .keep_environment = lanes->commands,
                              .escaped = abdb_print_stderr_remark_of_ended_processes};
        abdb_error none = {0}; /* an error is reported when it should run */

        (void)!abdb_backend_run_describe_and_collect_records(&o, &said[i], &none);
        hello[i] = json_object_get(said[i], "hello");
        lanes->lane[i].absent = json_object_get(said[i], "no-device") != NULL;
        if (lanes->lane[i].absent && backends_were_named)
            abdb_print_stderr_remark("%s: %s", o.name, none.message);
        lanes->lane[i].ranks = json_is_true(json_object_get(hello[i], "ranks"));
    }
    drop_backends_without_device_if_any_has(lanes, hello, backends_were_named);
    TRY(split_entries_by_device(lanes, hello, err));
    TRY(keep_backends_with_ranks_if_ranks_asked(lanes, hello, backends_were_named, err));
    TRY(abdb_plan_require_names_known_to_backends(plan, hello, lanes->count, err));
    TRY(abdb_plan_expand_providers_and_assign_cells(plan, hello, lanes->count, &lanes->has, err));
    for (size_t i = 0; i < lanes->count; i++) lanes->lane[i].has = lanes->has + i * plan->cells;
done:
    for (size_t i = 0; i < count; i++) json_decref(said[i]);
    return st;
}

void abdb_schedule_free(abdb_schedule *lanes)
{
    free(lanes->has);
    abdb_arena_free(&lanes->arena);
    *lanes = (abdb_schedule){0};
}
