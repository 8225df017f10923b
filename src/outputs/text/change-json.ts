// Changes as JSON: the API answers with it, and all texts are made of it.
import {
  isEnded,
  restartsCompute,
  sentAtOf,
  type Change,
  type ChangeEvent,
  type ChangeSettings,
  type ChangeState,
  type OpenChange,
} from '../../model/policy/change.ts'
import type { Hold } from '../../model/policy/hold.ts'
import type { sumOfParts } from '../../model/policy/saved.ts'
import { isStepOrigin } from '../../model/policy/step-origin.ts'
import type { ForcedChange } from '../../model/policy/placed-hold.ts'
import { requestOfChange } from '../../model/service/change-request.ts'
import type { Compute, TargetRef } from '../../model/service/compute.ts'
import { toIso } from '../../model/time.ts'
import type { Instant, Interval } from '../../model/units.ts'
import { targetFields, sizingFields, timeField } from './compute-fields.ts'
import { holdText } from './change-text.ts'
import type { ChangeHistoryJson, ChangeJson, ChangeSettingJson, HoldJson, PlanJson } from './change-schema.ts'

export type ChangeContext = Readonly<{
  projectName: string | undefined
  computeName: string | undefined
  currency: string
}>

/** What the change itself does not say. */
export type ChangeProgress = Readonly<{
  hold: OpenChange['hold']
  /** Undefined where no approval was needed, or none was given. */
  approvedBy: string | undefined
  /** Absent where nobody forces it now. */
  forced?: ForcedChange | undefined
  /** Absent where nobody can say. */
  slot?: Interval | undefined
  /** Absent where nothing was counted. */
  saved?: ReturnType<typeof sumOfParts>
}>

export function changeJson(
  change: Change,
  context: ChangeContext,
  { hold, approvedBy, forced, slot, saved }: ChangeProgress,
): ChangeJson {
  const { id, ref, state, origin, reason, createdAt } = change
  return {
    id,
    ...identityJson(ref, context),
    state: state.at,
    ...whatJson(change),
    asked_by: isStepOrigin(origin) ? `${origin.by} ${origin.name}` : origin.name,
    approved_by: approvedBy ?? null,
    reason,
    created_at: toIso(createdAt),
    hold: hold ? holdJson(hold) : null,
    slot: slotJson(slot),
    forced: forced ? { by: forced.by, reason: forced.reason, until: toIso(forced.until) } : null,
    sent_at: timeField(sentAtOf(state)),
    sessions: sessionsOf(state) ?? null,
    saved: saved
      ? {
          saved_micros: saved.saved,
          extra_spend_micros: saved.extra,
          counted_until: toIso(saved.until),
        }
      : null,
    ended: isEnded(state) ? { at: toIso(state.endedAt), because: state.because } : null,
  }
}

const identityJson = (ref: TargetRef, { projectName, computeName, currency }: ChangeContext) => ({
  account: ref.account,
  ...targetFields(ref, projectName ?? null),
  name: computeName ?? null,
  currency,
})

const whatJson = (change: Change) => {
  const { kind, before, desired, when, ref, planHash, origin, promised, deadline } = change
  const request = requestOfChange(ref, desired)
  return {
    kind,
    from: settingJson(before),
    to: settingJson(desired),
    when,
    restarts: restartsCompute(kind),
    request: { ...request, body: request.body ?? null },
    plan_hash: planHash,
    recommendation_id: 'id' in origin ? origin.id : null,
    promised_micros_per_30_days: promised ?? null,
    deadline: toIso(deadline),
  }
}

const settingJson = ({ sizing, autosuspendDelay: delay }: ChangeSettings): ChangeSettingJson => ({
  ...(delay !== undefined && { delay_seconds: delay === 0 ? 'default' : delay }),
  ...(sizing && sizingFields(sizing)),
})

export const holdJson = ({
  because,
  until,
  since,
  detail,
}: Hold & Readonly<{ since?: Instant }>): HoldJson => ({
  because,
  text: detail === undefined ? holdText(because) : `${holdText(because)}: ${detail}`,
  since: timeField(since),
  until: timeField(until),
})

const slotJson = (slot: Interval | undefined) =>
  slot ? { from: toIso(slot.from), to: toIso(slot.to) } : null

const sessionsOf = (state: ChangeState) =>
  state.at === 'applying' ? state.sessions : 'sent' in state ? state.sent?.sessions : undefined

export const changeHistoryJson = (change: ChangeJson, events: readonly ChangeEvent[]): ChangeHistoryJson => ({
  schema_version: 2,
  change,
  history: events.map(({ version, at, state }) => ({
    version,
    at: toIso(at),
    state: state.at,
    because: 'because' in state ? state.because : null,
  })),
})

export type PlanFacts = Readonly<{
  change: Change
  /** Undefined where no change was made of it yet. */
  id: string | undefined
  context: ChangeContext
  hold: (Hold & Readonly<{ since?: Instant }>) | undefined
  slot: Interval | undefined
  likelyInTime: PlanJson['likely_in_time']
  /** Existing computes on which a change of defaults takes effect at once; empty for others. */
  atOnce: readonly Readonly<{ compute: Compute }>[]
}>

export const planJson = ({ change, id, context, hold, slot, likelyInTime, atOnce }: PlanFacts): PlanJson => ({
  ...identityJson(change.ref, context),
  change_id: id ?? null,
  ...whatJson(change),
  waits_for: hold ? holdJson(hold) : null,
  slot: slotJson(slot),
  likely_in_time: likelyInTime,
  changes_at_once: atOnce.map(({ compute }) => ({
    endpoint_id: compute.endpointId,
    name: compute.name ?? null,
  })),
})
