// A report as JSON text and back, a stretch of its computes at a time: all of a large fleet in one go would hold up everything else.
import type { Cooperative } from '../../../std/cooperative.ts'
import type { Report, ReportCompute } from '../schema.ts'

/** Computes written or read in one step. Doubled, the event loop is held up for some 5 ms. */
const COMPUTES = 500

/** For people and programs: indented by two. */
export function* renderJson(report: Report): Cooperative<string> {
  const whole = JSON.stringify({ ...report, computes: [] }, undefined, 2)
  const pieces = yield* eachPart(report, (part) =>
    JSON.stringify(part, undefined, 2).slice(1, -2).replaceAll('\n', '\n  '),
  )
  return `${filled(whole, pieces, INDENTED)}\n`
}

/** As it is kept: without spaces, a line for what is not a compute before and after a line for each part of the computes. */
export function* renderArchivedJson(report: Report): Cooperative<string> {
  const whole = JSON.stringify({ ...report, computes: [] })
  const pieces = yield* eachPart(report, (part) => JSON.stringify(part).slice(1, -1))
  return filled(whole, pieces, KEPT)
}

function* eachPart(
  { computes }: Report,
  write: (part: readonly ReportCompute[]) => string,
): Cooperative<readonly string[]> {
  const pieces: string[] = []
  for (let from = 0; from < computes.length; from += COMPUTES) {
    pieces.push(write(computes.slice(from, from + COMPUTES)))
    yield
  }
  return pieces
}

const INDENTED: Place = {
  empty: '\n  "computes": []',
  around: ['\n  "computes": [', '\n  ]'],
  between: ',',
}
const KEPT: Place = { empty: '"computes":[]', around: ['"computes":[\n', '\n]'], between: ',\n' }

type Place = { readonly empty: string; readonly around: readonly [string, string]; readonly between: string }

/** No text inside JSON has a line break or an unescaped quote: the last `"computes":[]` is that of the report itself. */
function filled(whole: string, pieces: readonly string[], { empty, around, between }: Place): string {
  if (pieces.length === 0) return whole
  const at = whole.lastIndexOf(empty)
  const [before, after] = around
  const parts = pieces.flatMap((piece, index) => (index === 0 ? [piece] : [between, piece]))
  return [whole.slice(0, at), before, ...parts, after, whole.slice(at + empty.length)].join('')
}

/** @param text as `renderArchivedJson` wrote it, or any other JSON of a report in one line */
export function* parseReport(text: string): Cooperative<Report> {
  const [first = '', ...lines] = text.split('\n')
  const last = lines.pop()
  if (last === undefined) return JSON.parse(first) as Report
  const report = JSON.parse(first + last) as Report
  const computes: ReportCompute[] = []
  for (const line of lines) {
    yield
    computes.push(...(JSON.parse(`[${line.replace(/,$/, '')}]`) as ReportCompute[]))
  }
  return { ...report, computes }
}
