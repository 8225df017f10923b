// The ledger beside the truth of a thousand simulated lives, by what the service tells.
import { TELLS, type Tells } from '../account/trial.ts'
import { verdictOf, type Exact } from '../account/verdict.ts'
import type { Figures } from './run.ts'

const LIVES = 1000
/** The longest life. */
const HOURS = 24

export function ledger(): Promise<Figures> {
  const lives = Number(process.env['LEDGER_LIVES'] ?? LIVES)
  const all = TELLS.map((tells) => figuresOf(tells, lives))
  return Promise.resolve({
    rows: [
      ['the service tells', 'bounds true', 'awake: width mean, p95; error mean, p95', 'CU: the same'],
      ...all.map(({ row }) => row),
    ].map(([what = '', ...rest]) => [what, rest.slice(1).join('   '), rest[0] ?? ''] as const),
    json: Object.assign({}, ...all.map(({ json }) => json)) as Figures['json'],
  })
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
    row: [tells, `${right} of ${lives}`, shown(awakeWidth, awakeError), shown(cuWidth, cuError)],
    json: {
      [`${key}_right`]: right / lives,
      [`${key}_awake_width`]: awakeWidth.mean,
      [`${key}_awake_error`]: awakeError.mean,
      [`${key}_cu_width`]: cuWidth.mean,
      [`${key}_cu_error`]: cuError.mean,
    },
  }
}

const shown = (width: Spread, error: Spread): string =>
  [width.mean, width.p95, error.mean, error.p95].map((value) => `${(100 * value).toFixed(2)} %`).join(', ')

type Spread = { readonly mean: number; readonly p95: number }

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return {
    mean: values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length),
    p95: sorted[Math.floor(0.95 * sorted.length)] ?? 0,
  }
}
