// What the page of recommendations displays: of the store, one page in memory.
import type { Zone } from '../../../calendar/zone.ts'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import { targetKey } from '../../../model/service/compute.ts'
import {
  ADVICE_PER_PAGE,
  adviceQuery,
  recommendationsPage,
  type AdviceQuery,
  type AdviceRow,
} from '../../../outputs/page/recommendations.ts'
import type { PageContent } from '../../../outputs/page/layout.ts'
import { namesOf } from '../../../outputs/page/filters.ts'
import { savingText } from '../../../outputs/text/amounts.ts'
import { fits } from '../../../outputs/text/withheld-text.ts'
import { createTopK } from '../../../std/top-k.ts'
import { teamsByKey } from '../../history/named-projects.ts'
import { adviceContext, type AdviceSources } from '../../history/recommendations.ts'

export async function readRecommendationsPage(
  sources: AdviceSources,
  snapshot: Snapshot,
  { parameters, zone }: Readonly<{ parameters: Readonly<Record<string, string>>; zone: Zone }>,
): Promise<PageContent> {
  const query = adviceQuery(parameters)
  const top = createTopK<AdviceRow>(query.page * ADVICE_PER_PAGE, ({ kind, one }) =>
    kind === 'withheld' ? (one.always_on_micros_per_30_days ?? 0) : one.saving_micros_per_30_days.likely,
  )
  let matches = 0
  for (const { account } of snapshot.accounts)
    // oxlint-disable-next-line no-await-in-loop -- one account after the other
    for await (const row of rowsOf(sources, snapshot, { account, query })) {
      matches += 1
      top.add(row)
    }
  const teams = namesOf(snapshot.computes.map(({ identity }) => identity.owner.team))
  const page = Math.min(query.page, Math.max(1, Math.ceil(matches / ADVICE_PER_PAGE)))
  const savings = snapshot.accounts.flatMap(({ account, advice, currency }) =>
    advice ? [{ account, text: savingText(advice.saving, currency) }] : [],
  )
  const rows = top.all().slice((page - 1) * ADVICE_PER_PAGE, page * ADVICE_PER_PAGE)
  const localNow = { now: snapshot.takenAt, zone }
  const input = { query: { ...query, page }, rows, matches, teams, savings, localNow }
  return recommendationsPage(input)
}

async function* rowsOf(
  { history, ...sources }: AdviceSources,
  snapshot: Snapshot,
  { account, query: { state, kind, team } }: Readonly<{ account: string; query: AdviceQuery }>,
): AsyncGenerator<AdviceRow> {
  const { currency, jsonOf, withheldOf } = adviceContext(snapshot, account, sources)
  const teamByKey = teamsByKey(snapshot)
  const accepts = (one: { readonly kind: string }, ownTeam: string) =>
    (kind === undefined || one.kind === kind) && (team === undefined || ownTeam === team)
  if (state === 'withheld' || state === 'fits')
    for await (const { ref, withheld } of history.advice(account, {})) {
      const own = teamByKey.get(targetKey(ref)) ?? ''
      const listed = withheld.filter((one) => fits(one) === (state === 'fits') && accepts(one, own))
      for (const one of listed) yield { kind: 'withheld', one: withheldOf(ref, one), currency, team: own }
    }
  else
    for await (const one of history.recommendations(account, { states: [state] })) {
      const own = teamByKey.get(targetKey(one.ref)) ?? ''
      if (accepts(one, own)) yield { kind: 'recommendation', one: jsonOf(one), currency, team: own }
    }
}
