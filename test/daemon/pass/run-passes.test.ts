import { pino } from 'pino'
import { expect, test } from 'vitest'
import { newPassState } from '../../../src/daemon/pass/pass-state.ts'
import { runOpeningPass, runPasses } from '../../../src/daemon/pass/run-passes.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { seconds } from '../../../src/model/units.ts'
import { seeded } from '../../simulation/seeded.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { compute, project } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { passPlan } from '../../support/pass-plan.ts'
import { UNASKED } from '../../support/unasked.ts'
import { noRedactor } from '../../support/secrets.ts'

const usual = passPlan()
const plan = { ...usual, sweep: { ...usual.sweep, requests: 240 } }

type SeenTurn = Readonly<{
  /** Pages that were asked for. */
  asked: number
  passes: number
  /** Projects whose operations were asked for. */
  histories: number
  /** What the turn said of them. */
  pastRead: number
}>

const askedAndPasses = (turns: readonly SeenTurn[]) => turns.map(({ asked, passes }) => [asked, passes])

type FirstTurn = Readonly<{
  run: typeof runPasses
  /** Seconds until each page is answered; default 0. */
  pageTakes?: number
}>

/** Three turns over a list of so many pages, a project with a compute on each; the service is out for the last. */
async function threeTurns(
  pages: number,
  { run: first, pageTakes = 0 }: FirstTurn = { run: runPasses },
): Promise<readonly SeenTurn[]> {
  const clock = fakeClock()
  const { signal } = new AbortController()
  const store = memoryStore()
  let [asked, passes, histories, isDown] = [0, 0, 0, false]
  const service: Ports['service'] = {
    ...UNASKED,
    listProjectsPage: async (cursor = '0') => {
      asked += 1
      if (turns.length === 0) await clock.sleep(seconds(pageTakes), signal)
      if (isDown) return failed({ kind: 'unavailable', message: 'down' })
      const next = Number(cursor) + 1
      const items = [project({ projectId: `project-${cursor}` })]
      return ok({ items, problems: [], next: next < pages ? String(next) : undefined })
    },
    listComputes: (projectId) => {
      const endpointId = projectId.replace('project', 'ep')
      return Promise.resolve(ok({ items: [compute({ projectId, endpointId })], problems: [] }))
    },
    listOperations: () => {
      histories += 1
      return Promise.resolve(ok({ items: [], problems: [] }))
    },
  }
  const ports: Ports = {
    redact: noRedactor.redact,
    clock,
    serviceTime: { estimate: () => undefined },
    random: seeded(1),
    service,
    readings: {
      refusalOf: () => 'no-dsn',
      prepare: () => Promise.resolve(undefined),
      evict: () => undefined,
      read: () => Promise.reject(new Error('nobody reads')),
    },
    store: store.account('main'),
    epoch: store.epoch,
    history: NO_HISTORY,
    send: () => Promise.resolve([]),
  }
  let state = newPassState(await store.account('main').load())
  const log = pino({ level: 'silent' })
  const self = { pass: () => void (passes += 1), stage: () => undefined }
  const turns: SeenTurn[] = []
  for (const outage of [false, false, true]) {
    ;[asked, passes, histories, isDown] = [0, 0, 0, outage]
    const around = { log, self, signal }
    const run = turns.length === 0 ? first : runPasses
    const running = run(ports, { before: state, plan }, around)
    // oxlint-disable-next-line no-await-in-loop -- one turn after the other
    await clock.advance(seconds(60))
    // oxlint-disable-next-line no-await-in-loop -- the same
    state = (await running).state
    turns.push({ asked, passes, histories, pastRead: state.persistence.pastRead.length })
  }
  return turns
}

test('a turn over an account whose list fits in a pass is one pass', async () => {
  expect(askedAndPasses(await threeTurns(90))).toEqual([
    [90, 1],
    [90, 1],
    [1, 1],
  ])
})

test('a turn over a longer list is several, each with its part of it, and none after one that failed', async () => {
  expect(askedAndPasses(await threeTurns(150))).toEqual([
    [150, 1],
    [76, 2],
    [1, 1],
  ])
})

test('an opening pass reads the first pages, and the turn after it goes on behind them', async () => {
  expect(askedAndPasses(await threeTurns(150, { run: runOpeningPass }))).toEqual([
    [8, 1],
    [142, 1],
    [1, 1],
  ])
})

test('an opening pass whose answers are slow takes no requests from the turn after it', async () => {
  expect(askedAndPasses(await threeTurns(150, { run: runOpeningPass, pageTakes: 3 }))).toEqual([
    [8, 1],
    [142, 1],
    [1, 1],
  ])
})

test('a turn says of all of its passes whose operations were read for the first time', async () => {
  const [, second, last] = await threeTurns(150)
  expect(second).toMatchObject({ passes: 2, pastRead: second?.histories })
  expect(second?.histories).toBeGreaterThan(1)
  expect(last).toMatchObject({ histories: 0, pastRead: 0 })
})
