/* schedule.h - the lanes of a command of abdb run: each backend of each build, in turns. */
#ifndef ABDB_QUERY_LANES_H
#define ABDB_QUERY_LANES_H

#include "kernels/runner/launcher.h"
#include "query/run/find_backends.h"
#include "query/cli/command_line.h"
#include "query/run/git_commit.h"

enum { ABDB_LANES_MAX = 128 };

typedef struct {
    const char *backend, *path, *tag; /* tag NULL: none */
    const char *const *argument;      /* words before the verb, up to a NULL: of --command */
    const char *device;               /* of several that the backend has; NULL: its only one */
    bool absent;                      /* it has none */
    bool foreign;                     /* a program of the user's (find_backends.h) */
    size_t counter;                   /* lanes of one backend count their starts together */
    const unsigned char *has;         /* of each cell of the plan: 1 where this lane measures it */
    abdb_commit commit;
    bool ranks; /* it may be started as several processes, and is where `launch` has words */
} abdb_schedule_entry;

typedef struct {
    size_t count;
    abdb_schedule_entry lane[ABDB_LANES_MAX];
    bool builds;                  /* measured against each other, in turn: --builds, --command */
    bool commands;                /* they are whole programs: --command */
    unsigned char *has;           /* of all lanes */
    abdb_launcher_command launch; /* --ranks: of lanes that have ranks */
    abdb_arena arena;
} abdb_schedule;

/* The programs of --command NAME='WORD...', each a lane with that tag, cut into words as a shell
 * does, without its variables and patterns. ABDB_USAGE: no such option, or a program that is not
 * there. */
ABDB_MUST_USE abdb_status abdb_schedule_from_commands(abdb_schedule *out, const abdb_args *args,
                                                      abdb_error *err);
/* ABDB_USAGE: an option of --command stands without it. */
ABDB_MUST_USE abdb_status abdb_refuse_command_options_without_command(const abdb_args *args,
                                                                      abdb_error *err);
/* Does an axis of the plan give each {KEY} of the commands, and do they use each axis? ABDB_USAGE:
 * no. */
ABDB_MUST_USE abdb_status abdb_schedule_require_axes_match_braces(const abdb_schedule *lanes,
                                                                  const abdb_plan *plan,
                                                                  abdb_error *err);
/* Prints the compare command that judges the lanes after the measurement. */
void abdb_print_compare_command(const abdb_schedule *lanes, const abdb_args *args);
/* The chosen backends; with --builds TAG=FOLDER,... the backends of each folder, builds innermost.
 * With --commit, the commit of each: from the working directory, or from a build's folder.
 * ABDB_USAGE: a folder lacks a backend, or an option is wrong. */
ABDB_MUST_USE abdb_status abdb_schedule_build_from_options(abdb_schedule *out,
                                                           const abdb_args *args,
                                                           const abdb_backend_list *backends,
                                                           const unsigned char *chosen,
                                                           abdb_error *err);
/* Checks that the backends have the kernels, axes and providers of a plan. Then each cell becomes
 * one for each provider (kernels/runner/expand_providers.h), assigned to its lanes. A backend with
 * several devices becomes a lane for each, unless ABDB_DEVICE names one; one without any takes part
 * only where the backends were named. With --ranks only lanes that have ranks stay, unless the
 * backends were named. ABDB_USAGE: the nearest name is suggested; none has ranks. */
ABDB_MUST_USE abdb_status abdb_schedule_probe_expand_plan(abdb_schedule *lanes, abdb_plan *plan,
                                                          bool backends_were_named,
                                                          abdb_error *err);
/* Processors that this process may use. */
int abdb_count_usable_processors(void);
void abdb_schedule_free(abdb_schedule *lanes);

#endif
