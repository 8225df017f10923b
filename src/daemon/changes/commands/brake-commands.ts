// Brakes as people see them, and their release. A command that is refused changed nothing.
import {
  BRAKE_NAMES,
  brakeId,
  isEngaged,
  type BrakeName,
  type StoredBrake,
} from '../../../model/policy/brakes.ts'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import type { BrakeAnswerJson, BrakeJson, BrakesJson } from '../../../outputs/text/hold-schema.ts'
import { computedBrakeJson, storedBrakeJson } from '../../../outputs/text/brake-text.ts'
import { ok, type Result } from '../../../std/result.ts'
import type { ChangeSources } from '../list-changes.ts'
import { refuseCommand, type CommandProblem } from '../targets.ts'

export type BrakeSources = Pick<ChangeSources, 'runnerOf' | 'killSwitch' | 'snapshot'>

/** Brakes of every account; the kill switch first. */
export function listBrakes({ runnerOf, killSwitch }: BrakeSources, { accounts }: Snapshot): BrakesJson {
  const engagedBy = killSwitch.engagedBy()
  const brakes: BrakeJson[] =
    engagedBy.length === 0 ? [] : [computedBrakeJson('kill_switch', null, engagedBy.join(' and '))]
  for (const { account } of accounts) {
    const { storedBrakes, engagedBrakes } = runnerOf(account)
    const computed = engagedBrakes().flatMap((name) => {
      const because = COMPUTED[name]
      return because === undefined ? [] : [computedBrakeJson(name, account, because)]
    })
    brakes.push(...computed, ...storedBrakes.current().map((brake) => storedBrakeJson(brake, account)))
  }
  return { schema_version: 1, brakes }
}

/** Brakes that nobody stores as brakes, in words. */
const COMPUTED: Readonly<Partial<Record<BrakeName, string>>> = {
  freeze: 'a window in which nothing is changed is open: dormouse holds',
  hold: 'a person holds changes of some computes: dormouse holds',
  hold_off: 'policies restart nothing right after a start',
}

type BrakeRelease = Readonly<{
  /** Id or name of the brake, or what it is for: a kind of change or a compute. */
  brake: string
  account: string | undefined
  reason: string
  by: string
}>

export async function releaseBrake(
  { runnerOf }: BrakeSources,
  { accounts }: Snapshot,
  { brake, account, reason, by }: BrakeRelease,
): Promise<Result<BrakeAnswerJson, CommandProblem>> {
  const known = accounts.map((one) => one.account)
  if (account !== undefined && !known.includes(account))
    return refuseCommand(400, `account: expected one of ${known.join(', ')}, got ${account}`)
  const engaged = known
    .filter((name) => account === undefined || name === account)
    .flatMap((name) =>
      runnerOf(name)
        .storedBrakes.engaged()
        .map((one) => ({ account: name, brake: one })),
    )
  const found = engaged.filter((one) => isCalled(one.brake, brake))
  const [first, other] = found
  if (!first)
    return refuseRelease(
      brake,
      engaged.map((one) => brakeId(one.brake)),
    )
  if (other) return refuseCommand(400, severalText(brake, found))
  const released = await runnerOf(first.account).storedBrakes.release(brakeId(first.brake), { by, reason })
  if (!released || isEngaged(released)) return refuseRelease(brake, [])
  return ok({ schema_version: 1, brake: storedBrakeJson(released, first.account) })
}

const isCalled = (brake: StoredBrake, name: string) =>
  [brakeId(brake), brake.name, brake.subject].includes(name)

function severalText(
  name: string,
  found: readonly Readonly<{ account: string; brake: StoredBrake }>[],
): string {
  const accounts = [...new Set(found.map(({ account }) => account))]
  return accounts.length > 1
    ? `account: ${name} is engaged in several: ${accounts.join(', ')}; name one of them`
    : `brake: ${name} is that of several: ${found.map(({ brake }) => brakeId(brake)).join(', ')}; name one of them`
}

const NOT_RELEASED: Readonly<Partial<Record<BrakeName, string>>> = {
  kill_switch: 'is released by dormouse kill off',
  freeze: 'ends with its window',
  hold: 'is ended by dormouse resume',
  hold_off: 'ends by itself',
}

function refuseRelease(name: string, engaged: readonly string[]): Result<never, CommandProblem> {
  const known = BRAKE_NAMES.find((one) => one === name)
  if (known) return refuseCommand(409, `brake: ${known} ${NOT_RELEASED[known] ?? 'is not engaged'}`)
  return refuseCommand(
    404,
    `brake: expected ${engaged.length === 0 ? 'one that is engaged, and none is' : `one of those that are engaged, ${engaged.join(', ')}`}, got ${name}`,
  )
}
