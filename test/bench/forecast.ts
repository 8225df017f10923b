// The spend forecast on days of the past: its error beside the run-rate's, the coverage and width of its interval, and its odds.
import { join } from 'node:path'
import { DAYS, MEASURES, type Measure, type Tried } from './forecast/measures.ts'
import { announced, fleets, pieces, singles, synthetic, untold, type Series } from './forecast/series.ts'
import { PERIOD, trialsOf } from './forecast/trial.ts'
import type { Figures } from './run.ts'

/** Days of history before the period; from 60 on a forecast no longer calls itself learning. */
const LEARNED = { from: 60, below: Infinity }
const LEARNING = { from: 0, below: 60 }
/** Of each synthetic family. */
const COUNT = 12

/** Budgets of one kind. */
type Kind = {
  readonly key: string
  readonly name: string
  readonly tried: Tried
  /** The measures that are shown, and the goal of each; '' where there is none. */
  readonly goals: Partial<Record<Measure, string>>
}

/**
 * `--traces FOLDER` measures the series of its `derived-daily-awake.csv.gz`, `RECIPE=1` the forecast
 * this one was built after, on the same periods.
 */
export function forecast(traces?: string): Promise<Figures> {
  const kinds = [
    ...realKinds(singles(traces === undefined ? undefined : join(traces, 'derived-daily-awake.csv.gz'))),
    ...syntheticKinds(),
  ]
  const found = measures().flatMap((measure) =>
    kinds.flatMap(({ key, name, tried, goals }) => {
      const goal = goals[measure]
      if (goal === undefined) return []
      const { text, json } = MEASURES[measure].of(tried)
      return [{ row: [`${MEASURES[measure].title}: ${name}`, text, goal] as const, key, json }]
    }),
  )
  return Promise.resolve({
    rows: [
      [`${PERIOD}-day periods, one every 5 days`, `on day ${DAYS.join(' / ')}`, 'goal'],
      ...kinds.map(({ name, tried }) => [`periods: ${name}`, `${tried[0]?.length ?? 0}`, ''] as const),
      ...found.map(({ row }) => row),
    ],
    json: Object.fromEntries(
      found.flatMap(({ key, json }) => Object.entries(json).map(([end, value]) => [`${key}_${end}`, value])),
    ),
  })
}

const measures = (): readonly Measure[] => Object.keys(MEASURES) as Measure[]

const tried = (series: readonly Series[], starts = LEARNED): Tried =>
  DAYS.map((day) => trialsOf(series, { day, starts }))

/** Trials of two kinds as one. */
const together = (one: Tried, other: Tried): Tried =>
  one.map((trials, at) => {
    const first = 1 + Math.max(...trials.map(({ series }) => series))
    return [...trials, ...(other[at] ?? []).map((trial) => ({ ...trial, series: first + trial.series }))]
  })

function realKinds(computes: readonly Series[]): readonly Kind[] {
  const four = fleets(computes, 4, { count: 24, grown: false })
  const ten = fleets(computes, 10, { count: 12, grown: false })
  const growing = fleets(computes, 10, { count: 16, grown: true })
  const [single, fours, tens] = [tried(computes), tried(four), tried(ten)]
  return [
    {
      key: 'single',
      name: `${computes.length} computes, each alone`,
      tried: single,
      goals: {
        ...COMMON,
        error: 'day 10 / 20: ≤ 24.5 / 13.5',
        bound: 'day 5 / 10 / 20: ≤ 0.80 / 0.92 / 0.94',
        width: 'day 10: ≤ 75',
        brier: 'day 10 / 20: ≤ 0.132 / 0.075',
      },
    },
    {
      key: 'fleet4',
      name: `${four.length} fleets of 4 of them`,
      tried: fours,
      goals: { ...COMMON, error: 'day 10 / 20: ≤ 12.5 / 6.8', width: 'day 10: ≤ 40' },
    },
    {
      key: 'fleet10',
      name: `${ten.length} fleets of 10 of them`,
      tried: tens,
      goals: { ...COMMON, error: 'day 10 / 20: ≤ 8.3 / 4.5', width: 'day 10: ≤ 26' },
    },
    {
      key: 'fleets',
      name: 'both kinds of fleets',
      tried: together(fours, tens),
      goals: {
        bound: 'day 5 / 10 / 20: ≤ 0.60 / 0.78 / 0.85',
        brier: 'day 10 / 20: ≤ 0.089 / 0.047',
      },
    },
    {
      key: 'growing',
      name: `${growing.length} fleets of 10 that grow`,
      tried: tried(untold(growing)),
      goals: { ...COMMON, error: 'day 10 / 20: ≤ 13.3 / 7.2' },
    },
    {
      key: 'growing_announced',
      name: 'the same, told how many computes there are',
      tried: tried(growing),
      goals: { error: '', coverage: '', width: '', brier: '', calibration: '' },
    },
    {
      key: 'young',
      name: 'computes and fleets of 4, under 60 days of history',
      tried: tried(pieces([...computes, ...four]), LEARNING),
      goals: { ...NO_GOALS, bound: 'day 5 / 10 / 20: ≤ 1.3', width: '' },
    },
  ]
}

const NO_GOALS = { error: '', runRate: '', coverage: '' }

const COMMON = {
  ...NO_GOALS,
  bound: '',
  coverage: '77–84; 72–88',
  width: '',
  brier: '',
  calibration: '≤ 0.035',
}

function syntheticKinds(): readonly Kind[] {
  const families = synthetic(COUNT).map(({ name, series }): Kind => ({
    key: name,
    name: `${COUNT} of the family "${name}"`,
    tried: tried(series),
    goals: { ...NO_GOALS, oracle: '' },
  }))
  const told = announced(COUNT)
  return [
    ...families,
    {
      key: 'families',
      name: 'the five families',
      tried: families.map((family) => family.tried).reduce(together),
      // set on other families, where the run-rate is off by 17.1 / 10.6 and an oracle by 9.9 / 5.7
      goals: { ...NO_GOALS, error: 'day 10 / 20: ≤ 16.7 / 9.2', oracle: '', bound: '' },
    },
    {
      key: 'silent',
      name: `${COUNT} with steps, not announced`,
      tried: tried(untold(told)),
      goals: NO_GOALS,
    },
    {
      key: 'announced',
      name: 'the same, each step announced when made',
      tried: tried(told),
      goals: { error: 'day 10 / 20: ≤ 15.6 / 8.1', coverage: '' },
    },
  ]
}
