// Computes of which no record fits, and computes that only operations tell of.
import { describe, expect, test } from 'vitest'
import type { Ledger } from '../../src/model/ledger/ledger.ts'
import type { ListedComputes, Sweep } from '../../src/model/observation.ts'
import type { Operation } from '../../src/model/service/operation.ts'
import { scoreByUrgency, hasUnexplainedActivity } from '../../src/observe/polling/urgency.ts'
import { accounted, type Accounted } from '../support/accounted.ts'
import { at, ledger, look, operation, prices, project, sweep } from '../support/build.ts'
import { seconds } from '../../src/model/units.ts'

const fold = (known: Ledger, one: Sweep): Accounted =>
  accounted(known, one, { prices, overhead: 0.01, now: one.endedAt })

const listed = (
  when: number,
  endpointIds: readonly string[],
  more: Partial<ListedComputes> = {},
): Pick<Sweep, 'listedComputes'> => ({
  listedComputes: [{ projectId: 'project-one', answeredAt: at(when), endpointIds, ...more }],
})

/** Awake for ten minutes from `from` on. */
const awake = (endpointId: string, from: number): Operation[] =>
  [operation('start_compute', from), operation('suspend_compute', from + 600)].map((one) => ({
    ...one,
    operationId: `${one.operationId}-${endpointId}`,
    endpointId,
  }))

const asleep = look(2000)
const unread = { unreadable: ['ep-odd'] }
const first = sweep(2000, {
  ...listed(2000, ['ep-one', 'ep-odd'], unread),
  looks: [asleep],
  operations: awake('ep-odd', 100),
})

const accountOf = ({ rows }: Accounted, endpointId: string) =>
  rows.computes.find(({ ref }) => ref.endpointId === endpointId)

describe('a compute whose record does not fit', () => {
  test('is there, though unknown: neither found nor deleted', () => {
    const { ledger: known, events } = fold(ledger(), first)
    expect([...known.computes.keys()]).toEqual(['main/project-one/ep-one'])
    expect(known.projects.get('project-one')?.listed).toMatchObject({
      endpointIds: ['ep-one', 'ep-odd'],
      unreadable: ['ep-odd'],
    })
    expect(events.map(({ kind }) => kind)).toEqual(['compute-found'])
  })

  test('is found once it fits, with all of its history, and once only', () => {
    const known = fold(ledger(), first).ledger
    const seen = look(2600, { endpointId: 'ep-odd' })
    const later = fold(
      known,
      sweep(2600, {
        ...listed(2600, ['ep-one', 'ep-odd']),
        looks: [look(2600), seen],
        operations: awake('ep-odd', 100),
      }),
    )
    expect(accountOf(later, 'ep-odd')?.totals).toMatchObject({ awake: { likely: 600_000 }, wakes: 1 })
    expect(later.events).toMatchObject([{ kind: 'compute-found', ref: { endpointId: 'ep-odd' } }])
    expect(later.ledger.projects.get('project-one')?.listed?.unreadable).toBeUndefined()
  })

  test('that fitted before is not gone, and nobody is while a record does not even tell its id', () => {
    const known = fold(ledger(), sweep(2000, { ...listed(2000, ['ep-one']), looks: [asleep] })).ledger
    const named = fold(known, sweep(2600, listed(2600, ['ep-one'], { unreadable: ['ep-one'] })))
    const unnamed = fold(known, sweep(2600, listed(2600, [], { partial: true })))
    for (const { ledger: after } of [named, unnamed]) {
      expect(after.computes.get('main/project-one/ep-one')?.deletedAt).toBeUndefined()
      expect(after.projects.get('project-one')?.listed).toMatchObject({
        endpointIds: ['ep-one'],
        unreadable: ['ep-one'],
      })
    }
    const gone = fold(unnamed.ledger, sweep(3200, listed(3200, [])))
    expect(gone.ledger.computes.get('main/project-one/ep-one')?.deletedAt).toBe(at(3200))
  })

  test('takes no more looks than others: it waits for its turn by age', () => {
    const running = { state: 'active', startedAt: at(1900), lastActive: at(1990) } as const
    const known = fold(
      ledger(),
      sweep(2000, { ...listed(2000, ['ep-one']), looks: [look(2000, running)] }),
    ).ledger
    const bad = fold(known, sweep(2060, listed(2060, ['ep-one'], { unreadable: ['ep-one'] }))).ledger
    const active = project({ computeLastActiveAt: at(2900) })
    expect(hasUnexplainedActivity(active, bad.projects.get('project-one'), bad)).toBe(false)
    const fleet = {
      ledger: bad,
      changed: new Map(),
      unexplainedActivity: new Map(),
      lost: [],
      readAt: new Map(),
      failed: new Map(),
      listLag: seconds(60),
    }
    const wishedAt = (when: number) =>
      Object.entries(scoreByUrgency(fleet, seconds(900), at(when))).flatMap(([urgency, { size }]) =>
        size > 0 ? [urgency] : [],
      )
    expect([wishedAt(2900), wishedAt(2961)]).toEqual([[], ['age']])
  })
})

