// Seeds divided over processes.
/* oxlint-disable no-await-in-loop -- a process lives one seed after the other */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { BROKEN_RULES, type BrokenRule } from './broken-rules.ts'
import type { SeedResult } from './run-seed.ts'

/** @param rule undefined: the product as it is */
export type SeedJob = Readonly<{ seed: number; days: number; rule: BrokenRule | undefined }>

const PROGRAM = fileURLToPath(new URL('seed-process.ts', import.meta.url))

/** Most of what a life allocates is garbage at once: a sixth of the time less than with that of Node, 16 MB. */
const YOUNG_GENERATION = '--max-semi-space-size=64'

export type Processes = ReturnType<typeof startProcesses>

/** One per core. */
export function startProcesses(count = availableParallelism()) {
  const children = Array.from({ length: count }, () => fork(PROGRAM, { execArgv: [YOUNG_GENERATION] }))
  return {
    /**
     * Results in the order of the jobs.
     *
     * @param isEnough ends it early: jobs that have not begun are left out
     * @throws where a process ends
     */
    run: async (
      jobs: readonly SeedJob[],
      isEnough: (result: SeedResult) => boolean = () => false,
    ): Promise<readonly SeedResult[]> => {
      const results = new Map<number, SeedResult>()
      let [next, isOver] = [0, false]
      const work = async (child: ChildProcess): Promise<void> => {
        while (next < jobs.length && !isOver) {
          const index = next
          next += 1
          const job = jobs[index]
          if (!job) return
          const result = await ask(child, job)
          results.set(index, result)
          isOver ||= isEnough(result)
        }
      }
      await Promise.all(children.map(work))
      return [...results].toSorted(([one], [other]) => one - other).map(([, result]) => result)
    },
    [Symbol.dispose]: () => {
      for (const child of children) child.kill()
    },
  }
}

async function ask(child: ChildProcess, job: SeedJob): Promise<SeedResult> {
  const ended = new AbortController()
  try {
    child.send(job)
    const answered = once(child, 'message', { signal: ended.signal }) as Promise<[SeedResult]>
    const exited = once(child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`the process that lived seed ${job.seed} ended`)
    })
    exited.catch(() => undefined)
    const [result] = await Promise.race([answered, exited])
    return result
  } finally {
    ended.abort()
  }
}

type SeedRange = Readonly<{ first: number; seeds: number; days: number }>

export const jobsOf = ({ first, seeds, days }: SeedRange, rule?: BrokenRule): readonly SeedJob[] =>
  Array.from({ length: seeds }, (_, index) => ({ seed: first + index, days, rule }))

export type CaughtRule = Readonly<{
  rule: BrokenRule
  caught: boolean
  seed: number | undefined
  invariant: string | undefined
}>

/** The first seed in which the judge finds the rule broken. */
export async function catchRule(
  processes: Pick<Processes, 'run'>,
  range: SeedRange,
  rule: BrokenRule,
): Promise<CaughtRule> {
  const results = await processes.run(jobsOf(range, rule), ({ violation }) => violation !== undefined)
  const found = results.find(({ violation }) => violation !== undefined)
  return {
    rule,
    caught: found !== undefined,
    seed: found?.seed,
    invariant: found?.violation?.invariant,
  }
}

export const RULES = Object.keys(BROKEN_RULES) as readonly BrokenRule[]
