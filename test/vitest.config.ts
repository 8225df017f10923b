import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes long and changes seldom: kills at random instants, crowds of clients, many thousand bodies and projects, a browser. */
const LONG = [
  'test/calendar/all-zones-windows.test.ts',
  'test/bench/fleet/large.test.ts',
  'test/local/api/random-bodies.test.ts',
  'test/local/autoscale-service.test.ts',
  'test/local/pooler/**',
  'test/local/proxy/hostile.test.ts',
  'test/outputs/page/browser.test.ts',
  'test/local/replica-crash.test.ts',
  'test/local/replica.test.ts',
  'test/local/simulated.test.ts',
  'test/simulation/hostile.test.ts',
]

const isCi = process.env['CI'] === 'true'

const waits = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/end-to-end/')

/** The files that wait most begin first: they would otherwise end last, alone. */
class WaitingFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve([...files.filter(waits), ...files.filter((file) => !waits(file))])
  }
}

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    exclude: isCi ? configDefaults.exclude : [...configDefaults.exclude, ...LONG],
    // more workers than cores: most of these tests wait for processes and sockets
    maxWorkers: 4,
    // only ends what hangs: a simulated week of 10 s takes ten times that on a busy machine
    testTimeout: 240_000,
    hookTimeout: 240_000,
    sequence: { sequencer: WaitingFirst },
  },
})
