// Rendered families put together to a body: all of them, or those that are asked for.
import { END, escapedValue, headText, type Described, type Format } from './format.ts'

/** A family as it is sent: its samples are lines that are the same in both formats. */
export type Part = Described & {
  /** With the prefix. */
  readonly name: string
  readonly blocks: readonly Buffer[]
}

export type Filter = {
  /** Of families; all where there are none. */
  readonly names: readonly string[]
  readonly projectId: string | undefined
}

export const bodyOf = (parts: readonly Part[], format: Format): readonly Buffer[] =>
  parts.flatMap((part) => [Buffer.from(headText(part, format)), ...part.blocks])

export const endOf = (format: Format): Buffer => Buffer.from(END[format])

/** The families that are named, and of them the series of one project. */
export function filtered(parts: readonly Part[], { names, projectId }: Filter): readonly Part[] {
  const named = names.length === 0 ? parts : parts.filter(({ name }) => names.includes(name))
  if (projectId === undefined) return named
  return named.flatMap((part) => {
    // The id is the first label wherever it is one, and no value can hold a quote that is not escaped.
    const start = Buffer.from(`${part.name}{project_id="${escapedValue(projectId)}"`)
    const blocks = part.blocks.flatMap((block) => linesThatBegin(block, start))
    return blocks.length === 0 ? [] : [{ ...part, blocks }]
  })
}

function linesThatBegin(block: Buffer, start: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let from = block.indexOf(start); from >= 0; from = block.indexOf(start, from + 1)) {
    lines.push(block.subarray(from, block.indexOf(NEWLINE, from) + 1))
  }
  return lines
}

const NEWLINE = 10
