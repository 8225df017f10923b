/** The part of the process that commands use; tests pass their own. */
export type Io = {
  /** Writes a line to standard output. */
  readonly out: (text: string) => void
  /** Writes a line to standard error. */
  readonly err: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal
  /** Calls `reload` on SIGHUP; undefined in processes without that signal. */
  readonly onReload?: (reload: () => void) => void
  /** Width of the terminal that `out` writes to; undefined if it is no terminal. */
  readonly columns: number | undefined
}

/** 0 ok, 1 failed, 2 usage or configuration, 3 finished with findings. */
export type ExitCode = 0 | 1 | 2 | 3
