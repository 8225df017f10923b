import { expect, test } from 'vitest'
import { causeText, culpritText } from '../../../src/outputs/text/cause-text.ts'

const nobody = { application: null, user: null, database: null }

test.each([
  [{ ...nobody, cause: 'autosuspend-off' }, 'autosuspend being off'],
  [{ ...nobody, cause: 'availability-check' }, "the service's own check"],
  [{ cause: 'clients', application: 'web', user: '', database: 'shop' }, 'clients (web / shop)'],
  [
    { cause: 'idle-in-transaction', application: 'web', user: 'app', database: 'shop' },
    'a transaction left open (web / app / shop)',
  ],
])('%j', (culprit, text) => {
  expect(culpritText(culprit)).toBe(text)
})

test('a cause that a later version stored keeps its id', () => {
  expect(causeText('snapshots')).toBe('snapshots')
})
