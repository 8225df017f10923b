// Rendered families put together to a body: all of them, or those that are asked for.
import { BODY_END, escapedValue, headText, type FamilyHead, type ExpositionFormat } from './format.ts'

/** A family as it is sent: its samples are lines that are the same in both formats. */
export type RenderedFamily = FamilyHead & {
  /** With the prefix. */
  readonly name: string
  readonly blocks: readonly Buffer[]
}

export type FamilyFilter = {
  /** Of families; all where there are none. */
  readonly names: readonly string[]
  readonly projectId: string | undefined
}

export const assembleBody = (parts: readonly RenderedFamily[], format: ExpositionFormat): readonly Buffer[] =>
  parts.flatMap((part) => [Buffer.from(headText(part, format)), ...part.blocks])

export const bodyEndOf = (format: ExpositionFormat): Buffer => Buffer.from(BODY_END[format])

/** The families that are named, and of them the series of one project. */
export function filterFamilies(
  parts: readonly RenderedFamily[],
  { names, projectId }: FamilyFilter,
): readonly RenderedFamily[] {
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
