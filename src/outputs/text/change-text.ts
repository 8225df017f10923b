// Words of changes, the same on the command line, on pages, in reports and in explanations.
import type { HoldReason } from '../../model/policy/hold.ts'
import { hasNoOpening, isEndedByPerson, isEndless, outlasts } from '../../model/policy/hold-end.ts'
import { fromIso } from '../../model/time.ts'
import { instant } from '../../model/units.ts'
import type {
  ChangeAnswerJson,
  ChangeHistoryJson,
  ChangeJson,
  ChangeSettingJson,
  HoldJson,
  PlanJson,
  PlansJson,
} from './change-schema.ts'
import { countWithNoun, moneyText, toSecond, savingText } from './amounts.ts'

const HOLD_TEXTS: Readonly<Record<HoldReason, string>> = {
  approval: 'it waits for an approval',
  'kill-switch': 'the kill switch is engaged',
  freeze: 'nothing is changed in a freeze',
  hold: 'a person holds changes of the compute',
  mode: 'the mode of the configuration or of its policy allows no changes',
  policy: 'its policy makes no such changes any more',
  'outside-window': 'no window of its policy is open for long enough',
  clock: "the machine's clock was set: the time is known again after the next pass",
  'denied-window': 'a window of its policy forbids restarts',
  'hold-off': 'Dormouse or the compute is too young for a change without a request',
  breaker: 'changes or requests to the service failed, so that none is made without a request',
  brake: 'a brake holds it until a person releases it',
  'compute-pace': 'changes restarted the compute lately',
  'fleet-pace': 'changes restart enough computes of the account already',
  'key-refused': 'the service refuses the API key',
  budget: 'a budget of the compute has reached 80 %',
  retry: 'the service was busy or could not take the request',
  'project-busy': 'an operation of the project is in progress',
  'delay-pace': 'a shorter delay is set at most once an hour',
  'foreign-change': 'somebody else set the compute less than a day ago',
  'replica-first': 'a replica of the branch is changed first',
  'branch-pace': 'another compute of the branch was restarted less than ten minutes ago',
  awake: 'it waits until the compute is suspended',
  'not-quiet': 'it waits until nobody works on the compute',
  load: 'it waits for a low load inside its window',
  asleep: 'it waits until the compute is awake, so that it wakes nothing',
  'next-start': 'it waits for the next start of the compute',
  'client-expected': 'a client is expected while it would be made',
  settle: 'a request without an answer may still take effect',
  unseen: 'its compute is looked at as soon as a request may be made and is answered',
  unverified: 'it waits until the service shows the result',
  verdict: 'it took effect; readings of the compute will tell whether it stays',
}

export const holdText = (because: HoldReason): string => HOLD_TEXTS[because]

/** `autosuspend off`, `300 s`, `default delay`, `0.25–2 CU`. */
function settingText({ delay_seconds: delay, min_cu: min, max_cu: max }: ChangeSettingJson): string {
  const delayText =
    delay === 'never' ? 'autosuspend off' : delay === 'default' ? 'default delay' : `${delay} s`
  return [
    ...(min === undefined || max === undefined ? [] : [`${min === max ? min : `${min}–${max}`} CU`]),
    ...(delay === undefined ? [] : [delayText]),
  ].join(', ')
}

type What = Pick<ChangeJson, 'kind' | 'from' | 'to'>

/** `1 CU → 0.25–2 CU`, or `restart`. */
export const changeTitle = ({ kind, from, to }: What): string =>
  kind === 'restart' ? 'restart' : `${settingText(from)} → ${settingText(to)}`

const OUTCOMES: Readonly<Record<ChangeJson['state'], string>> = {
  proposed: 'proposed',
  scheduled: 'scheduled',
  applying: 'being applied',
  verifying: 'applied, being verified',
  done: 'done',
  failed: 'failed',
  superseded: 'superseded',
  expired: 'expired',
  cancelled: 'cancelled',
  rejected: 'rejected',
  reverted: 'taken back',
  unknown: 'unknown, a person must look',
}

/** `scheduled: it waits until the compute is suspended`. */
export function changeStateText({
  state,
  hold,
  ended,
}: Pick<ChangeJson, 'state' | 'hold' | 'ended'>): string {
  const because = ended ? ended.because : hold && holdLine(hold)
  return because ? `${OUTCOMES[state]}: ${because}` : OUTCOMES[state]
}

/** With since and until when. */
export function holdLine({ text, since, until }: HoldJson): string {
  const times = [
    ...(since === null ? [] : [`since ${toSecond(since)}`]),
    ...(until === null ? [] : [`until ${toSecond(until)}`]),
  ]
  return times.length === 0 ? text : `${text}, ${times.join(', ')}`
}

