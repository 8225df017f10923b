// What a thousand open changes cost a daemon of 10,000 computes, beside the same daemon without changes; and what the loop takes without one.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nextStep } from '../../src/apply/next-step.ts'
import { SCHEDULED } from '../support/changes.ts'
import { inputOf, NOW } from '../apply/build.ts'
import { oneFleet } from './fleet/fleet.ts'
import { suffixed } from './fleet/policies.ts'
import type { LoopMemory } from './loop-memory.ts'
import type { Figures } from './run.ts'

const PROJECTS = 10_000
const CHANGES = 1000
const MINUTES = 6
const STEPS = 200_000

export async function changes(minutes = MINUTES): Promise<Figures> {
  const kept = mkdtempSync(join(tmpdir(), 'dormouse-changes-'))
  try {
    const common = { projects: PROJECTS, minutes, isWarm: true, mode: 'suggest', kept }
    const without = await oneFleet(common)
    const withThem = await oneFleet({ ...common, changes: CHANGES })
    const step = stepMillis()
    const memory = await loopMemory()
    return {
      rows: [
        ['without changes', '', ''],
        ...without.rows,
        [`${CHANGES} open changes`, '', ''],
        ...withThem.rows,
        ['a decision about one change, ms', step.toFixed(5), '≤ 0.05'],
        [
          'memory without open changes, after two minutes and after a day, kB',
          `${kilobytes(memory.begun)}, ${kilobytes(memory.day)}`,
          '≤ 1000',
        ],
      ],
      json: {
        ...suffixed(without.json, 'without'),
        ...suffixed(withThem.json, 'with'),
        step_ms: step,
        memory_without_bytes: memory.day,
      },
    }
  } finally {
    rmSync(kept, { recursive: true, force: true })
  }
}

function stepMillis(): number {
  const input = inputOf(SCHEDULED)
  const begun = performance.now()
  for (let done = 0; done < STEPS; done += 1) nextStep(input, NOW)
  return (performance.now() - begun) / STEPS
}

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1)

async function loopMemory(): Promise<LoopMemory> {
  const program = fileURLToPath(import.meta.resolve('./loop-memory.ts'))
  const child = fork(program, { execArgv: ['--expose-gc'] })
  const [measured] = (await once(child, 'message')) as [LoopMemory]
  return measured
}
