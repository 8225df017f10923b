// The last lines of a run: what was left out, why, and how it is run.
import { globSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'
import { LONG_FILES } from './long-files.ts'
import { hasPostgres, POSTGRES_FILES } from './postgres.ts'
import { missingPrograms } from './programs.ts'

export class LeftOutReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (process.env['CI'] === 'true') return
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]).length
    const lines = [...missingLines(), summaryLine(skipped)]
    // after the summary of the reporter before this one
    process.once('exit', () => console.log(lines.join('\n')))
  }
}

function missingLines(): readonly string[] {
  const programs = missingPrograms()
  const unstarted = hasPostgres() ? [] : globSync([...POSTGRES_FILES]).filter((file) => !(file in LONG_FILES))
  return [
    ...(programs.length > 0 ? [`Tests that need ${programs.join(', ')} were skipped: not installed.`] : []),
    ...(unstarted.length > 0 ? [`${unstarted.length} test files were left out: no Postgres found.`] : []),
  ]
}

const summaryLine = (skipped: number): string =>
  `Left out: ${Object.keys(LONG_FILES).length} test files that take long, ${skipped} single tests. ` +
  '"CI=true npm test" runs everything.'
