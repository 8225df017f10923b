import { expect, test } from 'vitest'
import { newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import type { Listing } from '../../../src/model/ports/service.ts'
import { computeKey, type Compute } from '../../../src/model/service/compute.ts'
import { readComputes } from '../../../src/observe/polling/computes.ts'
import { ok } from '../../../src/std/result.ts'
import { at, compute, ledger, look } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { UNASKED } from '../../support/unasked.ts'
import { openGate } from '../open-gate.ts'

const idsFrom = (first: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `ep-${first + index}`)

/** The computes of one project as `listing` has them. */
function read(listing: Listing<Compute>, known: Ledger = ledger()) {
  const clock = { ...fakeClock(), between: () => ({ from: at(0), to: at(1) }) }
  const service = { ...UNASKED, listComputes: () => Promise.resolve(ok(listing)) }
  const input = {
    ledger: known,
    projectIds: ['project-one'],
    quietUntil: () => undefined,
    waiting: new Map(),
    missing: new Set<string>(),
  }
  return readComputes({ clock, service }, input, openGate(clock))
}
const listingOf = (ids: readonly string[]): Listing<Compute> => ({
  items: ids.map((endpointId) => compute({ endpointId })),
  problems: [],
})

test('a sweep adds 2,000 computes, and those that are known are looked at beside them', async () => {
  const knownIds = idsFrom(0, 3)
  const entries = knownIds.map((endpointId) => {
    const ref = { account: ledger().account, projectId: compute().projectId, endpointId }
    return [computeKey(ref), newComputeEntry(ref, look(0, { endpointId }), false)] as const
  })
  const { looks, listed, problems } = await read(
    listingOf([...idsFrom(10, 7000), ...knownIds]),
    ledger({ computes: new Map(entries) }),
  )
  const ids = looks.map((one) => one.compute.endpointId)
  expect(ids).toEqual([...idsFrom(10, 2000), ...knownIds])
  expect(listed[0]).toMatchObject({ endpointIds: { length: 2003 }, partial: true })
  expect(problems.map(({ message }) => message)).toEqual([
    'new computes wait for a later pass: at most 2000 are added by one, and 200000 in all',
  ])
})

test('of unreadable computes a thousand ids are remembered, and the list is partial', async () => {
  const few = await read({ items: [], problems: ['no'], unread: idsFrom(0, 1000) })
  expect(few.listed[0]).toMatchObject({ unreadable: { length: 1000 }, partial: false })
  const many = await read({ items: [], problems: ['no'], unread: idsFrom(0, 1001) })
  expect(many.listed[0]).toMatchObject({ unreadable: { length: 1000 }, partial: true })
})
