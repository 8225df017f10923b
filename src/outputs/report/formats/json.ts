import type { Report, ReportCompute } from '../schema.ts'

/** About 400 kB of JSON, small enough for one turn of the event loop. */
const COMPUTES_PER_TEXT = 500

/** Indented by two: one text per 500 computes, and one before and after them. */
export function renderJson(report: Report): readonly string[] {
  const [start, end] = splitAtComputes(JSON.stringify({ ...report, computes: [] }, undefined, 2), '\n  ')
  const chunks = computeChunks(report).map((chunk) =>
    JSON.stringify(chunk, undefined, 2).slice(1, -2).replaceAll('\n', '\n  '),
  )
  const separated = chunks.map((chunk, index) => (index === 0 ? chunk : `,${chunk}`))
  return [start, ...separated, `${chunks.length === 0 ? '' : '\n  '}${end}\n`]
}

/** No spaces, one line before the computes, one per 500 computes, one after them. */
export function renderArchivedJson(report: Report): string {
  const [start, end] = splitAtComputes(JSON.stringify({ ...report, computes: [] }), '')
  const lines = computeChunks(report).map((chunk) => JSON.stringify(chunk).slice(1, -1))
  return lines.length === 0 ? start + end : `${start}\n${lines.join(',\n')}\n${end}`
}

export function computeChunks({ computes }: Report): readonly (readonly ReportCompute[])[] {
  const chunks = Math.ceil(computes.length / COMPUTES_PER_TEXT)
  return Array.from({ length: chunks }, (_, index) =>
    computes.slice(index * COMPUTES_PER_TEXT, (index + 1) * COMPUTES_PER_TEXT),
  )
}

/** Strings in JSON have no line break and no unescaped quote, so the last empty `"computes"` is the report's own. */
function splitAtComputes(json: string, indent: string): readonly [start: string, end: string] {
  const empty = indent === '' ? '"computes":[]' : `${indent}"computes": []`
  const at = json.lastIndexOf(empty) + empty.length - 1
  return [json.slice(0, at), json.slice(at)]
}

/** @param text of `renderArchivedJson`, or any other JSON of a report in one line */
export function parseReport(text: string): Report {
  const [first = '', ...lines] = text.split('\n')
  const last = lines.pop()
  if (last === undefined) return JSON.parse(first) as Report
  const report = JSON.parse(first + last) as Report
  const computes = lines.flatMap((line) => JSON.parse(`[${line.replace(/,$/, '')}]`) as ReportCompute[])
  return { ...report, computes }
}
