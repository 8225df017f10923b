// The last line of a run: what was left out, and how it is run.
import type { Reporter, TestModule } from 'vitest/node'
import { LONG_FILES } from './long-files.ts'
import { missingPrograms } from './programs.ts'

export class LeftOutReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (process.env['CI'] === 'true') return
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
    const missing = missingPrograms()
    const files = Object.keys(LONG_FILES).length
    // printed after the summary of the reporter before this one
    process.once('exit', () => {
      if (missing.length > 0)
        console.log(`Tests were skipped because of missing programs: ${missing.join(', ')}.`)
      console.log(
        `Left out: ${files} test files that take long, ${skipped.length} tests of others. CI=true npm test runs everything.`,
      )
    })
  }
}
