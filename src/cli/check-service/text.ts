// The checks for people: topic and verdict in columns, what follows below what was seen.
import { printable } from '../terminal/output.ts'
import type { Check } from './finding.ts'

const SIGNS = { full: 'ok', less: 'less', unknown: '?' } as const satisfies Record<Check['verdict'], string>

/** Without a terminal. Narrower ones are filled as if they had so many columns. */
const WIDTH = 110
const NARROWEST = 60

export function checksText(checks: readonly Check[], columns: number | undefined): string {
  const topicWidth = Math.max(...checks.map(({ topic }) => topic.length))
  const indent = ' '.repeat(6 + topicWidth + 2)
  const width = Math.max(NARROWEST, columns ?? WIDTH)
  return checks
    .flatMap(({ verdict, topic, seen, follows }) => {
      const head = `${SIGNS[verdict].padEnd(6)}${topic.padEnd(topicWidth)}  `
      const lines = filled(printable(seen), width - indent.length)
      const below = filled(`→ ${printable(follows)}`, width - indent.length)
      return [
        ...lines.map((line, index) => (index === 0 ? head : indent) + line),
        ...below.map((line) => indent + line),
      ]
    })
    .join('\n')
}

function filled(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
