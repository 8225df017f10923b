// What policies of 10,000 computes cost, beside the same daemon without them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decide, type Candidate } from '../../../src/decide/decide.ts'
import { DEFAULT_BRAKES } from '../../../src/model/policy/brakes.ts'
import { DEFAULT_RESTART_RULES } from '../../../src/model/policy/change-policy.ts'
import type { Figures } from '../run.ts'
import { oneFleet } from './fleet.ts'

const PROJECTS = 10_000
const MINUTES = 6

/** Each compute matches two of them; a window, a budget and the lowest rung of the ladder are used. */
const POLICIES = `
windows: { night: "22:00-06:00" }
budgets: [{ name: half, scope: { project: "*1*" }, limit: 1 cu_hours, per: day }]
policies:
  - { match: {}, mode: apply, levers: [delay, sizing] }
  - { match: { project: "*1*" }, restart: { when: [idle, quiet, window], windows: [night] } }
  - { match: { project: "*2*" }, autosuspend: { floor: 120s } }
`

export async function fleetPolicies(minutes = MINUTES): Promise<Figures> {
  const kept = mkdtempSync(join(tmpdir(), 'dormouse-policies-'))
  try {
    const common = { projects: PROJECTS, minutes, isWarm: true, kept }
    const without = await oneFleet({ ...common, mode: 'suggest' })
    const withThem = await oneFleet({ ...common, mode: 'apply', lines: POLICIES })
    const perCompute = decideMillis()
    return {
      rows: [
        ['without policies', '', ''],
        ...without.rows,
        ['with policies', '', 'pass and RSS within 5 %'],
        ...withThem.rows,
        ['a decision about one compute, ms', perCompute.toFixed(5), '≤ 0.05'],
      ],
      json: {
        ...suffixed(without.json, 'without'),
        ...suffixed(withThem.json, 'with'),
        decide_ms: perCompute,
      },
    }
  } finally {
    rmSync(kept, { recursive: true, force: true })
  }
}

export const suffixed = (json: Figures['json'], suffix: string): Figures['json'] =>
  Object.fromEntries(Object.entries(json).map(([key, value]) => [`${key}_${suffix}`, value]))

const ROUNDS = 50

/** Of as many recommendations as there are computes. */
function decideMillis(): number {
  const candidates = Array.from({ length: PROJECTS }, (_, index): Candidate => ({
    id: `ep-${index}.sizing.1`,
    kind: 'sizing',
    policy: { mode: 'apply', levers: ['sizing'], restart: DEFAULT_RESTART_RULES, path: 'policies[0]' },
    hasOpenChange: index % 2 === 0,
    wasMade: false,
    isBarred: false,
    isDemoted: false,
    heldBy: undefined,
    needsApproval: false,
  }))
  const fleet = { computes: PROJECTS, waiting: 0, brake: undefined, brakes: DEFAULT_BRAKES }
  const begun = performance.now()
  for (let round = 0; round < ROUNDS; round += 1) decide(candidates, fleet)
  return (performance.now() - begun) / (ROUNDS * PROJECTS)
}
