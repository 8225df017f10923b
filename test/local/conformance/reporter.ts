// Prints one line per statement: its number and words, the test that shows it, and the result.
import type { Reporter, TestModule } from 'vitest/node'
import { STATEMENTS } from './statements.ts'

type Shown = { readonly file: string; readonly result: string }

// oxlint-disable-next-line import/no-default-export -- vitest takes the default export of a reporter's file
export default class StatementTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const shown = new Map<string, Shown>()
    for (const module of modules) {
      for (const one of module.children.allTests()) {
        const number = one.name.split(' ')[0] ?? ''
        shown.set(number, { file: module.relativeModuleId, result: one.result().state })
      }
    }
    const rows = STATEMENTS.map(({ number, title, shownBy }) => {
      const { file = '', result = '' } = shown.get(number) ?? {}
      const place = file.replace(/^.*\//, '') || (shownBy === 'C' ? 'the client alone' : '')
      return [number, cut(title, 90), place, result || '–'] as const
    })
    const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
    for (const row of rows)
      console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    const passed = rows.filter(([, , , result]) => result === 'passed').length
    console.log(`\n${passed} of ${rows.length} statements shown by the local service`)
  }
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text
