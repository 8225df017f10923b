import { expect, test } from 'vitest'
import { withheldJson } from '../../../src/outputs/text/recommendation-json.ts'
import { withheldSchema } from '../../../src/outputs/text/recommendation-schema.ts'
import { reasonGroups, withheldReason, withheldText } from '../../../src/outputs/text/withheld-text.ts'
import { at } from '../../support/build.ts'
import { ALWAYS_ON, withheld } from '../../support/recommendations.ts'

const REF = { account: 'main', projectId: 'project-one', endpointId: 'ep-one' }
const NAMES = { projectName: undefined, computeName: undefined, alwaysOn: undefined }
const jsonOf = (over: Parameters<typeof withheld>[0]) => withheldJson(REF, withheld(over), NAMES)

test('withheld', () => {
  const names = { projectName: 'one', computeName: undefined }
  const short = withheldJson(REF, withheld(), { ...names, alwaysOn: ALWAYS_ON })
  expect(withheldText(withheldSchema.parse(short), 'USD')).toBe(
    'autosuspend delay: too little history (0.5 of 3 days); answer about 2026-01-07T12:00:00Z; autosuspend is off, which costs 19.08 USD in 30 days',
  )
  const small = { because: 'saving-small', have: 20_000, needs: 1_000_000, until: undefined } as const
  const other = withheldJson(REF, withheld(small), { ...names, alwaysOn: undefined })
  expect(withheldText(other, 'USD')).toBe(
    'autosuspend delay: it would save too little (0.02 USD of 1.00 USD)',
  )
})

test('the time of an answer has no fractions of a second', () => {
  const one = jsonOf({ because: 'history-short', have: 0, needs: 3, until: at(0.531) })
  expect(withheldText(one, 'USD')).toBe(
    'autosuspend delay: too little history (0 of 3 days); answer about 2026-01-05T00:00:00Z',
  )
})

test.each([
  ['history-short', 0, 1, 'too little history (0 of 1 day)'],
  ['history-short', 0, 0.25, 'too little history (0 s of 6 h)'],
  ['not-followed', 0.01, 0.02, 'activity was not followed for long enough (14.4 min of 28.8 min)'],
] as const)('%s with %d of %d days reads: %s', (because, have, needs, text) => {
  expect(withheldReason(jsonOf({ because, have, needs, until: undefined }), 'USD')).toBe(text)
})

test('a setting that fits has a group of its own; facts that fit have none', () => {
  const [delay, sizing, unused] = [
    jsonOf({}),
    jsonOf({ kind: 'sizing', because: 'fits' }),
    jsonOf({ kind: 'unused', because: 'fits' }),
  ]
  expect(reasonGroups([delay, sizing, unused])).toEqual([
    { heading: 'not recommended', reasons: [delay] },
    { heading: 'nothing to change', reasons: [sizing] },
  ])
  expect(reasonGroups([unused])).toEqual([])
})
