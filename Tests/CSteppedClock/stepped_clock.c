/* Preloaded into a redis-server, this gives the process a wall clock that a test can set while it runs. The file named by
 * STEPPED_CLOCK holds one int64: microseconds to add. Monotonic clocks run on as they are.
 *
 * Debian's libfaketime would be the library to take, but it doesn't start with jemalloc, which Debian's Redis uses: each
 * needs the other first. So this allocates nothing and asks the kernel directly. */
#ifdef __linux__
#define _GNU_SOURCE
#include "stepped_clock.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *step;

__attribute__((constructor)) static void map_step(void) {
    const char *path = getenv("STEPPED_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) step = page;
    close(file);
}

static int64_t wall_microseconds(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000 + (step ? *step : 0);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return syscall(SYS_clock_gettime, clock, time);
    int64_t now = wall_microseconds();
    time->tv_sec = now / 1000000;
    time->tv_nsec = now % 1000000 * 1000;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    int64_t now = wall_microseconds();
    time->tv_sec = now / 1000000;
    time->tv_usec = now % 1000000;
    return 0;
}

time_t time(time_t *seconds) {
    time_t now = wall_microseconds() / 1000000;
    if (seconds) *seconds = now;
    return now;
}
#endif
