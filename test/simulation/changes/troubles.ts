// Troubles of one seed: of the service, of the store, of the clock of the daemon's machine, and when its processes end.
import type { Random } from '../../../src/model/ports/clock.ts'
import type { Fault } from '../faults/faults.ts'
import type { MachineTroubles } from '../machine.ts'
import { drawPause, pick } from './lives.ts'
import { drawFaults } from './network.ts'

/** Seconds since the start. */
type Span = Readonly<{ from: number; to: number }>

export type Troubles = Readonly<{
  faults: readonly Fault[]
  /** Chance of a fault of a request that changes something. */
  chance: number
  /** The store takes no writes. */
  full: readonly Span[]
  machine: MachineTroubles
}>

const HOUR = 3600

/** @param span seconds, after which nothing is wrong */
export function drawTroubles(random: Random, span: number): Troubles {
  return {
    faults: drawFaults(random, span),
    chance: pick(random, [0.2, 0.5, 0.7]),
    full: drawSpans(random, span),
    machine: {
      skew: pick(random, [0, 0, 40, -90]),
      steps: random.unit() < 0.5 ? drawSteps(random, span) : [],
    },
  }
}

function drawSpans(random: Random, span: number): readonly Span[] {
  const spans: Span[] = []
  for (let from = drawPause(random, [5000, 60_000]); from < span; from += drawPause(random, [10_000, 80_000]))
    spans.push({ from, to: Math.min(span, from + drawPause(random, [10, 900])) })
  return spans
}

/** Set by an hour, and back after a while. */
function drawSteps(random: Random, span: number) {
  const at = drawPause(random, [1000, span / 2])
  const by = pick(random, [HOUR, -HOUR])
  return [
    { at, by },
    { at: Math.min(span, at + drawPause(random, [600, 20_000])), by: 0 },
  ]
}
