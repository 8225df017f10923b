// The account of a compute that is seen for the first time, with the history that its operations tell.
import { largestCu, smallestCu } from '../model/compute.ts'
import type { DayRow } from '../model/day.ts'
import type { ComputeAccount, Evidence } from '../model/ledger.ts'
import type { Look } from '../model/observation.ts'
import { awakeEffect, type Operation } from '../model/operation.ts'
import type { Steps } from '../model/steps.ts'
import { LATENESS } from '../model/transition.ts'
import { instant, type Instant } from '../model/units.ts'
import { NO_EVIDENCE } from './evidence.ts'
import { fold, newAccount, type Facts, type FoldContext, type Folded } from './fold.ts'

/** Operations folded at once. Doubled, a fold sorts four times as much; halved, there are twice as many. */
const STEP = 40

/** Whether a history is so long that it has to be folded as it went, in order of time. */
export const hasHistory = ({ operations }: Facts): boolean => operations.length > STEP

/**
 * Folds the operations in order of time, as of when each was done, so that what was long over then is settled before the next
 * come: months cost no more evidence than minutes. The list of operations is known to its end, and so are the changes of
 * size in it.
 */
export function* foldHistory(facts: Facts, look: Look, context: FoldContext): Steps<Folded> {
  const operations = facts.operations.toSorted((a, b) => a.updatedAt - b.updatedAt)
  const parts: Folded[] = []
  let account: ComputeAccount = {
    ...newAccount(facts.ref, look, context.departedUntil),
    evidence: evidenceOf(operations, look, context.now),
  }
  let first = 0
  for (; first + STEP < operations.length; first += STEP) {
    const some = operations.slice(first, first + STEP)
    const then = operations[first + STEP]?.createdAt ?? context.now
    const past = {
      ...facts,
      looks: [],
      readings: [],
      operations: some,
      operationsRead: false,
      goneAt: undefined,
    }
    const part = fold({ before: account, isNew: true }, past, { ...context, now: then })
    parts.push(part)
    account = part.account
    yield
  }
  const last = fold(
    { before: account, isNew: true },
    { ...facts, operations: operations.slice(first) },
    context,
  )
  return together([...parts, last], last)
}

/** What holds for all of the history: when it was last active, its size, and that the list has no gaps. */
function evidenceOf(operations: readonly Operation[], { compute, answeredAt }: Look, now: Instant): Evidence {
  const { sizing, lastActive } = compute
  const begin = operations[0]?.createdAt ?? now
  return {
    ...NO_EVIDENCE,
    operations: operations.filter((one) => one.action === 'apply_config' && awakeEffect(one) === undefined),
    activities: lastActive === undefined ? [] : [lastActive],
    sizes: [
      {
        min: smallestCu(sizing),
        max: largestCu(sizing),
        firstSeenAt: answeredAt,
        lastSeenAt: answeredAt,
        isChanging: false,
      },
    ],
    covered: [begin, instant(Math.max(begin, now - LATENESS * 1000))],
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
