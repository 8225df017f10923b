// Rows of a trace file: comma-separated values without quotes, the columns of the first line always the same.
import { failed, ok, type Result } from '../std/result.ts'

/** A text file and its name, as messages show it. */
export type TraceText = Readonly<{ file: string; text: string }>

/** `line` counts from 1, the header. */
type TraceRow<Column extends string> = Readonly<{ line: number; cells: Readonly<Record<Column, string>> }>

/** Message in one line, with file and line. */
export type TraceProblem = string

export const problemAt = (file: string, line: number, what: string): TraceProblem =>
  `${file}:${line}: ${what}`

/** With line ends of Unix or Windows, with or without a byte order mark. Empty lines are left out. */
export function traceRows<Column extends string>(
  { file, text }: TraceText,
  columns: readonly Column[],
): Result<readonly TraceRow<Column>[], TraceProblem> {
  const [header = '', ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (header !== columns.join(','))
    return failed(problemAt(file, 1, `expected the columns ${columns.join(',')}, got ${quoted(header)}`))
  const rows: TraceRow<Column>[] = []
  for (const [index, content] of lines.entries()) {
    if (content === '') continue
    const values = content.split(',')
    const line = index + 2
    if (values.length !== columns.length)
      return failed(problemAt(file, line, `expected ${columns.length} values, got ${values.length}`))
    const cells = Object.fromEntries(columns.map((column, at) => [column, values[at]]))
    rows.push({ line, cells: cells as Record<Column, string> })
  }
  return ok(rows)
}

/** Longest text that a message repeats. */
const MAX_QUOTED = 60

export const quoted = (text: string): string => JSON.stringify(text.slice(0, MAX_QUOTED))

/** Undefined unless the text is a finite decimal number. */
export function numberIn(text: string): number | undefined {
  const value = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}
