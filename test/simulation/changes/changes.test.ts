// Seeds of the simulation of changes: nothing is violated, enough is seen, and the same seed is the same life.
/* oxlint-disable no-await-in-loop -- one seed after the other */
import { expect, test } from 'vitest'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { bySize, runInBackground } from '../../support/tiers.ts'
import { jobsOf, startProcesses, type SeedJob } from './run-seeds.ts'
import { runSeed, type SeedResult } from './run-seed.ts'
import { problemsOf, summarise } from './summary.ts'

const FIRST = 28
/** Virtual days; the last hour of each life is quiet. */
const DAYS = bySize(1, 0.12)
const SEEDS = bySize(6, 2)
/** Only ends what hangs: seven days take two minutes of two cores, and several times that beside other tests. */
const LONGEST = 1_800_000

runInBackground()

async function inProcesses(jobs: readonly SeedJob[]): Promise<readonly SeedResult[]> {
  using processes = startProcesses()
  return await processes.run(jobs)
}

async function here(jobs: readonly SeedJob[]): Promise<readonly SeedResult[]> {
  const self = createSelfMetrics()
  const results: SeedResult[] = []
  for (const job of jobs) results.push(await runSeed({ ...job, self }))
  return results
}

test(
  'no invariant is violated, enough is seen, and the same seed is the same life',
  async () => {
    const jobs = jobsOf({ first: FIRST, seeds: SEEDS, days: DAYS })
    const all = await bySize(inProcesses, here)([...jobs, ...jobs.slice(0, 1)])
    const results = all.slice(0, SEEDS)
    // with the newest events before it
    expect(results.flatMap(({ seed, violation }) => (violation ? [{ seed, ...violation }] : []))).toEqual([])
    const summary = summarise(results, { first: FIRST, days: DAYS })
    expect(problemsOf(summary)).toEqual([])
    expect(summary).toMatchObject({ took_effect_twice: 0, lost_changes: 0, overwritten_values: 0 })
    expect(all.at(-1)?.digest).toBe(all[0]?.digest)
    expect(new Set(results.map(({ digest }) => digest)).size).toBe(SEEDS)
  },
  LONGEST,
)
