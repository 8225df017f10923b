// Sizes on recorded load: the rule that recommendations follow, beside others.
import { createPreset, sizeAtLeast } from '../../src/model/service/sizes.ts'
import { cu } from '../../src/model/units.ts'
import { loadComputeOf, playRule, type LoadFigures } from '../../src/replay/load.ts'
import { SIZE_RULES } from '../../src/replay/size-rules.ts'
import { loadSeriesOf } from './load-series-of.ts'
import type { Figures } from './run.ts'

/** Sizes that each series is played at, CU. */
const SIZES = [1, 2, 4, 8].map(cu)
const PRESET = createPreset('2026-03')
/** Limits of the plan `scale` of that preset. */
const PLAN = { largest: cu(16), widest: cu(8) }
/** Fixed size at the start as a share of the size that fits. */
const STARTS = { right: 1, under: 1 / 4 }
/** Least minimum as a share of the size at the start. */
const FLOORS = [0, 0.25, 0.5]

/** For the recommended rule. */
const GOALS: Readonly<Record<string, string>> = {
  right_f0: 'cost ≤ 0.70, regret ≤ 10, slack ≤ 10, throttled ≤ 0.1, ok ≥ 95, restarts ≤ 1.5 / 2',
  right_f25: 'cost ≤ 0.80',
  right_f50: 'cost ≤ 0.95',
  under_f0: 'throttled ≤ 0.15, ok ≥ 90, restarts at most 4',
}

export function sizing(traces: string): Promise<Figures> {
  const series = loadSeriesOf(traces)
  const rows: Figures['rows'][number][] = [
    [`${series.length} series at ${SIZES.join(', ')} CU`, COLUMNS.join(''), 'goal'],
  ]
  const json: Record<string, number> = {}
  for (const [start, share] of Object.entries(STARTS))
    for (const floor of FLOORS) {
      const computes = series.flatMap((one) =>
        SIZES.map((size) => loadComputeOf(one, size, limitsOf(size, share * floor))),
      )
      for (const rule of SIZE_RULES) {
        const key = `${start}_f${100 * floor}`
        const figures = playRule(computes, rule, share)
        const goal = rule.name === 'recommended' ? (GOALS[key] ?? '') : ''
        rows.push([`${rule.name}, start ${start}, floor ${100 * floor} %`, rowText(figures), goal])
        for (const [figure, value] of Object.entries(figures))
          json[`${rule.name.replaceAll(/[-.]/g, '_')}_${key}_${figure}`] = value
      }
    }
  return Promise.resolve({ rows, json })
}

const COLUMNS = ['cost', 'regret %', 'slack %', 'throttled %', 'ok %', 'restarts', 'most'].map((name) =>
  name.padStart(11),
)

const rowText = (figures: LoadFigures) =>
  Object.values(figures)
    .map((value) => value.toFixed(value < 1 ? 3 : 2).padStart(11))
    .join('')

const limitsOf = (size: number, floor: number) => ({
  ...PLAN,
  sizes: PRESET.sizes,
  least: sizeAtLeast(PRESET.sizes, floor * size),
})
