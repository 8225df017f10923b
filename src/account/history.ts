// The account of a compute that is seen for the first time, with the history that its operations tell.
import { largestCu, smallestCu, type Compute } from '../model/compute.ts'
import type { DayRow } from '../model/day.ts'
import type { Evidence } from '../model/evidence.ts'
import type { ComputeAccount } from '../model/ledger.ts'
import type { Look } from '../model/observation.ts'
import { awakeEffect, type Operation } from '../model/operation.ts'
import type { Steps } from '../model/steps.ts'
import { after, earliest, latest, seconds } from '../model/units.ts'
import { NO_EVIDENCE } from './evidence.ts'
import { ANY_SIZE } from './sizing.ts'
import { fold, newAccount, type Facts, type FoldContext, type Folded } from './fold.ts'

/** Operations folded at once. Doubled, a fold sorts four times as much; halved, there are twice as many. */
const STEP = 40

/** Whether a history is so long that it has to be folded as it went, in order of time. */
export const hasHistory = ({ operations }: Facts): boolean => operations.length > STEP

/**
 * Folds the operations in order of time, as of when each was done, so that what was long over then is settled before the next
 * come: months cost no more evidence than minutes.
 */
export function* foldHistory(facts: Facts, look: Look, context: FoldContext): Steps<Folded> {
  const operations = facts.operations.toSorted((a, b) => a.updatedAt - b.updatedAt)
  const parts: Folded[] = []
  let account: ComputeAccount = {
    ...newAccount(facts.ref, look, context.departedUntil),
    evidence: evidenceOf(operations, look),
  }
  let first = 0
  for (; first + STEP < operations.length; first += STEP) {
    const some = operations.slice(first, first + STEP)
    // A second later: instants are written in whole ones.
    const then = after(some.at(-1)?.updatedAt ?? context.now, seconds(1))
    const past = { ...facts, looks: [], readings: [], operations: some, goneAt: undefined }
    const part = fold({ before: account, isNew: true }, past, { ...context, now: then })
    parts.push(part)
    account = part.account
    yield
  }
  const rest = { ...facts, operations: operations.slice(first) }
  const last = fold({ before: account, isNew: true }, rest, context)
  return together([...parts, last], last)
}

/** What is known from the beginning: that its size is what it is since the last change of settings. */
function evidenceOf(operations: readonly Operation[], { compute, answeredAt }: Look): Evidence {
  const { sizing } = compute
  const applied = operations.filter((one) => one.action === 'apply_config' && awakeEffect(one) === undefined)
  const since = applied.at(-1)?.updatedAt ?? operations[0]?.createdAt ?? answeredAt
  return {
    ...NO_EVIDENCE,
    operations: applied,
    sizes: [
      {
        min: smallestCu(sizing),
        max: largestCu(sizing),
        firstSeenAt: earliest(answeredAt, after(since, seconds(1))),
        lastSeenAt: answeredAt,
        isChanging: false,
      },
    ],
  }
}

function together(parts: readonly Folded[], { account }: Folded): Folded {
  const days = new Map<string, DayRow>()
  for (const part of parts) for (const day of part.days) days.set(day.date, day)
  return {
    account,
    closed: parts.flatMap(({ closed }) => closed),
    slices: parts.flatMap(({ slices }) => slices),
    rollups: parts.flatMap(({ rollups }) => rollups),
    // Nobody was told of a day before: what the steps restated is told once.
    days: [...days.values()].map((day) => ({ ...day, version: Math.min(1, day.version) })),
  }
}

/**
 * The last that was to be seen of a compute that only operations tell of: it was deleted after the last of them. Nobody knows
 * what size it had.
 */
export function deletedLook({ ref: { projectId, endpointId }, operations }: Facts): Look {
  const createdAt = earliest(...operations.map((one) => one.createdAt))
  const goneAt = after(latest(...operations.map((one) => one.updatedAt)), seconds(1))
  const compute: Compute = {
    endpointId,
    projectId,
    branchId: '',
    name: undefined,
    regionId: '',
    host: '',
    type: 'read_write',
    state: 'idle',
    pendingState: undefined,
    sizing: { min: ANY_SIZE.min, max: ANY_SIZE.max },
    autosuspendDelay: undefined,
    poolerEnabled: false,
    disabled: false,
    lastActive: undefined,
    startedAt: undefined,
    suspendedAt: undefined,
    createdAt,
    updatedAt: goneAt,
  }
  return { compute, askedAt: goneAt, answeredAt: goneAt, askedOn: seconds(0) }
}
