// One record of a list is whatever a service may send by mistake: nobody else's account may notice.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ComputeEntry, Ledger } from '../../src/model/ledger/ledger.ts'
import type { Service } from '../../src/model/ports/service.ts'
import { failed, ok, type Result } from '../../src/std/result.ts'
import type { ServiceError } from '../../src/model/service/service-error.ts'
import { toIso } from '../../src/model/time.ts'
import { seconds } from '../../src/model/units.ts'
import { NO_LIST, NO_PENDING_RETRIES, observe, type SweepStart } from '../../src/observe/sweep.ts'
import { decodeComputes, decodeOperations, decodeProjects } from '../../src/service/wire/decode.ts'
import { compute, operation, project } from '../service/records.ts'
import { accounted } from '../support/accounted.ts'
import { at, ledger, prices } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { POLL } from '../support/poll.ts'
import { checkSlowly } from '../support/property.ts'
import { UNASKED } from '../support/unasked.ts'

type Wire = Readonly<Record<string, unknown>>
type Kind = 'projects' | 'endpoints' | 'operations'
type World = Readonly<Record<Kind, readonly Wire[]>>

const iso = (when: number): string => toIso(at(when))
const places = [0, 1, 2].flatMap((place) => [0, 1].map((side) => ({ place, side })))
const projectIdOf = (place: number): string => `project-${place}`
const endpointIdOf = (place: number, side: number): string => `ep-${place}-${side}`

/** Three projects of two computes: one slept for a day, the other is awake. */
const WORLD: World = {
  projects: [0, 1, 2].map((place) => ({
    ...project,
    id: projectIdOf(place),
    updated_at: iso(-86_400),
    created_at: iso(-86_400),
    cpu_used_sec: 0,
  })),
  endpoints: places.map(({ place, side }) => ({
    ...compute,
    id: endpointIdOf(place, side),
    project_id: projectIdOf(place),
    current_state: side === 0 ? 'idle' : 'active',
    created_at: iso(-86_400),
    updated_at: iso(-86_400),
    started_at: iso(-7200 + 60 * side),
    suspended_at: iso(-7000),
    last_active: iso(side === 0 ? -7100 : -30),
    suspend_timeout_seconds: 300,
  })),
  operations: places.flatMap(({ place, side }) =>
    ['start_compute', 'suspend_compute'].slice(0, 2 - side).map((action, index) => ({
      ...operation,
      id: `op-${place}-${side}-${index}`,
      project_id: projectIdOf(place),
      endpoint_id: endpointIdOf(place, side),
      action,
      status: 'finished',
      created_at: iso(index === 0 ? -7200 + 60 * side : -7000),
      updated_at: iso(index === 0 ? -7200 + 60 * side : -7000),
    })),
  ),
}

const answer = <Value>(decoded: Result<Value, readonly string[]>): Promise<Result<Value, ServiceError>> =>
  Promise.resolve(decoded.ok ? decoded : failed({ kind: 'malformed', problems: decoded.error }))

function serviceOf(world: World): Service {
  /** Which record is in which project's list, the bad one too, is the service's to know. */
  const of = (kind: Kind, projectId: string): readonly Wire[] =>
    world[kind].filter((one, index) => (WORLD[kind][index] ?? one)['project_id'] === projectId)
  return {
    ...UNASKED,
    listProjectsPage: () => {
      const page = decodeProjects({ projects: world.projects.filter(isSent) })
      return answer(page.ok ? ok({ ...page.value, next: undefined }) : page)
    },
    listComputes: (id) => answer(decodeComputes({ endpoints: of('endpoints', id).filter(isSent) }, id)),
    listOperations: (id) => answer(decodeOperations({ operations: of('operations', id).filter(isSent) }, id)),
  }
}

/** In place of a record that is not sent at all. */
const NOT_SENT: Wire = {}
const isSent = (one: Wire): boolean => one !== NOT_SENT

const withRecord = (kind: Kind, index: number, record: Wire): World => ({
  ...WORLD,
  [kind]: WORLD[kind].map((one, place) => (place === index ? record : one)),
})

const nothingLearned = () => Promise.resolve(new Map<string, never>())

/** Two sweeps, more than the oldest age a look may become apart. */
async function watched(
  world: World,
): Promise<{ readonly known: Ledger; readonly problems: readonly string[] }> {
  const clock = fakeClock()
  const plan = { ...POLL, readings: NO_READINGS }
  let start: SweepStart = { ledger: ledger(), list: NO_LIST, waiting: NO_PENDING_RETRIES, plan }
  const problems: string[] = []
  for (const _ of [1, 2]) {
    // oxlint-disable-next-line no-await-in-loop -- one sweep after the other
    const seen = await observe(
      { clock, service: serviceOf(world), readings: UNREAD, statistics: nothingLearned },
      start,
      RUNNING,
    )
    for (const { where, message } of seen.problems) problems.push(`${where}: ${message}`)
    const after = accounted(start.ledger, seen, { prices, overhead: 0, now: clock.now() }).ledger
    start = { ledger: after, list: seen.list, waiting: seen.retries, plan }
    // oxlint-disable-next-line no-await-in-loop -- the same
    await clock.advance(seconds(1200))
  }
  return { known: start.ledger, problems }
}

