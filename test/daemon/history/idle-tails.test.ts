// Time after the last activity in generated pasts, beside the delays that were in force by the truth.
import { expect } from 'vitest'
import { computeKey } from '../../../src/model/service/compute.ts'
import { SECOND } from '../../../src/model/units.ts'
import { sumOf } from '../../../src/std/sum.ts'
import { longTest } from '../../support/tiers.ts'
import { startAccount, type GeneratedPast } from './generated-account.ts'

type TrueCompute = Awaited<ReturnType<typeof startAccount>>['truth']['computes'][number]

/** Source: service interface, "Limits": autosuspend delay, default. */
const DEFAULT = 300

const delaysOf = ({ mutations }: TrueCompute) =>
  mutations.flatMap(({ at, fields: { suspend_timeout_seconds: set } }) =>
    typeof set === 'number' ? [{ at: Date.parse(at), seconds: set === 0 ? DEFAULT : set }] : [],
  )

/** Awake time that ended; a new size ends none. */
function endedTimes({ intervals }: TrueCompute) {
  const times: { from: number; to: number }[] = []
  for (const { from, to } of intervals) {
    const last = times.at(-1)
    if (last?.to === Date.parse(from)) last.to = Date.parse(to ?? 'never')
    else times.push({ from: Date.parse(from), to: Date.parse(to ?? 'never') })
  }
  return times.filter(({ to }) => !Number.isNaN(to))
}

/** ms: the delay in force at each suspension, which may have been by hand. */
const trueTail = (compute: TrueCompute): number =>
  sumOf(endedTimes(compute), ({ from, to }) => {
    const delay = delaysOf(compute).findLast(({ at }) => at < to)?.seconds ?? DEFAULT
    return delay < 0 ? 0 : Math.min(to - from, delay * SECOND)
  })

/** Computes whose delay was longer at the end than it had been before. */
const isLengthened = (compute: TrueCompute): boolean => {
  const delays = delaysOf(compute).map(({ seconds }) => seconds)
  const last = delays.at(-1) ?? DEFAULT
  return delays.some((one) => one > 0 && last > one)
}

async function lengthened(past: GeneratedPast) {
  const { truth, state } = await startAccount(past)
  return truth.computes.filter(isLengthened).flatMap((compute) => {
    const { projectId, endpointId } = compute
    const entry = state.ledger.computes.get(computeKey({ account: 'main', projectId, endpointId }))
    const tail = trueTail(compute)
    return entry && tail > 0 ? [{ tail, shown: entry.totals.idleTail }] : []
  })
}

const PASTS = [11, 12, 13, 14].map((seed): GeneratedPast => ({
  seed,
  preset: seed % 2 === 0 ? '2026-03' : 'interface',
  days: 45,
  projects: 30,
}))

// without what short awake times tell of the delay before, 1.18 to 2.12 times as much per past
longTest(
  'computes whose delay was made longer waited for no longer than the delay before allowed',
  async () => {
    const computes = []
    // oxlint-disable-next-line no-await-in-loop -- each is an account of its own
    for (const past of PASTS) computes.push(...(await lengthened(past)))
    expect(computes.length).toBeGreaterThan(10)
    const ratio = sumOf(computes, ({ shown }) => shown) / sumOf(computes, ({ tail }) => tail)
    expect(ratio).toBeGreaterThan(0.9)
    expect(ratio).toBeLessThan(1.1)
  },
)
