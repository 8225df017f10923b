// What a compute takes: stated in config/README.md, held here.
import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MAX_GAPS } from '../../src/model/ledger/gap.ts'
import { COARSE_STEP, FINE_STEP, type Rollup } from '../../src/model/ledger/rollup.ts'
import { seconds, type Seconds } from '../../src/model/units.ts'
import { renderArchivedJson } from '../../src/outputs/report/formats/json.ts'
import { openEmbeddedStore } from '../../src/store/sqlite/embedded.ts'
import { FLEETS, inputOf, told } from '../outputs/report/fleets.ts'
import { seeded } from '../simulation/seeded.ts'
import { at } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { computeOf, dayAt, gapAt, intervalAt, recommendationOf, refOf, rollupAt, settingAt } from './build.ts'
import { eachInItsFolder } from './folder.ts'
import { put, type Rows } from '../support/writes.ts'

const { folder, file } = eachInItsFolder()

const DAY = 86_400
const COMPUTES = 10
const names = Array.from({ length: COMPUTES }, (_, index) => `ep-purple-meadow-a1b2c3d${index}`)
const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index)

/** KiB per compute that `part` of each adds to the file. */
async function kibibytes(part: (endpointId: string) => Partial<Rows>): Promise<number> {
  const clock = fakeClock()
  await clock.advance(seconds(93 * DAY))
  const store = openEmbeddedStore(folder(), clock)
  await put(store, { computes: names.map((name) => computeOf(name)) })
  await store.close()
  const before = statSync(file()).size
  const again = openEmbeddedStore(folder(), clock)
  for (const name of names) {
    // oxlint-disable-next-line no-await-in-loop -- as many commits as a daemon makes
    await put(again, part(name))
  }
  await again.close()
  return (statSync(file()).size - before) / 1024 / COMPUTES
}

const rollups = (
  name: string,
  { days, length }: { readonly days: number; readonly length: Seconds },
): Rollup[] =>
  numbers((days * DAY) / length).map((index) =>
    rollupAt(refOf(name), (93 - days) * DAY + index * length, length),
  )

test('a compute that never sleeps and is read all the time takes 2.1 MiB of rollups', async () => {
  const taken = await kibibytes((name) => ({
    rollups: [
      ...rollups(name, { days: 14, length: FINE_STEP }),
      ...rollups(name, { days: 93, length: COARSE_STEP }),
    ],
  }))
  expect(taken).toBeLessThan(2150)
})

/** Ten times ten minutes a day, each in an hour of its own. */
const busy = (rollup: Rollup, index: number): boolean =>
  rollup.length === FINE_STEP ? index % 288 < 30 : index % 24 < 10

test('one that wakes ten times a day for ten minutes takes 660 KiB with all its history', async () => {
  const taken = await kibibytes((name) => ({
    rollups: [
      ...rollups(name, { days: 14, length: FINE_STEP }).filter(busy),
      ...rollups(name, { days: 93, length: COARSE_STEP }).filter(busy),
    ],
    settled: numbers(930).map((index) => intervalAt(refOf(name), index * 8640)),
    days: numbers(93).map((index) => dayAt(refOf(name), index)),
  }))
  expect(taken).toBeLessThan(660)
})

test('all the gaps of a compute take 64 KiB', async () => {
  // in order of time: pages fill as they do when many computes are awake
  const gaps = numbers(MAX_GAPS).flatMap((index) =>
    names.map((name, nth) =>
      gapAt(refOf(name), (92 - 34) * DAY + index * 1200, {
        low: seconds(60 + ((index * 7919 + nth) % 30_000)),
        hiddenBelow: seconds(index % 2 === 0 ? 0 : 300),
      }),
    ),
  )
  expect(await kibibytes((name) => (name === names[0] ? { gaps } : {}))).toBeLessThan(64)
})

test('what recommendations of a compute rest on takes 6 KiB more without its gaps', async () => {
  const taken = await kibibytes((name) => ({
    settings: numbers(10).map((index) => settingAt(refOf(name), index * DAY, seconds(300))),
    recommendations: numbers(3).map((index) => recommendationOf(refOf(name), index)),
    advice: [{ ref: refOf(name), evaluatedAt: at(0), withheld: [], made: { delay: 3 } }],
  }))
  expect(taken).toBeLessThan(6)
})

test('the entry of a sleeping compute takes 5 KiB', async () => {
  const taken = await kibibytes((name) => ({
    computes: numbers(50).map((index) => computeOf(`${name}-${index}`)),
  }))
  expect(taken / 50).toBeLessThan(5)
})

test('a report of a thousand computes that were awake takes 110 KiB', async () => {
  const random = seeded(5)
  const text = (length: number): string =>
    numbers(length)
      .map(() => Math.floor(random.unit() * 36).toString(36))
      .join('')
  const computes = numbers(1000).map(() => ({
    endpointId: `ep-purple-meadow-${text(8)}`,
    projectId: `quiet-river-${text(8)}`,
    hours: 0.01 + random.unit() * 20,
    hoursBefore: random.unit() * 20,
    unsure: random.unit() / 4,
    wakes: Math.floor(random.unit() * 50),
  }))
  const report = told(inputOf({ ...FLEETS.busy, computes }))
  const slot = { id: report.slot.id, from: at(0), to: at(7 * DAY), late: false }
  const json = renderArchivedJson(report)
  const taken = await kibibytes((name) => ({
    reports: [{ account: 'main', slot: { ...slot, id: `${slot.id}-${name}` }, madeAt: at(93 * DAY), json }],
  }))
  expect(taken).toBeLessThan(110)
})