const UNREAD = {
  refusalOf: () => 'no-dsn' as const,
  prepare: () => Promise.resolve(undefined),
  evict: () => undefined,
  read: () => Promise.reject(new Error('nobody reads')),
}
const RUNNING = new AbortController().signal
const NO_READINGS = {
  mode: 'off',
  activityLag: seconds(60),
  deadline: seconds(5),
  minInterval: seconds(300),
  maxConcurrent: 1,
} as const

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, 7, -1, 1e308, true, '', [], {}, '../..', '__proto__', 'ep-', '0', [[[[]]]]),
  fc.constantFrom<unknown>('9999-12-31T23:59:59Z', '0000-01-01T00:00:00Z', 'x'.repeat(200_000)),
  fc.string(),
  fc.double(),
)

type Mutation = { readonly kind: Kind; readonly index: number; readonly record: Wire }

const mutation: fc.Arbitrary<Mutation> = fc
  .constantFrom<Kind>('projects', 'endpoints', 'operations')
  .chain((kind) => fc.record({ kind: fc.constant(kind), index: fc.nat(WORLD[kind].length - 1) }))
  .chain(({ kind, index }) => {
    const record = WORLD[kind][index] ?? {}
    const field = fc.constantFrom(...Object.keys(record))
    const without = field.map((name) =>
      Object.fromEntries(Object.entries(record).filter(([key]) => key !== name)),
    )
    const other = fc.tuple(field, anything).map(([name, value]) => ({ ...record, [name]: value }))
    const stranger = fc
      .constantFrom(...places)
      .map(({ place }) => ({ ...record, project_id: projectIdOf(place) }))
    return fc.oneof(without, other, stranger).map((changed) => ({ kind, index, record: changed }))
  })

/** Whose account the record of `mutation` is about. */
function concerned({ kind, index }: Mutation): (key: string) => boolean {
  const one = WORLD[kind][index]
  if (kind === 'projects') return (key) => key.startsWith(`main/${String(one?.['id'])}/`)
  return (key) => key.endsWith(`/${String(one?.[kind === 'endpoints' ? 'id' : 'endpoint_id'])}`)
}

/** An operation that does not tell whose it is may be that of any compute of its project, which is then less sure. */
function isDoubted({ kind, index, record }: Mutation, key: string): boolean {
  const isTold = /^ep-[\w-]+$/.test(String(record['endpoint_id']))
  return (
    kind === 'operations' && !isTold && key.startsWith(`main/${String(WORLD[kind][index]?.['project_id'])}/`)
  )
}

const likely = ({ totals, counters }: ComputeEntry) => [totals.awake.likely, counters]

/** Whether it may be a record of the list it is in, though of somebody else. */
function isFit({ kind, index, record }: Mutation): boolean {
  const body = { [kind]: [record] }
  if (kind !== 'projects' && record['project_id'] !== WORLD[kind][index]?.['project_id']) return false
  const asked = String(WORLD[kind][index]?.['project_id'])
  const decoded = {
    projects: () => decodeProjects(body),
    endpoints: () => decodeComputes(body, asked),
    operations: () => decodeOperations(body, asked),
  }[kind]()
  return decoded.ok && decoded.value.problems.length === 0
}

const KNOWN = new Set(
  places.map(({ place, side }) => `main/${projectIdOf(place)}/${endpointIdOf(place, side)}`),
)

test('one bad record changes the account of nobody else, makes nobody up, and is named', async () => {
  await checkSlowly(
    fc.asyncProperty(mutation, async (mutated) => {
      const { kind, index, record } = mutated
      const bad = await watched(withRecord(kind, index, record))
      const without = await watched(withRecord(kind, index, NOT_SENT))
      const isConcerned = concerned(mutated)
      const others = ({ computes }: Ledger): readonly string[] =>
        [...computes].flatMap(([key, one]) =>
          KNOWN.has(key) && !isConcerned(key)
            ? [JSON.stringify(isDoubted(mutated, key) ? likely(one) : one)]
            : [],
        )
      expect(others(bad.known)).toEqual(others(without.known))
      expect(others(bad.known).length).toBeGreaterThanOrEqual(4)
      if (isFit(mutated)) return
      expect(bad.problems.join('\n')).toMatch(/(projects|endpoints|operations)\[\d|: project_id: expected/)
      expect([...bad.known.computes.keys()].filter((key) => !KNOWN.has(key))).toEqual([])
      const gone = [...bad.known.computes].filter(
        ([key, { deletedAt }]) => isConcerned(key) && deletedAt !== undefined,
      )
      expect(gone).toEqual([])
    }),
    200,
  )
})
