// A monotonic clock that stands still while its process waits for a processor, for measurements on
// a machine with other work. With LD_PRELOAD, a program reads this clock instead of the system's.
//
// The clock of the processor takes a call of the kernel. It is read only if so much time has passed
// that the process may have waited: short intervals are those of the system's clock.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <time.h>

enum { SECOND = 1000000000, SHORT = 20000 };

static int (*original)(clockid_t, struct timespec *);
static atomic_flag busy = ATOMIC_FLAG_INIT;
// When both clocks were read last, what was shown then, and what was shown last.
static long long wall, processor, shown, last;

static long long nanoseconds(clockid_t clock) {
    struct timespec t;
    original(clock, &t);
    return t.tv_sec * (long long)SECOND + t.tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec *t) {
    if (!original) {
        original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    }
    if (clock != CLOCK_MONOTONIC) {
        return original(clock, t);
    }
    while (atomic_flag_test_and_set(&busy)) {
    }
    long long now = nanoseconds(CLOCK_MONOTONIC);
    if (now - wall > SHORT) {
        long long used = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
        shown += used - processor;
        shown = shown > last ? shown : last;
        processor = used;
        wall = now;
    }
    last = shown + now - wall;
    t->tv_sec = last / SECOND;
    t->tv_nsec = last % SECOND;
    atomic_flag_clear(&busy);
    return 0;
}
