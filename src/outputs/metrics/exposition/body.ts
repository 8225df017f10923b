import { escapedValue, headText, type FamilyHead, type ExpositionFormat } from './format.ts'

export type RenderedFamily = FamilyHead & { readonly blocks: readonly Buffer[] }

export type FamilyFilter = Readonly<{
  /** Empty: all. */
  names: readonly string[]
  projectId: string | undefined
}>

export const assembleBody = (parts: readonly RenderedFamily[], format: ExpositionFormat): readonly Buffer[] =>
  parts.flatMap((part) => [Buffer.from(headText(part, format)), ...part.blocks])

export const bodyEndOf = (format: ExpositionFormat) => Buffer.from(format === 'openmetrics' ? '# EOF\n' : '')

export function filterFamilies(parts: readonly RenderedFamily[], { names, projectId }: FamilyFilter) {
  const named = names.length === 0 ? parts : parts.filter(({ name }) => names.includes(name))
  if (projectId === undefined) return named
  return named.flatMap((part) => {
    // project_id is always the first label, and quotes inside values are escaped
    const start = Buffer.from(`${part.name}{project_id="${escapedValue(projectId)}"`)
    const blocks = part.blocks.flatMap((block) => linesStartingWith(start, block))
    return blocks.length === 0 ? [] : [{ ...part, blocks }]
  })
}

function linesStartingWith(start: Buffer, block: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let from = block.indexOf(start); from >= 0; from = block.indexOf(start, from + 1))
    lines.push(block.subarray(from, block.indexOf('\n', from) + 1))
  return lines
}
