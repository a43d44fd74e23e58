/* malloc.h - glibc's settings of malloc, which wasi-libc's has not. */
#ifndef ABDB_WASM_MALLOC_H
#define ABDB_WASM_MALLOC_H

#define M_MXFAST 1
#define mallopt(what, value) 1

#endif
