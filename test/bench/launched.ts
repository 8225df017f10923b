// How users start the daemon, for processes of benchmarks that run its parts.

/** Set by `npm start`, the image and the systemd unit. */
export const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }

/** Set by the program before a command runs. */
export const V8_FLAGS: readonly string[] = ['--semi-space-growth-factor=1', '--optimize-for-size']
