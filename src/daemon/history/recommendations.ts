// Recommendations of an account from the store, for the API, the pages and the command line.
import { computeSaving, NO_SAVING } from '../../advise/total.ts'
import type { Window } from '../../calendar/window.ts'
import { addBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type { ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import type { Recommendation, RecommendationState } from '../../model/policy/recommendation.ts'
import type { ManagerOf } from '../../model/policy/policies.ts'
import { targetOfRef } from '../../model/policy/selector.ts'
import type { History } from '../../model/ports/history.ts'
import { isComputeRef, targetKey, type Project, type TargetRef } from '../../model/service/compute.ts'
import { DAY, micros, type Micros } from '../../model/units.ts'
import {
  medianWakeLatency,
  recommendationJson,
  withheldJson,
} from '../../outputs/text/recommendation-json.ts'
import type {
  TargetAdviceJson,
  RecommendationJson,
  WithheldJson,
} from '../../outputs/text/recommendation-schema.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { parseAccount } from '../reports/requests.ts'
import { projectsOf, targetsNamed } from './named-projects.ts'
import { readNoWakeCosts } from './no-wake-costs.ts'

export type AdviceSources = Readonly<{
  history: Pick<History, 'recommendations' | 'advice' | 'gaps'>
  /** Base URL of the service. */
  baseUrlOf: (account: string) => string
  /** By name, of the configuration. */
  windows: () => ReadonlyMap<string, Window>
  /** Absent: nobody else owns settings. */
  managerOf?: ManagerOf
}>

/** States of recommendations, and `withheld`. */
export const LISTED = ['open', 'implemented', 'superseded', 'withdrawn', 'dismissed', 'withheld'] as const
type Listed = (typeof LISTED)[number]
/** What is listed unless a state is asked for: others are replaced or gone. */
const USUAL: readonly Listed[] = ['open', 'implemented', 'dismissed', 'withheld']

export type AdviceRequest = Readonly<{
  account: string
  /** Undefined: all. */
  targets: readonly TargetRef[] | undefined
  states: readonly Listed[]
}>

type AdviceQuery = Readonly<Partial<Record<'account' | 'compute' | 'state', string>>>

/** Defaults: the only account, all computes. The problem names the parameter and what was expected. */
export function adviceRequestOf(
  { account: asked, compute, state }: AdviceQuery,
  snapshot: Snapshot,
): Result<AdviceRequest, string> {
  const states = state === undefined ? USUAL : LISTED.filter((one) => one === state)
  if (states.length === 0) return failed(`state: expected one of ${LISTED.join(', ')}, got ${state}`)
  const named = compute === undefined ? undefined : refsNamed(snapshot, compute, asked)
  if (named?.length === 0) return failed(`compute: no compute or project is called ${compute}`)
  const accounts = snapshot.accounts.map(({ account }) => account)
  const account = parseAccount({ account: asked ?? named?.[0]?.account }, accounts)
  return account.ok ? ok({ account: account.value, targets: named, states }) : account
}

/** Computes with the id or name, and their projects where it is that of a project, all in one account. */
function refsNamed(snapshot: Snapshot, name: string, asked: string | undefined): readonly TargetRef[] {
  const targets = targetsNamed(snapshot, name)
  const account = asked ?? targets[0]?.account
  return targets.filter((target) => target.account === account)
}

/** Facts of an account that its recommendations are displayed with. */
export type AdviceContext = Readonly<{
  currency: string
  jsonOf: (recommendation: Recommendation) => RecommendationJson
  withheldOf: (ref: TargetRef, withheld: Parameters<typeof withheldJson>[1]) => WithheldJson
}>

export function adviceContext(
  snapshot: Snapshot,
  account: string,
  { baseUrlOf, managerOf }: Pick<AdviceSources, 'baseUrlOf' | 'managerOf'>,
): AdviceContext {
  const { accounts, computes } = snapshot
  const projects = projectsOf(snapshot, account)
  const view = accounts.find((one) => one.account === account)
  const byKey = new Map(
    computes
      .filter(({ identity: { ref } }) => ref.account === account)
      .map((compute) => [targetKey(compute.identity.ref), compute]),
  )
  return {
    currency: view?.currency ?? '',
    jsonOf: (recommendation) => {
      const { ref } = recommendation
      const compute = byKey.get(targetKey(ref))
      const project = projects.get(ref.projectId)?.project
      const target = targetOfRef(ref, { compute: compute?.identity.compute, project })
      const regionId = isComputeRef(ref) ? compute?.identity.compute.regionId : project?.regionId
      return recommendationJson(recommendation, {
        ...namesOf(compute, project),
        baseUrl: baseUrlOf(account),
        managedBy: target && managerOf?.(target),
        wakeLatency:
          view && regionId !== undefined ? medianWakeLatency(view.wakeLatency, regionId) : undefined,
      })
    },
    withheldOf: (ref, withheld) => {
      const compute = byKey.get(targetKey(ref))
      return withheldJson(ref, withheld, {
        ...namesOf(compute, projects.get(ref.projectId)?.project),
        alwaysOn: withheld.kind === 'delay' && compute ? alwaysOnSpend(compute) : undefined,
      })
    },
  }
}

const namesOf = (compute: ComputeView | undefined, project: Project | undefined) => ({
  projectName: project?.name,
  computeName: compute?.identity.compute.name,
})

/** In 30 days, by what its time awake cost so far as people see it; undefined where autosuspend is on, or it was never awake. */
function alwaysOnSpend({ state, ledger: { spend, shown, awake } }: ComputeView): Micros | undefined {
  if (state.delay !== 'never' || awake.likely === 0) return undefined
  return micros(((shown?.amount ?? spend).likely / awake.likely) * 30 * DAY)
}

const STATES = LISTED.filter((state): state is RecommendationState => state !== 'withheld')

const requestedStates = ({ states }: AdviceRequest): readonly RecommendationState[] =>
  STATES.filter((state) => states.includes(state))

/** Characters; bounds the memory per client. */
const PIECE_LENGTH = 32_768

/**
 * Text of `RecommendationsJson`, in pieces; one compute or project in memory at a time. The total comes last, and is that of what was asked for,
 * whatever the states.
 */
export async function* streamRecommendations(
  { history, ...sources }: AdviceSources,
  snapshot: Snapshot,
  request: AdviceRequest,
): AsyncGenerator<string> {
  const { account, targets, states } = request
  const context = adviceContext(snapshot, account, sources)
  const total = createTotal()
  const shown = requestedStates(request)
  yield `{"schema_version":2,"account":${JSON.stringify(account)},"currency":${JSON.stringify(context.currency)},"recommendations":[`
  const read = [...new Set([...shown, 'open' as const])]
  yield* joined(history.recommendations(account, { states: read, ...(targets && { targets }) }), (one) => {
    total.add(one)
    return shown.includes(one.life.state) ? [context.jsonOf(one)] : []
  })
  yield '],"withheld":['
  if (states.includes('withheld'))
    yield* joined(history.advice(account, targets ? { targets } : {}), ({ ref, withheld }) =>
      withheld.map((one) => context.withheldOf(ref, one)),
    )
  yield `],"saving_micros_per_30_days":${JSON.stringify(total.sum())}}`
}

async function* joined<Row>(rows: AsyncIterable<Row>, jsonOf: (row: Row) => readonly unknown[]) {
  let [piece, separator] = ['', '']
  for await (const row of rows)
    for (const json of jsonOf(row)) {
      piece += separator + JSON.stringify(json)
      separator = ','
      if (piece.length < PIECE_LENGTH) continue
      yield piece
      piece = ''
    }
  yield piece
}

/** Sum over open recommendations that come compute by compute, project by project. */
function createTotal() {
  let sum: Bounds<Micros> = NO_SAVING
  let same: Recommendation[] = []
  const end = () => {
    sum = addBounds(sum, computeSaving(same), micros)
    same = []
  }
  return {
    add: (one: Recommendation) => {
      if (one.life.state !== 'open') return
      const [first] = same
      if (first && targetKey(first.ref) !== targetKey(one.ref)) end()
      same.push(one)
    },
    sum: () => {
      end()
      return sum
    },
  }
}

/** Recommendations of one compute or project. @throws when the store fails */
export async function readTargetAdvice(
  { history, ...sources }: AdviceSources,
  snapshot: Snapshot,
  ref: TargetRef,
): Promise<TargetAdviceJson> {
  const { account } = ref
  const context = adviceContext(snapshot, account, sources)
  const targets = [ref]
  const states = STATES.filter((state) => USUAL.includes(state))
  const recommendations = await Array.fromAsync(history.recommendations(account, { states, targets }))
  const evaluations = await Array.fromAsync(history.advice(account, { targets }))
  const open = recommendations.filter(({ life }) => life.state === 'open')
  const noWakeCosts = await readNoWakeCosts({ history, windows: sources.windows() }, account, open)
  return {
    currency: context.currency,
    recommendations: recommendations.map(context.jsonOf),
    withheld: evaluations.flatMap(({ withheld }) => withheld.map((one) => context.withheldOf(ref, one))),
    noWakeCosts,
  }
}
