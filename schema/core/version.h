/* version.h - the version of abdb. */
#ifndef ABDB_CORE_VERSION_H
#define ABDB_CORE_VERSION_H

#define ABDB_VERSION "1.0.0"

#endif
