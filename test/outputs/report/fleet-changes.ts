// Changes of the fleets that reports are made of.
import type { Change } from '../../../src/model/policy/change.ts'
import { NOTHING_SAVED } from '../../../src/model/policy/saved.ts'
import { after, cu, instant, micros, seconds } from '../../../src/model/units.ts'
import { selectChanges, summariseChanges } from '../../../src/outputs/report/changes.ts'
import { isInReportPlan } from '../../../src/outputs/report/ownership.ts'
import type { ReportInput } from '../../../src/outputs/report/report.ts'
import type { ReportChanges } from '../../../src/outputs/report/changes-schema.ts'
import { changeJson, type ChangeProgress } from '../../../src/outputs/text/change-json.ts'
import { refOf } from '../../store/build.ts'
import { changeOf, SCHEDULED } from '../../support/changes.ts'
import { amounts } from '../../support/recommendations.ts'

const DAY = 86_400_000
/** Begin of 2026-W47. */
const WEEK = Date.UTC(2026, 10, 16)
const onDay = (day: number) => instant(WEEK + day * DAY)

const of = (day: number, fields: Partial<Change>): Change =>
  changeOf({ createdAt: onDay(day), deadline: after(onDay(day), seconds(14 * 86_400)), ...fields })

export const BUSY_CHANGES: readonly Change[] = [
  of(-3, {
    id: 'ch-00000001',
    ref: refOf('ep-blog', 'p-blog'),
    kind: 'delay',
    origin: { by: 'recommendation', id: 'ep-blog.delay.1', hash: 'h1', name: 'ann' },
    before: { autosuspendDelay: seconds(900) },
    desired: { autosuspendDelay: seconds(300) },
    promised: amounts(4, 6, 8),
    state: { at: 'done', because: 'verified', endedAt: onDay(-2), sent: { at: onDay(-2.01), sessions: 0 } },
  }),
  of(0.5, {
    id: 'ch-00000002',
    ref: refOf('ep-shop-reports', 'p-shop'),
    origin: { by: 'recommendation', id: 'ep-shop-reports.sizing.1', hash: 'h1', name: 'ann' },
    before: { sizing: { fixed: cu(2) } },
    desired: { sizing: { min: cu(0.25), max: cu(1) } },
    promised: amounts(3, 5.5, 7),
    state: { at: 'done', because: 'verified', endedAt: onDay(1.001), sent: { at: onDay(1), sessions: 0 } },
  }),
  of(1, {
    id: 'ch-00000003',
    ref: refOf('ep-shop-main', 'p-shop'),
    when: 'now',
    reason: 'the sale begins tomorrow',
    before: { sizing: { fixed: cu(2) } },
    desired: { sizing: { fixed: cu(4) } },
    state: { at: 'done', because: 'verified', endedAt: onDay(1.002), sent: { at: onDay(1), sessions: 12 } },
  }),
  of(2, {
    id: 'ch-00000004',
    ref: refOf('ep-dearer', 'p-blog'),
    kind: 'restart',
    before: {},
    desired: {},
    when: 'now',
    state: {
      at: 'unknown',
      because: 'no start is shown',
      endedAt: onDay(2.1),
      sent: { at: onDay(2), sessions: 'unknown' },
    },
  }),
  of(2, {
    id: 'ch-00000005',
    ref: refOf('ep-always-on', 'p-old'),
    deadline: onDay(4),
    state: {
      at: 'expired',
      because: 'the compute was never suspended before the deadline',
      endedAt: onDay(4),
    },
  }),
  of(5, {
    id: 'ch-00000006',
    ref: refOf('ep-always-on', 'p-old'),
    origin: { by: 'recommendation', id: 'ep-always-on.delay.2', hash: 'h1', name: 'ann' },
    kind: 'delay',
    before: { autosuspendDelay: 'never' },
    desired: { autosuspendDelay: seconds(300) },
    promised: amounts(9.5, 12.25, 14),
    state: { at: 'proposed' },
  }),
  of(6, { id: 'ch-00000007', ref: refOf('ep-shop-main', 'p-shop'), state: SCHEDULED }),
]

/** What is not in the change itself, by its id. */
const PROGRESS: Readonly<Record<string, ChangeProgress>> = {
  'ch-00000002': { hold: undefined, approvedBy: 'ann' },
  'ch-00000006': {
    hold: { because: 'approval', since: onDay(5), until: undefined },
    approvedBy: undefined,
  },
  'ch-00000007': {
    hold: { because: 'branch-pace', since: onDay(6.99), until: onDay(7.4) },
    approvedBy: undefined,
  },
}

/** Null where they are not known. */
export function changesIn(
  changes: readonly Change[] | undefined,
  { plan, slot, identityOf }: Pick<ReportInput, 'plan' | 'slot' | 'identityOf'>,
): ReportChanges | null {
  if (!changes) return null
  const own = changes.filter(({ ref }) => isInReportPlan(plan, identityOf(ref)))
  const jsonOf = (change: Change) => {
    const { projectName, name: computeName } = identityOf(change.ref)
    const progress = PROGRESS[change.id] ?? { hold: undefined, approvedBy: undefined }
    return changeJson(change, { projectName, computeName, currency: 'USD' }, progress)
  }
  const stops = { holds: [], freezes: [] }
  const saved = own.length === 0 ? NOTHING_SAVED : { saved: micros(12_500_000), extra: micros(750_000) }
  return summariseChanges({ selected: selectChanges(own, slot), saved, stops, plan, jsonOf, isCurrent: true })
}
