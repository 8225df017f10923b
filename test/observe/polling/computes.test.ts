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

type Shown = Pick<Parameters<typeof readComputes>[1], 'quietUntil' | 'listedOften'>

/** The computes of one project as `listing` has them. */
function read(listing: Listing<Compute>, known: Ledger = ledger(), shown: Partial<Shown> = {}) {
  const clock = { ...fakeClock(), between: () => ({ from: at(0), to: at(1) }) }
  const service = { ...UNASKED, listComputes: () => Promise.resolve(ok(listing)) }
  const input = {
    ledger: known,
    projectIds: ['project-one'],
    quietUntil: () => undefined,
    listedOften: () => undefined,
    ...shown,
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

test.each<readonly [string, Listing<Compute>, boolean]>([
  ['one compute', listingOf(['ep-one']), true],
  ['two computes', listingOf(idsFrom(0, 2)), false],
  ['one and an unreadable one', { ...listingOf(['ep-one']), unread: ['ep-two'] }, false],
  ['one and one without an id', { ...listingOf(['ep-one']), hasUnidentified: true }, false],
])('of a project with %s, the list shows whose activity it is, or not', async (_, listing, isKnown) => {
  const often = { from: at(-600), to: at(0) }
  const { looks } = await read(listing, ledger(), { quietUntil: () => at(-60), listedOften: () => often })
  expect(looks.map(({ listed }) => listed)).toEqual(looks.map(() => (isKnown ? often : undefined)))
})
