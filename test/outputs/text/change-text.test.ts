import { expect, test } from 'vitest'
import { holdLine } from '../../../src/outputs/text/change-text.ts'

test('what a change waits for, and how long, to the second', () => {
  const hold = { because: 'awake', text: 'it waits until the compute is suspended' } as const
  const times = { since: '2026-01-05T00:00:00.543Z', until: '2026-01-06T00:00:00Z' }
  expect(holdLine({ ...hold, ...times })).toBe(
    'it waits until the compute is suspended, since 2026-01-05T00:00:00Z, until 2026-01-06T00:00:00Z',
  )
  expect(holdLine({ ...hold, since: null, until: null })).toBe('it waits until the compute is suspended')
})
