/** What a command may use of the process, so that tests run commands in theirs. */
export type Io = {
  /** Writes a line to standard output. */
  readonly out: (text: string) => void
  /** Writes a line to standard error. */
  readonly err: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal
  /** Calls `again` whenever the process is asked to read its configuration again; undefined where nobody can ask. */
  readonly onReload?: (again: () => void) => void
  /** The width of the terminal that `out` writes to; undefined when it is none. */
  readonly columns: number | undefined
}

/** 0 ok, 1 failed, 2 usage or configuration, 3 finished with findings. */
export type ExitCode = 0 | 1 | 2 | 3
