// Recommendations as the snapshot shows them, in memory: the open ones, and the numbers of all.
import { FOLLOW_UP } from '../../advise/follow-up.ts'
import type { AdviseInput, FinishedSaving } from '../../advise/input.ts'
import { computeSaving, NO_SAVING } from '../../advise/total.ts'
import type { AdviceSummary, OpenRecommendation } from '../../model/output/snapshot.ts'
import {
  promisedOf,
  type PromisedSaving,
  type Recommendation,
  type RecommendationKind,
} from '../../model/policy/recommendation.ts'
import type { History } from '../../model/ports/history.ts'
import { isComputeRef, targetKey, type ProjectRef } from '../../model/service/compute.ts'
import { addBounds } from '../../model/ledger/quantities.ts'
import { after, instant, micros, type Instant } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { isShown, SHOWN_STATES, type AdviceOfCompute } from './read-input.ts'

type Finished = FinishedSaving & Pick<PromisedSaving, 'endedAt'>

const NOT_IMPLEMENTED = { realised: undefined, at: instant(0) }

export function createAdviceViews() {
  const open = new Map<string, readonly OpenRecommendation[]>()
  /** By key: projects with one that is open, and the setting that it was made for. */
  const projects = new Map<string, ProjectRef & Pick<Recommendation, 'from'>>()
  const counts = new Map<string, number>()
  const withheld = new Map<string, number>()
  /** By kind and id: those whose follow-up has ended. */
  const finished = new Map<RecommendationKind, Map<string, Finished>>()
  let summary: AdviceSummary | undefined
  const count = ({ recommendations, withheld: reasons }: AdviceOfCompute, step: 1 | -1) => {
    for (const recommendation of recommendations) {
      const { kind, id, life } = recommendation
      const { realised, at } = life.state === 'implemented' ? life : NOT_IMPLEMENTED
      if (!realised) addTo(counts, `${kind}/${life.state}`, step)
      else {
        const sameKind = finished.get(kind) ?? new Map<string, Finished>()
        finished.set(kind, sameKind)
        const saving = promisedOf(recommendation)
        if (step === 1) sameKind.set(id, { saving, realised: realised.likely, endedAt: after(at, FOLLOW_UP) })
        else sameKind.delete(id)
      }
    }
    for (const { kind, because } of reasons) addTo(withheld, `${kind}/${because}`, step)
    summary = undefined
  }
  const show = (key: string, recommendations: readonly Recommendation[]) => {
    const shown = recommendations.filter(({ life }) => life.state === 'open').map(toOpen)
    if (shown.length > 0) open.set(key, shown)
    else open.delete(key)
    const [first] = recommendations.filter(({ life }) => life.state === 'open')
    if (first && !isComputeRef(first.ref)) projects.set(key, { ...first.ref, from: first.from })
    else projects.delete(key)
  }
  return {
    /** By key of the compute or project; undefined where there are none. */
    openOf: (key: string) => open.get(key),
    openKeys: () => open.keys(),
    openProjects: () => projects.values(),
    finished: (): AdviseInput['finished'] =>
      new Map([...finished].map(([kind, sameKind]) => [kind, [...sameKind.values()]])),
    replace: (key: string, before: AdviceOfCompute, next: AdviceOfCompute) => {
      count(before, -1)
      count(next, 1)
      show(key, next.recommendations)
    },
    /** All as stored; before anything else. */
    load: async (history: Pick<History, 'recommendations' | 'advice'>, account: string, now: Instant) => {
      const rows = new Map<string, Recommendation[]>()
      for await (const row of history.recommendations(account, { states: SHOWN_STATES })) {
        if (!isShown(row, now)) continue
        count({ recommendations: [row], withheld: [] }, 1)
        const key = targetKey(row.ref)
        if (row.life.state === 'open') rows.set(key, [...(rows.get(key) ?? []), row])
      }
      for (const [key, recommendations] of rows) show(key, recommendations)
      for await (const advice of history.advice(account, {}))
        count({ recommendations: [], withheld: advice.withheld }, 1)
    },
    /** Identical object until something changes. */
    summary: (): AdviceSummary =>
      (summary ??= {
        saving: savingOfAll(open.values()),
        counts: new Map(counts),
        withheld: new Map(withheld),
        promised: new Map([...finished].map(([kind, sameKind]) => [kind, promisedAll(sameKind)])),
        followedUp: new Map([...finished].flatMap(([kind, sameKind]) => realisedOf(kind, sameKind))),
      }),
  }
}

/** In 30 days, with all of them applied. */
const savingOfAll = (ofComputes: Iterable<readonly OpenRecommendation[]>) =>
  [...ofComputes].reduce((sum, open) => addBounds(sum, computeSaving(open), micros), NO_SAVING)

const toOpen = (recommendation: Recommendation): OpenRecommendation => {
  const { id, kind, from, to, restarts, spend, saving, confidence, openedAt } = recommendation
  return { id, kind, from, to, restarts, spend, saving, confidence, openedAt }
}

function addTo(counts: Map<string, number>, key: string, step: number) {
  const sum = (counts.get(key) ?? 0) + step
  if (sum === 0) counts.delete(key)
  else counts.set(key, sum)
}

const promisedAll = (ofKind: ReadonlyMap<string, Finished>): readonly PromisedSaving[] =>
  [...ofKind.values()].map(({ saving, realised, endedAt }) => ({ likely: saving.likely, realised, endedAt }))

/** Sums in 30 days; none of a kind without any. */
const realisedOf = (kind: RecommendationKind, ofKind: ReadonlyMap<string, FinishedSaving>) =>
  ofKind.size === 0
    ? []
    : [
        [
          kind,
          {
            likely: micros(sumOf([...ofKind.values()], ({ saving }) => saving.likely)),
            realised: micros(sumOf([...ofKind.values()], ({ realised }) => realised)),
          },
        ] as const,
      ]
