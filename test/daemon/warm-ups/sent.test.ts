// What came of warm-ups: counted once each, however long it takes.
import { describe, expect, test } from 'vitest'
import { loadSentWarmUps } from '../../../src/daemon/warm-ups/sent.ts'
import { newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import { computeKey, type Compute } from '../../../src/model/service/compute.ts'
import type { Instant } from '../../../src/model/units.ts'
import { at, ledger, look } from '../../support/build.ts'
import { memoryStore } from '../../support/memory-store.ts'

const REF = { account: 'main', projectId: 'project-one', endpointId: 'ep-one' }
const HOUR = 3600
const SENT_AT = at(0)
const STARTED: Partial<Compute> = {
  state: 'active',
  startedAt: at(1),
  lastActive: at(1),
  suspendedAt: at(-HOUR),
}

/** A warm-up, and looks at its compute in order; the daemon may be started anew before one. */
async function countsAfter(looks: readonly (readonly [seconds: number, seen: Partial<Compute>])[]) {
  const store = memoryStore()
  let now: Instant = SENT_AT
  const load = () =>
    loadSentWarmUps({
      account: 'main',
      store: store.account('main'),
      epoch: store.epoch,
      history: store,
      now: () => now,
    })
  const sent = await load()
  await sent.add(REF, SENT_AT)
  for (const [seconds, seen] of looks) {
    now = at(seconds)
    const entry = newComputeEntry(REF, look(seconds, seen), false)
    // oxlint-disable-next-line no-await-in-loop -- in order
    await (await load()).follow(ledger({ computes: new Map([[computeKey(REF), entry]]) }))
  }
  const { counts, waiting } = await load()
  return { counts: counts(), isWaiting: waiting().size > 0 }
}

describe('a warm-up', () => {
  test.each<[what: string, looks: Parameters<typeof countsAfter>[0], result: unknown]>([
    ['waits for a client', [[60, STARTED]], 'waits'],
    [
      'is used',
      [
        [60, STARTED],
        [120, { ...STARTED, lastActive: at(100) }],
      ],
      'used',
    ],
    [
      'is used hours later, where the delay is long',
      [
        [60, STARTED],
        [3 * HOUR, STARTED],
        [4 * HOUR, { ...STARTED, lastActive: at(4 * HOUR - 60) }],
      ],
      'used',
    ],
    [
      'is not used',
      [
        [60, STARTED],
        [400, { ...STARTED, state: 'idle', suspendedAt: at(301) }],
      ],
      'unused',
    ],
    [
      'is not used, which is seen hours later',
      [
        [60, STARTED],
        [5 * HOUR, { ...STARTED, state: 'idle', suspendedAt: at(2 * HOUR) }],
      ],
      'unused',
    ],
    [
      'starts nothing',
      [
        [60, { state: 'idle' }],
        [200, { state: 'idle' }],
      ],
      'failed',
    ],
  ])('%s', async (_, looks, result) => {
    const counts = { used: 0, unused: 0, failed: 0, ...(result !== 'waits' && { [String(result)]: 1 }) }
    expect(await countsAfter(looks)).toEqual({ counts, isWaiting: result === 'waits' })
  })

  test('whose result never shows is forgotten after the longest delay', async () => {
    const still = await countsAfter([
      [60, STARTED],
      [7 * 24 * HOUR, STARTED],
    ])
    expect(still).toEqual({ counts: { used: 0, unused: 0, failed: 0 }, isWaiting: true })
    const over = await countsAfter([
      [60, STARTED],
      [9 * 24 * HOUR, STARTED],
    ])
    expect(over).toEqual({ counts: { used: 0, unused: 0, failed: 0 }, isWaiting: false })
  })
})
