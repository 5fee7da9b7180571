#ifndef KULANZ_CHIREDIS_SHIM_H
#define KULANZ_CHIREDIS_SHIM_H
// The codec only (reader and formatter). Debian 12's hiredis 0.14 has neither TLS nor RESP3 in its connections.
#include <hiredis/hiredis.h>
#endif
