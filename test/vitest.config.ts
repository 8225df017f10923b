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
const leftOut =
  process.env['CI'] === 'true' ? [] : [...Object.keys(LONG_FILES), ...(hasPostgres() ? [] : POSTGRES_FILES)]

/** Parts of the paths of files that take long: they would otherwise end last, alone. */
const BEGIN_FIRST = [
  '/end-to-end/demo',
  '/end-to-end/',
  '/outputs/page/browser',
  '/simulation/faults/',
  '/simulation/',
  '/local/lifecycle',
  '/ledger/trial/',
  '/dashboards/rules/',
  '/daemon/changes/enumeration',
  '/bench/advice/',
  '/advise/delay/guard',
]

/** Those with a worker to themselves go first: a shared worker is kept only while the next file may share it. */
const rankOf = ({ moduleId, project }: TestSpecification): number => {
  const found = BEGIN_FIRST.findIndex((part) => moduleId.includes(part))
  return (project.config.isolate ? 0 : 1000) + (found < 0 ? BEGIN_FIRST.length : found)
}

/** Files that keep a core busy all the time. Those of whole programs mostly wait, so that both together end sooner than one after the other. */
const isBusy = ({ moduleId }: TestSpecification): boolean => BUSY.some((part) => moduleId.includes(part))
const BUSY = [
  '/simulation/',
  '/daemon/changes/enumeration',
  '/advise/delay/guard',
  '/outputs/page/browser',
  '/ledger/trial/',
  '/bench/advice/',
]

/** With four workers about two wait and two are busy, one for each core. */
const WAITING_FOR_EACH_BUSY = 2

class LongFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranked = files.toSorted((a, b) => rankOf(a) - rankOf(b))
    const busy = ranked.filter(isBusy)
    const others = ranked.filter((file) => !isBusy(file))
    const mixed = others.flatMap((file, index) =>
      index % WAITING_FOR_EACH_BUSY === 0 && busy.length > 0 ? [...busy.splice(0, 1), file] : [file],
    )
    return Promise.resolve([...mixed, ...busy])
  }
}

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    // more workers than cores: most of these tests wait for processes and sockets
    maxWorkers: 4,
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
          name: 'shared worker',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...OWN_WORKER, ...leftOut],
        },
      },
      {
        extends: true,
        test: {
          name: 'own worker',
          include: OWN_WORKER,
          exclude: [...configDefaults.exclude, ...leftOut],
        },
      },
    ],
  },
})
