// The ledger beside the truth: of a thousand simulated lives, by what the service tells, and of real Postgres computes while the
// daemon is killed twice.
import { TELLS, type Tells } from '../ledger/trial/trial.ts'
import { verdictOf, type Exact } from '../ledger/trial/verdict.ts'
import { realLedger } from './ledger-real.ts'
import type { Figures } from './run.ts'

const LIVES = 1000
/** The longest life. */
const HOURS = 24

/** @param minutes how long the real computes run; `LEDGER_LIVES` sets the number of simulated lives */
export async function ledger(minutes = 3): Promise<Figures> {
  const lives = Number(process.env['LEDGER_LIVES'] ?? LIVES)
  const all = TELLS.map((tells) => figuresOf(tells, lives))
  const real = await realLedger(minutes)
  return {
    rows: [
      ['what', 'measured', 'goal'],
      ...all.flatMap(({ rows }) => rows),
      [`real computes, ${minutes} min, killed twice: off by`, percent(real.error), '≤ 0.5 %'],
      ['  bounds apart by', percent(real.width), ''],
      ['  computes whose bounds do not contain the truth', String(real.outside), '0'],
      ['  CU-seconds, wakes', `${real.cuSeconds.toFixed(1)}, ${real.wakes}`, ''],
    ],
    json: {
      ...(Object.assign({}, ...all.map(({ json }) => json)) as Figures['json']),
      real_error: real.error,
      real_width: real.width,
      real_outside: real.outside,
      real_cu_seconds: real.cuSeconds,
    },
  }
}

function figuresOf(tells: Tells, lives: number) {
  const verdicts = Array.from({ length: lives }, (_, seed) => verdictOf(seed + 1, tells, HOURS))
  const right = verdicts.filter(({ problems }) => problems.length === 0).length
  const exact = verdicts.flatMap((verdict) => verdict.exact ?? [])
  const share = (pick: keyof Exact): Spread => spreadOf(exact.map((one) => one[pick]))
  const key = tells.replaceAll(' ', '_')
  const [awakeWidth, awakeError] = [share('awakeWidth'), share('awakeError')]
  const [cuWidth, cuError] = [share('cuWidth'), share('cuError')]
  return {
    rows: [
      [`the service tells ${tells}: bounds contain the truth`, `${right} of ${lives}`, 'all'],
      ['  awake time: bounds apart, likely off', shown(awakeWidth, awakeError), ''],
      ['  CU-time: the same', shown(cuWidth, cuError), ''],
    ] as const,
    json: {
      [`${key}_right`]: right / lives,
      [`${key}_awake_width`]: awakeWidth.median,
      [`${key}_awake_error`]: awakeError.median,
      [`${key}_cu_width`]: cuWidth.median,
      [`${key}_cu_error`]: cuError.median,
    },
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`

const shown = (width: Spread, error: Spread): string => `${spreadText(width)}; ${spreadText(error)}`

const spreadText = ({ median, mean, p95 }: Spread): string =>
  `median ${percent(median)}, mean ${percent(mean)}, p95 ${percent(p95)}`

type Spread = { readonly median: number; readonly mean: number; readonly p95: number }

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return {
    median: sorted[Math.floor(0.5 * sorted.length)] ?? 0,
    mean: values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length),
    p95: sorted[Math.floor(0.95 * sorted.length)] ?? 0,
  }
}
