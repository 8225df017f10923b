// What a budget changes at each of its rungs, for a person who asks before it does.
/* oxlint-disable no-await-in-loop -- the histories of a large account are read one after the other */
import { pastInterval, stepSaving } from '../../../advise/step-saving.ts'
import { addBounds, type Bounds, type Prices } from '../../../model/ledger/quantities.ts'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import { RUNGS, type BudgetWithForecast, type Rung } from '../../../model/policy/budget.ts'
import type { History } from '../../../model/ports/history.ts'
import type { Change } from '../../../model/policy/change.ts'
import { micros, type Micros } from '../../../model/units.ts'
import { priceAt } from '../../../ledger/settle/slices.ts'
import { isoInterval } from '../../../outputs/text/amounts.ts'
import type { BudgetPlanJson, RungPlanJson } from '../../../outputs/text/change-schema.ts'
import { rungText } from '../../../outputs/text/budget-plan-text.ts'
import { NOT_MADE_TEXTS } from '../../../outputs/text/policy-text.ts'
import { ok, type Result } from '../../../std/result.ts'
import type { ChangeSources } from '../list-changes.ts'
import { planOf } from '../commands/list-plans.ts'
import { refuseCommand, type CommandProblem } from '../targets.ts'
import type { BudgetPreview } from './steps.ts'
import { changeOfStep, type WantedStep } from './wanted-steps.ts'

export type BudgetPlanSources = ChangeSources &
  Readonly<{
    history: Pick<History, 'gaps' | 'days'>
    previewBudget: (snapshot: Snapshot, name: string) => Promise<BudgetPreview | undefined>
    pricesOf: (account: string) => Prices
  }>

/** Each step of a page that is priced reads weeks of history. */
export const PRICED_ON_PAGE = 20

export async function planBudget(
  sources: BudgetPlanSources,
  snapshot: Snapshot,
  {
    name,
    mostPriced = Infinity,
  }: Readonly<{
    name: string
    /** Rungs with more steps have no saving stated. */
    mostPriced?: number
  }>,
): Promise<Result<BudgetPlanJson, CommandProblem>> {
  const preview = await sources.previewBudget(snapshot, name)
  if (!preview) return refuseCommand(404, `budget: no budget with a current period is called ${name}`)
  const { view } = preview
  const rungs: RungPlanJson[] = []
  for (const rung of RUNGS) rungs.push(await planRung(sources, snapshot, { preview, rung, mostPriced }))
  return ok({
    schema_version: 1,
    mode: sources.config().mode,
    kill_switch: sources.killSwitch.engagedBy(),
    account: view.account,
    budget: name,
    currency: snapshot.accounts.find(({ account }) => account === view.account)?.currency ?? '',
    period: isoInterval(view.period),
    share: view.share,
    acting: view.enforcement.kind,
    rungs,
  })
}

type RungOfPlan = Readonly<{ preview: BudgetPreview; rung: Rung; mostPriced: number }>

async function planRung(
  sources: BudgetPlanSources,
  snapshot: Snapshot,
  { preview, rung, mostPriced }: RungOfPlan,
): Promise<RungPlanJson> {
  const { view, at, madeAt } = preview
  const steps: RungPlanJson['steps'] = []
  const wanted = at(rung)
  for (const { step, because } of wanted) {
    const isProposed = step.policy.mode !== 'apply'
    const change = changeOfStep(step, sources, isProposed)
    if (!change) continue
    const runner = sources.runnerOf(view.account)
    const [hold, slot] = [runner.policyHold(change), runner.slotOf(change)]
    const saving = wanted.length <= mostPriced ? await savingOf(sources, { step, change, view }) : undefined
    steps.push({
      plan: planOf(snapshot, change, { id: undefined, hold, slot }),
      state: because ? null : isProposed ? 'proposed' : 'scheduled',
      because: because ? NOT_MADE_TEXTS[because] : null,
      saving_micros: saving ?? null,
    })
  }
  const savings = steps.flatMap(({ state, saving_micros: saving }) => (state && saving ? [saving] : []))
  return {
    rung,
    reached: view.rungs.includes(rung),
    does: rungText(view, rung),
    steps,
    made: madeAt(rung).map(({ id, ref, state }) => ({
      change_id: id,
      endpoint_id: ref.endpointId,
      state: state.at,
    })),
    saving_micros:
      savings.length === 0 ? null : savings.reduce((sum, saving) => addBounds(sum, saving, Math.round)),
  }
}

type PricedStep = Readonly<{ step: WantedStep; change: Change; view: BudgetWithForecast }>

async function savingOf(
  { history, pricesOf, runnerOf }: BudgetPlanSources,
  { step, change, view: { account, period } }: PricedStep,
): Promise<Bounds<Micros> | undefined> {
  const now = runnerOf(account).now()
  const part = { ...pastInterval(now), computes: [step.ref] }
  const past = {
    sizing: step.view.identity.compute.sizing,
    gaps: change.kind === 'delay' ? await Array.fromAsync(history.gaps(account, part)) : [],
    days: await Array.fromAsync(history.days(account, part)),
    perCuHour: priceAt(pricesOf(account), now),
  }
  const saving = stepSaving(change, past, { from: now, to: period.to })
  return saving && { low: whole(saving.low), likely: whole(saving.likely), high: whole(saving.high) }
}

const whole = (amount: Micros) => micros(Math.round(amount))
