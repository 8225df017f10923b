import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

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
    // more workers than cores: most of these tests wait for processes and sockets
    maxWorkers: 6,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    sequence: { sequencer: WaitingFirst },
  },
})
