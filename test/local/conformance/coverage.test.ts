// Every statement that the local service can show has exactly one test that begins with its number.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { STATEMENTS } from './statements.ts'

/** Numbers at the beginning of test titles, in this folder. */
const tested = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.ts'))
  .flatMap((name) => [
    ...readFileSync(join(import.meta.dirname, name), 'utf8').matchAll(
      /(?:test\(|longTest\(|\[)['"`](S-\d+) /g,
    ),
  ])
  .map((match) => match[1] ?? '')
  .toSorted()

test('the statements are numbered without a gap', () => {
  expect(STATEMENTS.map(({ number }) => number)).toEqual(
    STATEMENTS.map((_, at) => `S-${String(at + 1).padStart(2, '0')}`),
  )
})

test('each statement of the local service has one test', () => {
  const shown = STATEMENTS.filter(({ shownBy }) => shownBy.includes('L')).map(({ number }) => number)
  expect(tested).toEqual(shown.toSorted())
})
