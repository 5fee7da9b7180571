#ifndef KULANZ_CMICROHTTPD_SHIM_H
#define KULANZ_CMICROHTTPD_SHIM_H
#include <microhttpd.h>
#endif
