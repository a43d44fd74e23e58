/* request_generator.h - requests of a service: how long they are and when they come, by a seed of
 * their own.
 *
 * Lengths: all the same; uniform from half of the mean to one and a half; or log-normal, with the
 * deviation 0.8 of the logarithm and the mean that is asked for, at most four times it, which is
 * how chats are (many short, few long). Arrivals: Poisson, exponential gaps of a mean rate.
 */
#ifndef ABDB_WORKLOADS_REQUESTS_H
#define ABDB_WORKLOADS_REQUESTS_H

#include "kernels/workloads/continuous_batching.h"

enum { ABDB_LENGTHS_FIXED, ABDB_LENGTHS_UNIFORM, ABDB_LENGTHS_LOGNORMAL };
/* The longest that there can be. */
size_t abdb_longest_request_length(int distribution, size_t mean);
size_t abdb_draw_request_length(int distribution, size_t mean, uint64_t seed, uint64_t request);
/* Arrivals of n requests at so many a second. */
void abdb_draw_poisson_arrivals(double rate, uint64_t seed, abdb_request *request, size_t n);

#endif
