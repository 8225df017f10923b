import { expect, test } from 'vitest'
import { suspensionGaps } from '../../../src/ledger/rollup/gaps.ts'
import type { Edge } from '../../../src/model/ledger/evidence.ts'
import type { SettledInterval } from '../../../src/model/ledger/ledger.ts'
import { instant, millis } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'

/** An edge at `when`, give or take `doubt` seconds. */
const edge = (when: number, doubt = 0): Edge => ({
  earliest: at(when - doubt),
  likely: at(when),
  latest: at(when + doubt),
  source: doubt > 0 ? 'poll' : 'record',
})

type Ended = Pick<SettledInterval, 'interval' | 'idleTail'>

const interval = (from: Edge, to: Edge, over: { restart?: boolean; tail?: number } = {}): Ended => ({
  interval: { from, to, knownUntil: instant(to.likely), restart: over.restart ?? false },
  idleTail: millis((over.tail ?? 0) * 1000),
})

test.each([
  ['nothing', [], []],
  ['one interval', [interval(edge(0), edge(60))], []],
  ['exact edges', [interval(edge(0), edge(60), { tail: 20 }), interval(edge(100), edge(200))], [[60, 60]]],
  [
    'edges seen between looks',
    [interval(edge(0), edge(60, 30), { tail: 20 }), interval(edge(200, 10), edge(300))],
    [[120, 200]],
  ],
  [
    'edges that may touch',
    [interval(edge(0), edge(60, 30), { tail: 20 }), interval(edge(80, 30), edge(300))],
    [[20, 100]],
  ],
  ['a restart', [interval(edge(0), edge(60)), interval(edge(61), edge(200), { restart: true })], []],
])('gaps between %s', (_, intervals, gaps) => {
  expect(suspensionGaps(intervals)).toEqual(
    gaps.map(([low = 0, high = 0]) => ({ low: low * 1000, high: high * 1000 })),
  )
})
