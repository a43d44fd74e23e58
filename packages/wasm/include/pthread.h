/* pthread.h - the few names of POSIX threads that the query core uses; there is one thread. */
#ifndef ABDB_WASM_PTHREAD_H
#define ABDB_WASM_PTHREAD_H

#include <sys/types.h> /* the types */

#define PTHREAD_MUTEX_INITIALIZER \
    {                             \
        0                         \
    }
#define PTHREAD_ONCE_INIT 0
int pthread_mutex_lock(pthread_mutex_t *lock);
int pthread_mutex_unlock(pthread_mutex_t *lock);
int pthread_once(pthread_once_t *once, void (*first)(void));

#endif
