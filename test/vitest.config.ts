import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { LONG_FILES } from './support/long-files.ts'
import { hasPostgres, POSTGRES_FILES } from './support/postgres.ts'
import { LeftOutReporter } from './support/left-out-reporter.ts'

/**
 * Tests of whole programs, and those that measure the memory of their own process, have a worker to themselves. All others share workers, so
 * that a module is loaded once per worker: no module keeps state at top level.
 */
const OWN_WORKER = ['test/end-to-end/**/*.test.ts', 'test/hostile/connections.test.ts']

/** Tests that mostly wait for processes and sockets of their own. */
const WAITING = ['test/hostile/**/*.test.ts', 'test/local/**/*.test.ts', 'test/outputs/page/browser.test.ts']

const CORES = availableParallelism()

/**
 * Tests that wait, then tests that work. Of the latter one for each core: on two cores four workers took as long as two, and a fifth more CPU.
 */
const TURNS = {
  waiting: { maxWorkers: 2 * CORES, sequence: { groupOrder: 0 } },
  working: { maxWorkers: CORES, sequence: { groupOrder: 1 } },
}

const leftOut =
  process.env['CI'] === 'true' ? [] : [...Object.keys(LONG_FILES), ...(hasPostgres() ? [] : POSTGRES_FILES)]

/** Parts of the paths of files that take long: they would otherwise end last, alone. */
const BEGIN_FIRST = [
  '/end-to-end/budgets',
  '/end-to-end/steps',
  '/end-to-end/ladder',
  '/end-to-end/policies',
  '/end-to-end/update-windows',
  '/end-to-end/change-crash',
  '/end-to-end/revert',
  '/end-to-end/controller',
  '/end-to-end/',
  '/hostile/service',
  '/outputs/page/browser',
  '/local/replica',
  '/simulation/changes',
  '/simulation/faults/',
  '/simulation/',
  '/ledger/trial/',
  '/daemon/changes/enumeration',
  '/dashboards/rules/',
  '/bench/advice/',
]

/** Those with a worker to themselves go first: a shared worker is kept only while the next file may share it. */
const rankOf = ({ moduleId, project }: TestSpecification): number => {
  const found = BEGIN_FIRST.findIndex((part) => moduleId.includes(part))
  return (project.config.isolate ? 0 : 1000) + (found < 0 ? BEGIN_FIRST.length : found)
}

class LongFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((a, b) => rankOf(a) - rankOf(b)))
  }
}

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    // only ends what hangs: a simulated week of 10 s takes ten times that on a busy machine
    testTimeout: 600_000,
    hookTimeout: 600_000,
    sequence: { sequencer: LongFirst },
    globalSetup: ['test/support/cluster-folder.ts'],
    reporters: ['default', new LeftOutReporter()],
    projects: [
      {
        extends: true,
        test: {
          name: 'own worker',
          ...TURNS.waiting,
          include: OWN_WORKER,
          exclude: [...configDefaults.exclude, ...leftOut],
        },
      },
      {
        extends: true,
        test: {
          name: 'waiting',
          ...TURNS.waiting,
          isolate: false,
          include: WAITING,
          exclude: [...configDefaults.exclude, ...OWN_WORKER, ...leftOut],
        },
      },
      {
        extends: true,
        test: {
          name: 'working',
          ...TURNS.working,
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...OWN_WORKER, ...WAITING, ...leftOut],
        },
      },
    ],
  },
})
