#ifndef KULANZ_CUV_SHIM_H
#define KULANZ_CUV_SHIM_H
#include <uv.h>

// Handles are subtypes of uv_handle_t in C only by their layout; Swift needs the cast spelled out.
static inline uv_handle_t *kulanz_uv_handle(void *handle) { return (uv_handle_t *)handle; }

#endif
