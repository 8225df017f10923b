// Figures of memory and CPU time in the deployment files, beside those in the README that they name as their source.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../support/generate.ts'
import { DEPLOY } from './form.ts'

/** A cell of the README's table, by the words of its row: 10,000 projects first, then 100,000. */
function measured(row: string): readonly [number, number] {
  const line = new RegExp(`^\\| ${row} \\| ([\\d.,]+) \\S+ \\| ([\\d.,]+) `, 'm')
  const [, small, large] = line.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? []
  return [numberOf(small), numberOf(large)]
}

const numberOf = (text = ''): number => Number(text.replaceAll(',', ''))

const MEMORY = measured('memory')
const CORE = measured('share of a core')

/** Every file that names the table, with the lines of its comment as one text. */
const FILES = globSync('**/*.{yaml,service}', { cwd: DEPLOY })
  .map((path) => [path, readFileSync(join(DEPLOY, path), 'utf8')] as const)
  .filter(([, text]) => text.includes('"What it takes"'))
  .map(([path, text]) => [path, text.replaceAll(/\n\s*# /g, ' '), text] as const)

test('all forms name the table', () => {
  expect(FILES.map(([path]) => path).toSorted()).toEqual([
    'compose.yaml',
    'kubernetes/base/deployment.yaml',
    'kubernetes/sidecar/container.yaml',
    'systemd/dormouse.service',
  ])
})

const MIB: Readonly<Record<string, number>> = { Mi: 1, m: 1, M: 1, Gi: 1024 }

/** Amounts of memory after `key`, MiB. */
const amountsOf = (text: string, key: string): readonly number[] =>
  [...text.matchAll(new RegExp(`${key}[:=] ?(\\d+)(Mi|Gi|m|M)\\b`, 'g'))].map(
    ([, amount, unit = '']) => Number(amount) * (MIB[unit] ?? NaN),
  )

describe.each(FILES)('%s', (_, comment, text) => {
  test('has the figures of the README', () => {
    const memory = [...comment.matchAll(/([\d,]+) MiB/g)].map(([, figure]) => numberOf(figure))
    const core = [...comment.matchAll(/([\d.]+) %/g)].map(([, figure]) => numberOf(figure))
    expect(memory).toEqual(MEMORY.slice(0, memory.length))
    expect(core).toEqual(CORE.slice(0, core.length))
    expect(memory).not.toEqual([])
  })

  test('has room for what was measured: a request of the memory, a limit of twice that', () => {
    const [limit] = [...amountsOf(text, 'limits: { memory'), ...amountsOf(text, '(?:mem_limit|MemoryMax)')]
    expect(limit).toBeGreaterThanOrEqual(2 * MEMORY[0])
    for (const request of amountsOf(text, 'requests: { cpu: \\d+m, memory'))
      expect(request).toBeGreaterThanOrEqual(MEMORY[0])
    for (const [, request] of text.matchAll(/requests: \{ cpu: (\d+)m/g))
      expect(Number(request)).toBeGreaterThanOrEqual(CORE[0] * 10)
  })
})

test('a pod of its own names what 100,000 projects need, with the same room', () => {
  const [, comment = ''] = FILES.find(([path]) => path.includes('base')) ?? []
  const [, core, request, limit] = /set (\d+)m, (\d+)Mi and (\d+)Mi/.exec(comment) ?? []
  expect(Number(core)).toBeGreaterThanOrEqual(CORE[1] * 10)
  expect(Number(request)).toBeGreaterThanOrEqual(MEMORY[1])
  expect(Number(limit)).toBeGreaterThanOrEqual(2 * MEMORY[1])
})
