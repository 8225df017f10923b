// JSON has snake_case keys, times in ISO 8601 and lengths in seconds.
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import { toIsoSecond } from '../../model/time.ts'
import type { SecretAccess } from '../../config/secrets.ts'
import type { Redactor } from '../../std/redactor.ts'
import { sanitize } from '../../std/sanitize.ts'
import type { Instant } from '../../model/units.ts'

/** `env` and `learn`: for secrets, which `out` and `err` leave out. */
export type Io = SecretAccess &
  Redactor &
  Readonly<{
    out: (text: string) => void
    err: (text: string) => void
    cwd: string
    /** Aborts when the process is asked to stop. */
    signal: AbortSignal
    /** Calls `reload` on SIGHUP; undefined in processes without that signal. */
    onReload?: (reload: () => void) => void
    /** Width of the terminal; undefined if `out` is none. */
    columns: number | undefined
    /** Replaces the last line of progress, by nothing where it is empty; absent if `err` is no terminal. */
    progress?: (line: string) => void
    /** Whether a person answers yes; absent where nobody sits at a terminal. */
    confirm?: (question: string) => Promise<boolean>
    /** Clears the terminal; absent if `out` is none. */
    clear?: () => void
  }>

/** Done; failed; wrong usage or configuration; done with findings. */
export const EXIT = { ok: 0, failed: 1, usage: 2, findings: 3 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export type CommandSession = Readonly<{
  io: Io
  end: (code: Promise<ExitCode>) => Promise<void>
  version: string
}>

export const jsonText = (value: unknown): string => JSON.stringify(value, undefined, 2)

/** Two spaces apart; the last column is not padded. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(sanitize))
  // not spread into one call: arguments lie on the stack, which has room for some 125,000
  const widths = head.map((_, column) =>
    cells.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  )
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export const textFields = (pairs: Readonly<Record<string, string>>): string => {
  const width = Math.max(...Object.keys(pairs).map((name) => name.length))
  return Object.entries(pairs)
    .map(([name, value]) => `${name.padEnd(width)}  ${sanitize(value)}`)
    .join('\n')
}

export function failText(io: Io, message: string): ExitCode {
  io.err(`dormouse: ${message}`)
  return EXIT.failed
}

export const errorReason = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)

export const failWith = (io: Io, error: ServiceError) => failText(io, sanitize(serviceErrorText(error)))

export function failUsage(io: Io, ...problems: readonly string[]): ExitCode {
  for (const problem of problems) io.err(`dormouse: ${problem}`)
  return EXIT.usage
}

/** Any item left out makes the exit code `findings`. */
export function reportFindings(io: Io, problems: readonly string[]): ExitCode {
  for (const problem of problems) io.err(`dormouse: left out: ${sanitize(problem)}`)
  return problems.length === 0 ? EXIT.ok : EXIT.findings
}

export const timeText = (at: Instant | undefined): string => (at === undefined ? '-' : toIsoSecond(at))
