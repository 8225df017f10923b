import { expect, test } from 'vitest'
import { dismiss, undoDismiss } from '../../src/advise/dismiss.ts'
import type { Life } from '../../src/model/policy/recommendation.ts'
import { at } from '../support/build.ts'
import { recommendation } from '../support/recommendations.ts'

const dismissal = { reason: 'demo next week', until: at(600), by: 'ann', now: at(0) }
const dismissed = {
  state: 'dismissed',
  at: at(0),
  until: at(600),
  reason: 'demo next week',
  by: 'ann',
} as const
const open = recommendation()

test('an open one is dismissed, and a second dismissal replaces the first', () => {
  expect(dismiss(open, dismissal)).toEqual({ ok: true, value: { ...open, life: dismissed } })
  const again = { ...dismissal, reason: 'still needed', until: undefined, by: 'bob', now: at(60) }
  expect(dismiss(recommendation({ life: dismissed }), again)).toEqual({
    ok: true,
    value: {
      ...open,
      life: { state: 'dismissed', at: at(60), until: undefined, reason: 'still needed', by: 'bob' },
    },
  })
})

test('a dismissal is taken back, and taking back nothing changes nothing', () => {
  expect(undoDismiss(recommendation({ life: dismissed }), [])).toEqual({ ok: true, value: open })
  expect(undoDismiss(open, [open])).toEqual({ ok: true, value: open })
})

test('only one of a kind is open', () => {
  const later = recommendation({ id: 'ep-one.delay.2' })
  const other = recommendation({ id: 'ep-one.sizing.1', kind: 'sizing' })
  const put = recommendation({ life: dismissed })
  expect(undoDismiss(put, [put, later])).toEqual({
    ok: false,
    error: 'ep-one.delay.2 has taken the place of ep-one.delay.1',
  })
  expect(undoDismiss(put, [put, other])).toMatchObject({ ok: true })
})

test.each<Life>([
  { state: 'implemented', at: at(0), realised: undefined },
  { state: 'superseded', at: at(0), by: 'ep-one.delay.2' },
  { state: 'withdrawn', at: at(0), because: 'deleted' },
])('an ended one stays as it is: $state', (life) => {
  const ended = recommendation({ life })
  const error = `ep-one.delay.1 has ended: it is ${life.state}`
  expect(dismiss(ended, dismissal)).toEqual({ ok: false, error })
  expect(undoDismiss(ended, [])).toEqual({ ok: false, error })
})
