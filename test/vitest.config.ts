import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { LONG_FILES } from './support/long-files.ts'
import { hasPostgres, POSTGRES_FILES } from './support/postgres.ts'
import { LeftOutReporter } from './support/left-out-reporter.ts'

/** Tests of whole programs, which mostly wait for the clock. */
const PROGRAMS = ['test/end-to-end/**/*.test.ts']

/** The longest work, at the lowest priority: beside programs it takes the time that they leave. */
const BACKGROUND = [
  'test/simulation/changes/changes.test.ts',
  'test/simulation/changes/broken-rules.test.ts',
  'test/simulation/faults/outages.test.ts',
]

/**
 * Tests that lower the priority of their process or measure its memory have a worker to themselves. All others share workers, so that a
 * module is loaded once per worker: no module keeps state at top level.
 */
const OWN_WORKER = [...BACKGROUND, 'test/hostile/connections.test.ts']

/** Tests that mostly wait for processes, sockets and deadlines of their own. */
const WAITING = [
  'test/cli/**/*.test.ts',
  'test/container/**/*.test.ts',
  'test/hostile/**/*.test.ts',
  'test/local/**/*.test.ts',
  'test/observe/reading/**/*.test.ts',
  'test/outputs/metrics/prometheus.test.ts',
  'test/outputs/notify/**/*.test.ts',
  'test/outputs/page/browser.test.ts',
  'test/service/*.test.ts',
]

const CORES = availableParallelism()

const isFull = process.env['CI'] === 'true'

const WAITING_TURN = { maxWorkers: 2 * CORES, sequence: { groupOrder: 1 } }
/**
 * Whole programs with the background, then other tests that wait, then tests that work. With three programs for each core a quarter of the
 * CPU time was idle. Of tests that work one for each core: on two cores four workers took as long as two, and a fifth more CPU. The short
 * form has too few programs for a turn of their own.
 */
const TURNS = {
  programs: isFull
    ? { maxWorkers: 3 * CORES + BACKGROUND.length, sequence: { groupOrder: 0 } }
    : WAITING_TURN,
  waiting: WAITING_TURN,
  working: { maxWorkers: CORES, sequence: { groupOrder: 2 } },
}

/** Most of what a simulated life allocates is garbage at once: some 6 % of the CPU time less than with that of Node, 16 MB. */
const YOUNG_GENERATION = '--max-semi-space-size=32'

const leftOut = isFull ? [] : [...Object.keys(LONG_FILES), ...(hasPostgres() ? [] : POSTGRES_FILES)]

/**
 * Parts of the paths of files that take long: they would otherwise end last, alone. Programs that wait for a window to open alternate with
 * those that keep a core busy.
 */
const BEGIN_FIRST = [
  ...OWN_WORKER.map((path) => `/${path}`),
  '/end-to-end/steps',
  '/end-to-end/changes',
  '/end-to-end/budgets',
  '/end-to-end/interrupt',
  '/end-to-end/ladder',
  '/end-to-end/change-crash',
  '/end-to-end/update-windows',
  '/end-to-end/demo',
  '/end-to-end/controller',
  '/end-to-end/holds',
  '/end-to-end/policies',
  '/end-to-end/telling',
  '/end-to-end/revert',
  '/end-to-end/',
  '/hostile/service',
  '/observe/reading/',
  '/outputs/page/browser',
  '/local/replica',
  '/local/autoscale-service',
  '/local/crash',
  '/local/lifecycle',
  '/local/pooler/',
  '/simulation/faults/',
  '/simulation/',
  '/ledger/trial/',
  '/daemon/changes/enumeration',
  '/dashboards/rules/',
  '/bench/advice/',
]

const rankOf = ({ moduleId }: TestSpecification): number => {
  const found = BEGIN_FIRST.findIndex((part) => moduleId.includes(part))
  return found < 0 ? BEGIN_FIRST.length : found
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
    // Node loads the modules itself, as for users. Vite's form of an import makes each use of it slower: simulations take 10 to 20 % more CPU.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongFirst },
    globalSetup: ['test/support/cluster-folder.ts'],
    reporters: ['default', new LeftOutReporter()],
    projects: [
      {
        extends: true,
        test: {
          name: 'own worker',
          ...TURNS.programs,
          execArgv: [YOUNG_GENERATION],
          include: OWN_WORKER,
          exclude: [...configDefaults.exclude, ...leftOut],
        },
      },
      {
        extends: true,
        test: {
          name: 'programs',
          ...TURNS.programs,
          isolate: false,
          globalSetup: ['test/support/program-folder.ts'],
          include: PROGRAMS,
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
          execArgv: [YOUNG_GENERATION],
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...OWN_WORKER, ...PROGRAMS, ...WAITING, ...leftOut],
        },
      },
    ],
  },
})
