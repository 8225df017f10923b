import { expect, test } from 'vitest'
import { changeEvents } from '../../src/apply/events.ts'
import type { Change, ChangeState, EndedChange } from '../../src/model/policy/change.ts'
import { at } from '../support/build.ts'
import { changeOf, SCHEDULED } from '../support/changes.ts'
import { applyingOf, NOW } from './build.ts'

const ended = (state: EndedChange['at']): ChangeState => ({ at: state, because: 'so it is', endedAt: NOW })
const verifying: ChangeState = {
  at: 'verifying',
  since: NOW,
  operationIds: [],
  sent: { at: at(990), sessions: 0 },
}
const applying = changeOf({ state: applyingOf() })
const proposed = changeOf({ state: { at: 'proposed' }, reason: 'the night batch is gone' })
const step = changeOf({ kind: 'delay', origin: { by: 'schedule', name: 'office', period: at(0) } })
const asked = changeOf({ reason: 'the night batch is gone' })

test.each<[string, Change, ChangeState, readonly (readonly [string, string])[]]>([
  ['is asked for', asked, asked.state, [['change-scheduled', 'the night batch is gone']]],
  ['is proposed', proposed, proposed.state, []],
  ['is approved', proposed, SCHEDULED, [['change-scheduled', 'the night batch is gone']]],
  ['is sent', asked, applyingOf(), []],
  ['is scheduled again', applying, { ...SCHEDULED }, []],
  ['is verified', applying, verifying, []],
  ['is done', changeOf({ state: verifying }), ended('done'), [['change-applied', 'so it is']]],
  ['has failed', applying, ended('failed'), [['change-failed', 'so it is']]],
  ['has expired', asked, ended('expired'), [['change-expired', 'so it is']]],
  ['has expired, a delay of a schedule whose compute slept through its window', step, ended('expired'), []],
  [
    'has expired, a delay of a schedule that nobody approved',
    { ...step, state: { at: 'proposed' } },
    ended('expired'),
    [['change-expired', 'so it is']],
  ],
  [
    'has expired, a size of a budget',
    { ...step, kind: 'sizing', origin: { by: 'budget', name: 'shop', rung: 100, period: at(0) } },
    ended('expired'),
    [['change-expired', 'so it is']],
  ],
  ['is unknown', applying, ended('unknown'), [['change-unknown', 'so it is']]],
  ['is superseded', asked, ended('superseded'), [['change-superseded', 'so it is']]],
  ['is cancelled by a person, who knows it', asked, ended('cancelled'), []],
  ['is rejected by a person, who knows it', proposed, ended('rejected'), []],
])('when a change %s', (_, change, to, told) => {
  const common = { account: 'main', at: NOW, ref: change.ref, changeId: 'ch-one', what: '1 CU → 0.25 CU' }
  expect(changeEvents(change, to, NOW)).toEqual(told.map(([kind, because]) => ({ ...common, kind, because })))
})
