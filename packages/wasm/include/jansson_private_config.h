/* jansson_private_config.h - what jansson's configure would find in wasi-libc. */
#define HAVE_ENDIAN_H           1
#define HAVE_FCNTL_H            1
#define HAVE_GETTIMEOFDAY       1
#define HAVE_LOCALE_H           1
#define HAVE_STDINT_H           1
#define HAVE_STRTOLL            1
#define HAVE_SYS_STAT_H         1
#define HAVE_SYS_TIME_H         1
#define HAVE_SYS_TYPES_H        1
#define HAVE_UNISTD_H           1
#define INITIAL_HASHTABLE_ORDER 3
#define USE_URANDOM             0
#define VERSION                 "2.14"
