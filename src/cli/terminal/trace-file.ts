// Reads trace files: text, or text in gzip.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { failed, ok, type Result } from '../../std/result.ts'
import { problemAt, type TraceProblem, type TraceText } from '../../replay/trace-rows.ts'

/** Largest text, bytes: a hundred times the traces that we know, and a small file that expands endlessly ends here. */
const MAX_TEXT = 2 ** 29

/** The file is text in gzip where it begins like one. */
export function readTraceFile(path: string): Result<TraceText, TraceProblem> {
  const file = basename(path)
  try {
    const content = readFileSync(path)
    const isGzip = content[0] === 0x1f && content[1] === 0x8b
    const text = isGzip ? gunzipSync(content, { maxOutputLength: MAX_TEXT }) : content
    return ok({ file, text: text.toString() })
  } catch (error) {
    return failed(
      problemAt(file, 1, `cannot be read: ${error instanceof Error ? error.message : String(error)}`),
    )
  }
}
