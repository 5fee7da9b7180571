/* A library without functions of its own: see stepped_clock.c. */
