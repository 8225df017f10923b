// Lists longer than the client lets them be: more items than a call may have arguments.
import { openGate } from './open-gate.ts'
import { expect, test } from 'vitest'
import { groupFactsByCompute } from '../../src/ledger/facts.ts'
import { placeholderLookOfDeleted } from '../../src/ledger/backfill.ts'
import type { Service } from '../../src/model/ports/service.ts'
import { ok } from '../../src/std/result.ts'
import { readProjectList } from '../../src/observe/polling/project-list.ts'
import { NO_LIST, NO_PENDING_RETRIES, observe } from '../../src/observe/sweep.ts'
import { readPages } from '../../src/service/pages.ts'
import { at, compute, ledger, operation, project, sweep } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { NO_HISTORY } from '../support/no-history.ts'
import { POLL } from '../support/poll.ts'
import { UNASKED } from '../support/unasked.ts'
import { longTest } from '../support/tiers.ts'

const MANY = 200_000
const running = new AbortController().signal
const many = <Item>(item: (index: number) => Item): Item[] =>
  Array.from({ length: MANY }, (_, index) => item(index))
const lines = many((index) => `[${index}]: expected an object`)

const never = (): never => {
  throw new Error('nobody stores anything')
}

const portsOf = (service: Partial<Service>) => ({
  clock: fakeClock(),
  random: { unit: () => 0.5, uuid: () => '' },
  service: { ...UNASKED, ...service },
  readings: {
    refusalOf: () => 'no-dsn' as const,
    prepare: () => Promise.resolve(undefined),
    evict: () => undefined,
    read: () => Promise.reject(new Error('nobody reads')),
  },
  store: { load: never, commit: never, close: never },
  statistics: () => Promise.resolve(new Map()),
  history: NO_HISTORY,
  send: () => Promise.resolve([]),
})

const plan = {
  ...POLL,
  readings: {
    mode: 'off',
    activityLag: POLL.listLag,
    deadline: POLL.listLag,
    minInterval: POLL.listLag,
    maxConcurrent: 1,
  },
} as const

longTest(
  'a project of very many computes and operations, as many of which do not fit, is observed',
  async () => {
    const ports = portsOf({
      listProjectsPage: () => Promise.resolve(ok({ items: [project()], problems: [], next: undefined })),
      listComputes: () =>
        Promise.resolve(
          ok({ items: many((index) => compute({ endpointId: `ep-${index}` })), problems: lines }),
        ),
      listOperations: () =>
        Promise.resolve(ok({ items: many((index) => operation('start_compute', index)), problems: lines })),
    })
    const seen = await observe(
      ports,
      { ledger: ledger(), list: NO_LIST, waiting: NO_PENDING_RETRIES, plan },
      running,
    )
    expect([seen.looks.length, seen.operations.length, seen.problems.length]).toEqual([
      2000,
      MANY,
      2 * MANY + 1,
    ])
  },
)

test('a page of projects none of which fits is read', async () => {
  const { service, clock } = portsOf({
    listProjectsPage: () => Promise.resolve(ok({ items: [], problems: lines, next: undefined })),
  })
  const read = await readProjectList(
    { clock, service },
    { ledger: ledger(), progress: NO_LIST, most: 1, listLag: POLL.listLag, interval: POLL.interval },
    openGate(clock),
  )
  expect(read.problems).toHaveLength(MANY)
})

test('pages whose records do not fit are read', async () => {
  const read = await readPages({
    idOf: String,
    fetch: () => Promise.resolve(ok({ items: [], problems: lines, cursor: undefined, size: MANY })),
  })
  expect(read.ok && read.value.problems).toHaveLength(101)
})

test('a compute that only very many operations tell of is dated by them', () => {
  const operations = many((index) => operation('create_branch', index))
  const listed = [{ projectId: 'project-one', answeredAt: at(2 * MANY), endpointIds: [] }]
  const told = groupFactsByCompute(ledger(), sweep(2 * MANY, { listedComputes: listed, operations }), {
    projects: new Map(),
    now: at(2 * MANY),
  })
  const [facts] = told.values()
  if (!facts?.deletion) throw new Error('a compute that is not listed is gone')
  const { compute: last } = placeholderLookOfDeleted(facts, facts.deletion.from)
  expect([last.createdAt, last.updatedAt]).toEqual([at(0), at(MANY)])
})