export const changeSummary = (change: ChangeJson): string =>
  `${changeTitle(change)}, ${changeStateText(change)}`

/** Facts of one change, a line each. */
export function changeLines(change: ChangeJson): readonly string[] {
  const {
    asked_by: by,
    approved_by: approver,
    recommendation_id: recommendation,
    sessions,
    sent_at: sentAt,
  } = change
  return [
    `asked for by ${by} at ${toSecond(change.created_at)}${change.reason === '' ? '' : `: ${change.reason}`}`,
    ...(recommendation === null ? [] : [`implements the recommendation ${recommendation}`]),
    ...promisedLines(change),
    ...(approver === null ? [] : [`approved by ${approver}`]),
    ...(change.forced === null ? [] : [forcedText(change.forced)]),
    ...(isUnsent(change) ? [`${whenText(change)}, until ${toSecond(change.deadline)}`] : []),
    ...slotLines(change),
    ...(sentAt === null ? [] : [`sent at ${toSecond(sentAt)}; ${sessionsText(sessions)}`]),
    ...savedLines(change),
    requestText(change),
  ]
}

const slotLines = ({ slot }: Pick<ChangeJson, 'slot'>): readonly string[] =>
  slot ? [`windows, freezes, holds and brakes let it go ${slotText(slot)}`] : []

/** `from … until …`. */
export const slotText = ({ from, to }: Readonly<{ from: string; to: string }>) =>
  `from ${toSecond(from)} until ${toSecond(to)}`

/** Delays that schedules of policies set, a line each; empty where they set none. */
export const scheduleLines = ({ schedules }: Pick<PlansJson, 'schedules'>): readonly string[] =>
  schedules.length === 0
    ? []
    : [
        'within seven days schedules set these delays, and put them back:',
        ...schedules.map(
          ({ window, from, to, delay_seconds: delay, computes }) =>
            `  ${window}: ${settingText({ delay_seconds: delay })} for ${countWithNoun(computes, 'compute')} ${slotText({ from, to })}`,
        ),
      ]

/** Settings that are put back after the periods of budgets, a line each; empty where there are none. */
export const putBackLines = ({ put_backs: all }: Pick<PlansJson, 'put_backs'>): readonly string[] =>
  all.length === 0
    ? []
    : [
        'within seven days what budgets set is put back, where it still holds:',
        ...all.map(
          ({ budget, at, kind, computes }) =>
            `  ${budget}: the ${kind === 'delay' ? 'delay' : 'size'} of ${countWithNoun(computes, 'compute')} at ${toSecond(at)}`,
        ),
      ]

const forcedText = ({ by, until, reason }: NonNullable<ChangeJson['forced']>) =>
  `forced by ${by} until ${toSecond(until)}${reason === '' ? '' : `: ${reason}`}`

/** Whether its request waits: then it has a moment and a deadline. */
export const isUnsent = ({ state }: Pick<ChangeJson, 'state'>): boolean =>
  state === 'proposed' || state === 'scheduled'

const promisedLines = ({
  promised_micros_per_30_days: promised,
  currency,
}: Pick<ChangeJson, 'promised_micros_per_30_days' | 'currency'>) =>
  promised === null ? [] : [savingText(promised, currency)]

const savedLines = ({ saved, currency }: Pick<ChangeJson, 'saved' | 'currency'>): readonly string[] =>
  saved
    ? [
        `saved ${moneyText(saved.saved_micros, currency)} and spent ${moneyText(saved.extra_spend_micros, currency)} beyond the setting before, counted until ${toSecond(saved.counted_until)}`,
      ]
    : []

const whenText = ({ kind, when, restarts }: Pick<ChangeJson, 'kind' | 'when' | 'restarts'>): string => {
  if (kind === 'defaults') return 'at any time: no session is interrupted'
  if (when === 'now') return restarts ? 'at once, sessions are interrupted' : 'at once'
  if (when === 'policy') return restarts ? 'when its policy allows it' : 'while the compute is awake'
  return restarts ? 'while nobody is connected' : 'at the next look: no session is interrupted'
}

export const sessionsText = (sessions: ChangeJson['sessions']): string =>
  `sessions interrupted: ${sessionCountText(sessions) ?? 'none was sent'}`

/** Undefined where nothing was sent. */
export const sessionCountText = (sessions: ChangeJson['sessions']): string | undefined =>
  sessions === 'unknown' ? 'unknown, nobody counted them' : sessions?.toString()

