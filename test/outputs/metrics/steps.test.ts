// A large snapshot is made text in steps: what waits for the event loop waits no longer than one of them.
import { expect, test } from 'vitest'
import { newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import { createSnapshotBuilder } from '../../../src/daemon/snapshot/snapshot.ts'
import { newPassState } from '../../../src/daemon/pass/pass-state.ts'
import { collectSamples } from '../../../src/outputs/metrics/collect/collect.ts'
import { createRenderer } from '../../../src/outputs/metrics/exposition/renderer.ts'
import type { Samples } from '../../../src/outputs/metrics/exposition/samples.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { createOwners } from '../../../src/model/policy/owner.ts'
import type { ComputeView, Snapshot } from '../../../src/model/output/snapshot.ts'
import { runSync } from '../../../src/std/cooperative.ts'
import { seconds } from '../../../src/model/units.ts'
import { at, ledger, look, preset, prices } from '../../support/build.ts'
import { FACTS } from '../../support/exposed.ts'
import { mostInOneStep } from '../../support/walked.ts'

const COMPUTES = 8000
/** What a step may look at. */
const MOST = 2000

const accounts = Array.from({ length: COMPUTES }, (_, index) => {
  const [projectId, endpointId] = [`project-${index}`, `ep-${index}`]
  return newComputeEntry(
    { account: 'main', projectId, endpointId },
    look(0, { projectId, endpointId }),
    false,
  )
})

const taken: Snapshot = runSync(
  createSnapshotBuilder()(
    [
      {
        state: newPassState(ledger({ computes: new Map(accounts.map((one) => [computeKey(one.ref), one])) })),
        prices,
        preset,
      },
    ],
    {
      now: at(60),
      version: 1,
      passSeconds: seconds(1),
      staleAfter: seconds(600),
      activityLag: seconds(60),
      owners: createOwners([]),
    },
  ),
)

/** `view` that tells `look` of each look at one of its `fields`. */
const watched = (view: ComputeView, fields: readonly (keyof ComputeView)[], seen: () => void): ComputeView =>
  Object.defineProperties(
    { ...view },
    Object.fromEntries(
      fields.map((field) => [
        field,
        {
          get: () => {
            seen()
            return view[field]
          },
        },
      ]),
    ),
  )

test.each([
  ['few of many', 1000],
  ['all', 10_000_000],
])('samples of %s are collected in steps', (_, maxSeries) => {
  let count = 0
  const seen = (): void => {
    count += 1
  }
  const computes = taken.computes.map((view) => watched(view, ['state'], seen))
  expect(
    mostInOneStep(collectSamples({ ...taken, computes }, { ...FACTS, maxSeries }), () => count),
  ).toBeLessThanOrEqual(MOST)
  let projects = 0
  const told = taken.computes.map((view) =>
    watched(view, ['project'], () => {
      projects += 1
    }),
  )
  const steps = collectSamples({ ...taken, computes: told }, { ...FACTS, maxSeries })
  expect(mostInOneStep(steps, () => projects)).toBeLessThanOrEqual(MOST)
})

test('a family of many series is rendered in steps', () => {
  let count = 0
  const labels = new Proxy(
    Array.from({ length: COMPUTES }, (_, index) => [`project-${index}`, 'reading']),
    {
      get: (all, name) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) count += 1
        return Reflect.get(all, name) as unknown
      },
    },
  )
  const samples: Samples = new Map([['wakeupsCaused', { labels, values: labels.map((_, index) => index) }]])
  expect(mostInOneStep(createRenderer()(samples), () => count)).toBeLessThanOrEqual(MOST)
})
