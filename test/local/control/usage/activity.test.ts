import { expect, test } from 'vitest'
import { type ActivityReading, detectActivity } from '../../../../src/local/control/usage/activity.ts'

const quiet: ActivityReading = {
  activeTime: 10,
  sessions: 2,
  busyBackends: 0,
  lastStateChange: null,
  replications: 0,
  subscriptions: 0,
  autovacuumWorkers: 0,
}

test.each([
  ['nothing', {}, quiet, undefined],
  ['the first reading, whose counters only set the baseline', {}, undefined, undefined],
  ['more active time', { activeTime: 11 }, quiet, 1000],
  ['one more session', { sessions: 3 }, quiet, 1000],
  ['a backend that is not idle', { busyBackends: 1 }, quiet, 1000],
  ['a newer change of state', { lastStateChange: 700 }, quiet, 700],
  ['a change of state already known', { lastStateChange: 500 }, quiet, undefined],
  ['an old change of state beside a replication', { lastStateChange: 400, replications: 1 }, quiet, 1000],
  [
    'a newer change of state beside an autovacuum worker: the first rule wins',
    { lastStateChange: 700, autovacuumWorkers: 1 },
    quiet,
    700,
  ],
  ['a subscription', { subscriptions: 1 }, quiet, 1000],
  ['an autovacuum worker', { autovacuumWorkers: 1 }, quiet, 1000],
])('%s', (_, changes, earlier, at) => {
  expect(detectActivity({ ...quiet, ...changes }, { earlier, lastActive: 500, rule1: true }, 1000)).toBe(at)
})

test('with the first rule off, moving counters are no activity (Q-21)', () => {
  const known = { earlier: quiet, lastActive: 500, rule1: false }
  expect(detectActivity({ ...quiet, sessions: 3 }, known, 1000)).toBeUndefined()
  expect(detectActivity({ ...quiet, busyBackends: 1 }, known, 1000)).toBe(1000)
})
