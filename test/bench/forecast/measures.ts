// What is read off many trials, as a row of the table and as numbers.
import {
  againstRunRate,
  brierOf,
  calibrationError,
  coverageOf,
  coverageRange,
  errorOf,
  medianWidth,
} from './score.ts'
import type { Trial } from './trial.ts'

/** Days of the period that are over when a forecast is made. */
export const DAYS = [5, 10, 15, 20]

/** Trials of budgets of one kind, by day as in `DAYS`. */
export type Tried = readonly (readonly Trial[])[]

/** `json` by the end of its key. */
type Found = { readonly text: string; readonly json: Readonly<Record<string, number>> }

export type Measure = keyof typeof MEASURES

export const MEASURES = {
  error: {
    title: 'mean |p50 − total|, % of the total',
    of: (tried) => daily('error', tried, (trials) => 100 * errorOf(trials, 'error')),
  },
  runRate: {
    title: 'the same of the run-rate',
    of: (tried) => daily('run_rate', tried, (trials) => 100 * errorOf(trials, 'runRateError')),
  },
  oracle: {
    title: 'the same of their mean, known',
    of: (tried) => daily('oracle', tried, (trials) => 100 * errorOf(trials, 'oracleError')),
  },
  bound: {
    title: 'error ÷ run-rate error (upper 95 % bound)',
    of(tried) {
      const found = tried.map((trials, at) => againstRunRate(trials, at))
      return {
        text: found.map(({ ratio, upper }) => `${ratio.toFixed(2)} (${upper.toFixed(2)})`).join(' / '),
        json: {
          ...keyed(
            'ratio',
            found.map(({ ratio }) => ratio),
          ),
          ...keyed(
            'ratio_upper',
            found.map(({ upper }) => upper),
          ),
        },
      }
    },
  },
  coverage: {
    title: 'periods within p10–p90, %; least–most of one series',
    of(tried) {
      const found = daily('coverage', tried, (trials) => 100 * coverageOf(trials))
      const [least, most] = coverageRange(tried.flat()).map((share) => 100 * share) as [number, number]
      return {
        text: `${found.text}; ${least.toFixed(0)}–${most.toFixed(0)}`,
        json: { ...found.json, coverage_series_least: least, coverage_series_most: most },
      }
    },
  },
  width: {
    title: 'median of p90 − p10, % of the total',
    of: (tried) => daily('width', tried, (trials) => 100 * medianWidth(trials)),
  },
  brier: {
    title: 'Brier score of P(over)',
    of: (tried) => daily('brier', tried, brierOf),
  },
  calibration: {
    title: 'calibration error of P(over), all days',
    of(tried) {
      const calibration = calibrationError(tried.flat())
      return { text: calibration.toFixed(3), json: { calibration } }
    },
  },
} satisfies Record<string, { readonly title: string; readonly of: (tried: Tried) => Found }>

function daily(name: string, tried: Tried, value: (trials: readonly Trial[]) => number): Found {
  const values = tried.map(value)
  return {
    text: values.map((each) => each.toFixed(each < 1 ? 3 : 1)).join(' / '),
    json: keyed(name, values),
  }
}

const keyed = (name: string, values: readonly number[]): Readonly<Record<string, number>> =>
  Object.fromEntries(values.map((value, at) => [`${name}_d${DAYS[at]}`, value]))
