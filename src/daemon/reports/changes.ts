// Changes for a report, from the journal.
import type { Window } from '../../calendar/window.ts'
import type { Selector } from '../../model/policy/selector.ts'
import type { ReportPlan, ReportSlot } from '../../model/output/report.ts'
import type { Change, OpenChange } from '../../model/policy/change.ts'
import { addSaved, NOTHING_SAVED } from '../../model/policy/saved.ts'
import type { Journal } from '../../model/ports/journal.ts'
import type { TargetRef } from '../../model/service/compute.ts'
import { listedChanges, selectChanges, selectStops, summariseChanges } from '../../outputs/report/changes.ts'
import { isInReportPlan, type ComputeIdentity } from '../../outputs/report/ownership.ts'
import type { ReportChanges } from '../../outputs/report/changes-schema.ts'
import { changeJson } from '../../outputs/text/change-json.ts'
import { readApprover } from '../changes/list-changes.ts'

export type ReportJournal = Readonly<{
  journal: Pick<Journal, 'changes' | 'changeEvents' | 'placedHolds' | 'savedParts'>
  /** Windows in which nothing is changed, by their names. */
  freezes: readonly (readonly [name: string, window: Window | undefined])[]
  /** Undefined where nobody knows what holds a change. */
  holdOf: (id: string) => OpenChange['hold']
}>

type PlannedChanges = Readonly<{
  account: string
  currency: string
  slot: ReportSlot
  plans: readonly ReportPlan[]
  identityOf: (ref: TargetRef) => ComputeIdentity
  /** Whether a compute of the plan fits it. */
  fitsPlan: (plan: ReportPlan, match: Selector) => boolean
  /** Whether the report is of the running week or the last one. */
  isCurrent: boolean
}>

/** Most changes of an account that a report counts. */
const MOST_COUNTED = 10_000

/** In the order of the plans; empty without a journal. @throws when the store fails */
export async function readReportChanges(
  source: ReportJournal | undefined,
  { account, currency, slot, plans, identityOf, fitsPlan, isCurrent }: PlannedChanges,
): Promise<readonly ReportChanges[]> {
  if (!source) return []
  const { journal, holdOf, freezes } = source
  const all = await journal.changes(account, { since: slot.from, count: MOST_COUNTED })
  const holds = await journal.placedHolds(account, slot.from)
  const counted = await journal.savedParts(account, { since: slot.from })
  const parts = counted.filter(({ to }) => to < slot.to)
  const planned = plans.map((plan) => ({
    plan,
    saved: parts.filter(({ ref }) => isInReportPlan(plan, identityOf(ref))).reduce(addSaved, NOTHING_SAVED),
    stops: selectStops(
      holds.filter(({ match }) => fitsPlan(plan, match)),
      freezes,
      slot,
    ),
    selected: selectChanges(
      all.filter(({ ref }) => isInReportPlan(plan, identityOf(ref))),
      slot,
    ),
  }))
  const listed = new Set(planned.flatMap(({ selected }) => listedChanges(selected)))
  const approvers = new Map(
    await Promise.all([...listed].map(async (one) => [one.id, await readApprover(journal, one)] as const)),
  )
  const jsonOf = (change: Change) => {
    const { projectName, name: computeName } = identityOf(change.ref)
    const progress = { hold: holdOf(change.id), approvedBy: approvers.get(change.id) }
    return changeJson(change, { projectName, computeName, currency }, progress)
  }
  return planned.map((one) => summariseChanges({ ...one, jsonOf, isCurrent }))
}