/** `ann`; `ann, approved by bob`. */
export function askedByText({
  asked_by: by,
  approved_by: approver,
}: Pick<ChangeJson, 'asked_by' | 'approved_by'>): string {
  if (approver === null) return by
  return approver === by ? `${by}, who approved it` : `${by}, approved by ${approver}`
}

/** What a person may do with it. */
export function changeCommands({
  id,
  state,
  plan_hash: hash,
}: Pick<ChangeJson, 'id' | 'state' | 'plan_hash'>): readonly string[] {
  if (state === 'proposed')
    return [`dormouse approve ${id} --plan-hash ${hash}`, `dormouse reject ${id} --reason "…"`]
  return state === 'scheduled' ? [`dormouse cancel ${id} --reason "…"`] : []
}

const requestText = ({ request: { method, path, body } }: Pick<ChangeJson, 'request'>): string =>
  `request: ${method} ${path}${body === null ? '' : ` ${JSON.stringify(body)}`}`

/** Whether what a plan waits for ends before its deadline. */
function inTimeText(
  { because, until: untilIso }: HoldJson,
  { likely_in_time: likely, deadline }: Pick<PlanJson, 'likely_in_time' | 'deadline'>,
): string {
  const hold = { because, until: untilIso === null ? undefined : fromIso(untilIso) }
  if (likely === 'yes') return 'likely before the deadline'
  if (likely === 'unknown')
    return isEndedByPerson(hold)
      ? 'a person decides whether that ends before the deadline'
      : 'nobody can say whether that comes before the deadline'
  if (hasNoOpening(hold)) return 'not likely before the deadline: none is known to open again'
  if (isEndless(hold) || outlasts(hold, fromIso(deadline) ?? instant(0))) return 'not before the deadline'
  return 'not likely before the deadline: autosuspend is off, so that no suspension comes by itself; --when now does not wait for one'
}

/** What would be sent and when, a line each. */
export function planLines(plan: PlanJson): readonly string[] {
  const { endpoint_id: id, name, project_name: project, change_id: change, waits_for: hold } = plan
  return [
    `${id ?? 'new computes'}${name === null ? '' : ` ${name}`} of ${project ?? plan.project_id}: ${changeTitle(plan)}`,
    `  ${plan.restarts ? 'restarts the compute' : 'restarts nothing'}; ${whenText(plan)}, until ${toSecond(plan.deadline)}`,
    ...atOnceLines(plan),
    ...promisedLines(plan).map((line) => `  ${line}`),
    ...(hold ? [`  waits: ${holdLine(hold)}; ${inTimeText(hold, plan)}`] : []),
    ...slotLines(plan).map((line) => `  ${line}`),
    `  ${requestText(plan)}`,
    `  plan hash: ${plan.plan_hash}${change === null ? '' : `, change ${change}`}`,
  ]
}

/** Computes that a change of defaults changes at once. */
const atOnceLines = ({ kind, to, changes_at_once: computes }: PlanJson): readonly string[] => {
  if (kind !== 'defaults') return []
  const kept = to.max_cu === undefined ? [] : ['  changes no size of an existing compute']
  return [...(to.delay_seconds === undefined ? [] : [delayAtOnceText(computes)]), ...kept]
}

function delayAtOnceText(computes: PlanJson['changes_at_once']): string {
  if (computes.length === 0) return '  changes no existing compute: each has a delay of its own'
  const names = computes.map(({ endpoint_id: id, name }) => (name === null ? id : `${id} ${name}`))
  return `  changes at once, as they have no delay of their own: ${names.join(', ')}`
}

export const answerLines = ({ change, note }: ChangeAnswerJson): readonly string[] => [
  `${change.id} of ${change.endpoint_id ?? `new computes of ${change.project_id}`}: ${changeSummary(change)}`,
  ...(note === null ? [] : [note]),
  ...changeLines(change).map((line) => `  ${line}`),
]

export const historyLines = ({ change, history }: ChangeHistoryJson): readonly string[] => [
  ...answerLines({ schema_version: 2, change, note: null }),
  ...history.map((event) => `  ${historyText(event)}`),
]

export const historyText = ({ at, state, because }: ChangeHistoryJson['history'][number]): string =>
  `${toSecond(at)} ${OUTCOMES[state]}${because === null ? '' : `: ${because}`}`

/** Why no change is sent at all; empty where they are. */
export const stoppedLines = ({
  mode,
  kill_switch: engagedBy,
}: Pick<PlansJson, 'mode' | 'kill_switch'>): readonly string[] => [
  ...(mode === 'off' || mode === 'observe' ? [`nothing is sent: the mode is ${mode}`] : []),
  ...(engagedBy.length === 0
    ? []
    : [`nothing is sent: the kill switch is engaged by ${engagedBy.join(' and ')}`]),
]