const sums = ({ ledger: { computes, deleted } }: Accounted) =>
  [...computes.values()].reduce((sum, { totals }) => sum + totals.awake.likely, 0) +
  [...deleted.values()].reduce((sum, one) => sum + one.awake.likely, 0)

describe('a compute that was created and deleted between two looks', () => {
  const known = fold(ledger(), sweep(2000, { ...listed(2000, ['ep-one']), looks: [asleep] })).ledger

  test('is counted by its operations, at an unknown size, and not told of', () => {
    const next = fold(
      known,
      sweep(5000, { ...listed(5000, ['ep-one']), looks: [look(5000)], operations: awake('ep-short', 3000) }),
    )
    const short = accountOf(next, 'ep-short')
    expect(short?.totals).toMatchObject({ awake: { low: 599_000, likely: 600_000, high: 601_000 }, wakes: 1 })
    expect(short?.deletedAt).toBeDefined()
    expect(next.events).toEqual([])
  })

  const read = (when: number, before: Ledger) =>
    fold(
      before,
      sweep(when, {
        ...listed(when, ['ep-one']),
        looks: [look(when)],
        operations: awake('ep-short', 3000),
      }),
    )
  test('is counted once, however often its operations are read, also when it is long gone', () => {
    const once = read(5000, known)
    const twice = read(5600, once.ledger)
    const departed = read(3 * 86_400, twice.ledger)
    const again = read(3 * 86_400 + 600, departed.ledger)
    expect([once, twice, departed, again].map(sums)).toEqual([600_000, 600_000, 600_000, 600_000])
    expect(departed.ledger.computes.size).toBe(1)
    expect(again.rows.computes.map(({ ref }) => ref.endpointId)).not.toContain('ep-short')
  })

  // Its edges are known to a second or two, and its start may be done before the operations are read.
  test.each([5000, 4998])(
    'is not taken for deleted when it was created after the list was read, at %i',
    (askedAt) => {
      const race = fold(
        known,
        sweep(5000, {
          ...listed(5000, ['ep-one'], { askedAt: at(askedAt) }),
          looks: [look(5000)],
          operations: [operation('start_compute', askedAt, { endpointId: 'ep-young' })],
        }),
      )
      expect(accountOf(race, 'ep-young')).toBeUndefined()
      const seen = look(5060, { endpointId: 'ep-young', state: 'active', startedAt: at(askedAt) })
      const next = fold(
        race.ledger,
        sweep(5060, {
          ...listed(5060, ['ep-one', 'ep-young']),
          looks: [seen],
          operations: [operation('start_compute', askedAt, { endpointId: 'ep-young' })],
        }),
      )
      expect(accountOf(next, 'ep-young')?.totals.wakes).toBe(1)
      expect(next.events).toMatchObject([{ kind: 'compute-found', ref: { endpointId: 'ep-young' } }])
    },
  )
})
