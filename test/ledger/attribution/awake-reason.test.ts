// Why a compute is awake that nobody was seen to use: what is still to come, and what should have come by now.
import { expect, test } from 'vitest'
import { awakeReason, type AwakeReasonContext } from '../../../src/ledger/attribution/awake-reason.ts'
import type { OwnSession } from '../../../src/model/ledger/evidence.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import { instant, seconds } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import { at, evidence, ledger, look, prices, sweep } from '../../support/build.ts'

const DELAY = 300

/** Looked at `seen` seconds, last active at 0. */
function awakeAt(seen: number, footprints: readonly OwnSession[] = []): ComputeEntry {
  const looks = [
    look(seen, { state: 'active', startedAt: at(-100), lastActive: at(0), autosuspendDelay: seconds(DELAY) }),
  ]
  const [account] = accounted(ledger(), sweep(seen, { looks }), {
    prices,
    overhead: 0.01,
    now: at(seen),
  }).ledger.computes.values()
  if (!account) throw new Error('it was looked at')
  return { ...account, evidence: { ...account.evidence, ownSessions: footprints } }
}

const why = (account: ComputeEntry, over: Partial<AwakeReasonContext> = {}) =>
  awakeReason(account, {
    delay: seconds(DELAY),
    activityLag: seconds(60),
    project: undefined,
    now: account.observedAt,
    ...over,
  })

/** The delay, five seconds that the service takes, and a minute by which activity shows late. */
const SHOWN = DELAY + 5 + 60

test.each([
  ['before its delay is over', DELAY - 1, 'ahead'],
  ['when its delay is over', DELAY, 'due'],
  ['as long as activity may not show yet', SHOWN, 'due'],
  ['when a look would have shown either', SHOWN + 1, 'overdue'],
  ['hours later', 6000, 'overdue'],
])('%s its suspension is told as what it is', (_, seen, end) => {
  expect(why(awakeAt(seen))).toEqual({
    because: 'idle-tail',
    since: at(0),
    until: at(DELAY),
    end,
    ours: false,
  })
})

test('it is not overdue because time goes on while nobody looks', () => {
  expect(why(awakeAt(200), { now: at(6000) })).toMatchObject({ end: 'due' })
})

test('activity that the project list shows puts the end off', () => {
  const account = awakeAt(SHOWN + 1)
  const project = {
    project: { projectId: 'project-one', computeLastActiveAt: at(100) },
    listed: { endpointIds: ['ep-one'] },
  } as unknown as AwakeReasonContext['project']
  expect(why(account, { project })).toMatchObject({ end: 'due' })
})

test('a session of ours that counts as activity puts the suspension off', () => {
  const ours: OwnSession = {
    connectedAt: at(99),
    disconnectedAt: at(100),
    postmasterStartedAt: undefined,
    activeBefore: at(0),
    sawClients: false,
    counts: true,
    lastClientActivity: undefined,
    hiddenFrom: at(39),
    arrivalRate: undefined,
  }
  const of = (seen: number) => why(awakeAt(seen, [ours]))
  expect(of(DELAY + 50)).toEqual({
    because: 'idle-tail',
    since: at(0),
    until: instant(at(100) + DELAY * 1000),
    end: 'ahead',
    ours: true,
  })
  expect([of(SHOWN + 99), of(SHOWN + 101)]).toMatchObject([{ end: 'due' }, { end: 'overdue' }])
})

test('where nothing dates anything, nothing tells why', () => {
  const account = { ...awakeAt(10), current: undefined, evidence: evidence() }
  expect(why(account)).toEqual({ because: 'unknown', since: undefined })
})
