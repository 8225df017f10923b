// Of a large ledger nothing is walked over in one go: whoever waits for the event loop would wait as long.
import { expect, test } from 'vitest'
import { ledgerAfter } from '../../src/ledger/ledger-after.ts'
import { newComputeEntry } from '../../src/ledger/apply-facts.ts'
import { buildSnapshot, createSnapshotBuilder } from '../../src/daemon/snapshot/snapshot.ts'
import { newPassState } from '../../src/daemon/pass/pass-state.ts'
import { computeKey } from '../../src/model/service/compute.ts'
import type { ComputeEntry, Ledger } from '../../src/model/ledger/ledger.ts'
import type { ProjectEntry } from '../../src/model/ledger/project-entry.ts'
import { orderedMap } from '../../src/std/ordered-map.ts'
import { createOwners } from '../../src/model/policy/owner.ts'
import { seconds } from '../../src/model/units.ts'
import { ok } from '../../src/std/result.ts'
import { NO_LIST, NO_PENDING_RETRIES, observe } from '../../src/observe/sweep.ts'
import { at, ledger, look, preset, prices, project } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { POLL } from '../support/poll.ts'
import { UNASKED } from '../support/unasked.ts'
import { walked } from '../support/walked.ts'
import { writesOf } from '../support/writes.ts'

const COMPUTES = 8000

const idOf = (index: number): string => String(index).padStart(5, '0')

const accountOf = (index: number): ComputeEntry => {
  const [projectId, endpointId] = [`project-${idOf(index)}`, `ep-${idOf(index)}`]
  const ref = { account: 'main', projectId, endpointId }
  return newComputeEntry(ref, look(0, { projectId, endpointId }), false)
}

const projectOf = ({ ref: { projectId, endpointId } }: ComputeEntry): ProjectEntry => {
  const listed = { at: at(0), updatedAt: at(0), cpuUsedSeconds: 0, endpointIds: [endpointId] }
  return { project: project({ projectId }), listed }
}

const accounts = Array.from({ length: COMPUTES }, (_, index) => accountOf(index))

function large(): { readonly ledger: Ledger; readonly taken: () => number } {
  const computes = walked(orderedMap(accounts.map((one) => [computeKey(one.ref), one])))
  const projects = walked(orderedMap(accounts.map((one) => [one.ref.projectId, projectOf(one)])))
  return {
    ledger: ledger({ computes: computes.map, projects: projects.map }),
    taken: () => computes.taken() + projects.taken(),
  }
}

test('a ledger grows by what changed', () => {
  const { ledger: before, taken } = large()
  const [one] = accounts
  if (!one) throw new Error('there are accounts')
  const fresh = accountOf(COMPUTES)
  const changed = { ...one, seenAt: at(60) }
  const { computes, projects } = ledgerAfter(
    before,
    writesOf({ computes: [changed, fresh], projects: [projectOf(fresh)] }),
  )
  expect(taken()).toBe(0)
  expect([computes.size, projects.size]).toEqual([COMPUTES + 1, COMPUTES + 1])
  expect(computes.get(computeKey(one.ref))).toBe(changed)
  expect(before.computes.get(computeKey(one.ref))).toBe(one)
})

test('a snapshot yields after every 1,000 entries', async () => {
  const { ledger: before } = large()
  const clock = fakeClock()
  const snapshot = createSnapshotBuilder()({
    now: at(60),
    version: 1,
    passSeconds: seconds(1),
    staleAfter: seconds(600),
    activityLag: seconds(60),
    owners: createOwners([]),
  })
  const { computes } = await buildSnapshot(snapshot, [{ state: newPassState(before), prices, preset }], clock)
  expect(computes).toHaveLength(COMPUTES)
  expect(clock.yields()).toBe(COMPUTES / 1000)
})

/** All that the list shows. */
const listProjectsPage = () =>
  Promise.resolve(ok({ items: [project({ projectId: 'project-00001' })], problems: [], next: undefined }))

const listNothing = () => Promise.resolve(ok({ items: [], problems: [] }))

const READINGS_OFF = {
  mode: 'off',
  activityLag: seconds(5),
  deadline: seconds(5),
  minInterval: seconds(300),
  maxConcurrent: 1,
} as const

test('a sweep walks over a ledger only a few times between two yields', async () => {
  const { ledger: before, taken } = large()
  let [most, last] = [0, taken()]
  const clock = fakeClock()
  const yielding = (): Promise<void> => {
    most = Math.max(most, taken() - last)
    last = taken()
    return clock.yield()
  }
  const { list } = await observe(
    {
      clock: { ...clock, yield: yielding },
      service: { ...UNASKED, listProjectsPage, listComputes: listNothing, listOperations: listNothing },
      readings: {
        refusalOf: () => 'no-dsn',
        prepare: () => Promise.resolve(undefined),
        evict: () => undefined,
        read: () => Promise.reject(new Error('nothing is read')),
      },
      statistics: () => Promise.resolve(new Map()),
    },
    {
      ledger: before,
      list: NO_LIST,
      waiting: NO_PENDING_RETRIES,
      plan: { ...POLL, readings: READINGS_OFF },
    },
    new AbortController().signal,
  )
  expect(list.finished?.missing.size).toBe(COMPUTES - 1)
  expect(clock.yields()).toBeGreaterThanOrEqual(5)
  expect(most).toBeLessThanOrEqual(2 * COMPUTES)
})
