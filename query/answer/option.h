/* option.h - one option of a verb or of a report. */
#ifndef ABDB_QUERY_OPTION_H
#define ABDB_QUERY_OPTION_H

typedef struct {
    const char *name;     /* without "--"; NULL ends a list; "": `help` heads what follows */
    char letter;          /* 0: none */
    const char *argument; /* NULL: a flag */
    const char *help;
} abdb_option;

#endif
