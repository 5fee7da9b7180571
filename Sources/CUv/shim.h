#ifndef KULANZ_CUV_SHIM_H
#define KULANZ_CUV_SHIM_H
#include <uv.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

// Handles are subtypes of uv_handle_t in C only by their layout; Swift needs the cast spelled out.
static inline uv_handle_t *kulanz_uv_handle(void *handle) { return (uv_handle_t *)handle; }

// Marks every descriptor above the standard three as not to be inherited. libuv makes its own so, but knows nothing of
// those that other libraries open; on macOS it asks the kernel for the same (POSIX_SPAWN_CLOEXEC_DEFAULT). Kernels
// before Linux 5.11 refuse the call, and all is as it would be without.
static inline void kulanz_uv_seal_descriptors(void) {
#if defined(__linux__) && defined(SYS_close_range)
    syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
#endif
}

#endif
