#ifndef KULANZ_CMICROHTTPD_SHIM_H
#define KULANZ_CMICROHTTPD_SHIM_H
#include <microhttpd.h>

// Variadic in C, which Swift can't call: MHD_start_daemon, MHD_get_daemon_info, MHD_get_connection_info.

// A request's path is wanted as it was sent, so nothing is decoded.
static inline size_t kulanz_mhd_keep(void *cls, struct MHD_Connection *connection, char *text) {
    (void)cls;
    (void)connection;
    size_t length = 0;
    while (text[length] != 0) length++;
    return length;
}

// key and certificate: PEM, both NULL for a server in the clear; they have to outlive the daemon.
static inline struct MHD_Daemon *kulanz_mhd_start(unsigned int flags, const struct sockaddr *address, void *cls,
                                                  MHD_AccessHandlerCallback access,
                                                  void *(*opened)(void *, const char *, struct MHD_Connection *),
                                                  MHD_RequestCompletedCallback completed,
                                                  MHD_NotifyConnectionCallback connection,
                                                  unsigned int connection_limit, size_t connection_memory,
                                                  const char *key, const char *certificate) {
    struct MHD_OptionItem secure[] = {{MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
                                      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
                                      {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
    return MHD_start_daemon(flags, 0, NULL, NULL, access, cls, MHD_OPTION_SOCK_ADDR, address,
                            MHD_OPTION_URI_LOG_CALLBACK, opened, cls, MHD_OPTION_NOTIFY_COMPLETED, completed, cls,
                            MHD_OPTION_NOTIFY_CONNECTION, connection, cls, MHD_OPTION_UNESCAPE_CALLBACK,
                            kulanz_mhd_keep, NULL, MHD_OPTION_CONNECTION_LIMIT, connection_limit,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
                            MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u, MHD_OPTION_ARRAY, key ? secure : plain,
                            MHD_OPTION_END);
}

// -1 if the daemon doesn't use epoll.
static inline int kulanz_mhd_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}
static inline unsigned short kulanz_mhd_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}
static inline void *kulanz_mhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}
static inline int kulanz_mhd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

#endif
