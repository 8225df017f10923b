// A process that lives one seed after the other, as its parent asks.
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { BROKEN_RULES } from './broken-rules.ts'
import { runSeed } from './run-seed.ts'
import type { SeedJob } from './run-seeds.ts'

const self = createSelfMetrics()

process.on('message', ({ seed, days, rule }: SeedJob) => {
  void (async () => {
    const result = await runSeed({ seed, days, self, broken: rule && BROKEN_RULES[rule] })
    process.send?.(result)
  })()
})
