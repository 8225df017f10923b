// The form that says which computes to show. It asks by address, so that what it shows can be kept and sent.
import type { Snapshot } from '../../model/output/snapshot.ts'
import { STATE_WORDS } from '../text/explain.ts'
import { html, type Html } from '../text/html.ts'
import { fleetPath, fleetQuery, NONE_VALUE, STATES, type FleetQuery } from './query.ts'

export function fleetFilters({ computes }: Snapshot, query: FleetQuery): Html {
  const teams = namesOf(computes.map(({ owner }) => owner.team))
  const tiers = namesOf(computes.map(({ owner }) => owner.tier))
  return html`<form class="filters" method="get" action="/" role="search" aria-label="Computes">
    <label
      >Name, id or team <input type="search" name="text" value="${query.text ?? ''}" maxlength="200"
    /></label>
    ${choice('State', 'state', { options: STATES.map((state) => [state, STATE_WORDS[state]]), now: query.state })}
    ${teams.length > 0 && choice('Team', 'team', { options: [...teams.map(itself), [NONE_VALUE, 'none']], now: query.team === '' ? NONE_VALUE : query.team })}
    ${tiers.length > 0 && choice('Tier', 'tier', { options: [...tiers.map(itself), [NONE_VALUE, 'none']], now: query.tier === '' ? NONE_VALUE : query.tier })}
    ${teams.length > 0 && html`<label class="tick"><input type="checkbox" name="group" value="team" ${query.group === 'team' && html` checked`} /> By team</label>`}
    ${kept(query)}<button type="submit">Show</button>
    ${isFiltered(query) && html`<a class="clear" href="${fleetPath({ ...fleetQuery({}), range: query.range })}">All computes</a>`}
  </form>`
}

/** More choices are left out: text finds them too. Doubled, the page of a large account is twice as large. */
const CHOICES = 200

const namesOf = (names: readonly string[]): readonly string[] =>
  [...new Set(names)]
    .filter((name) => name !== '')
    .toSorted()
    .slice(0, CHOICES)

type Option = readonly [value: string, words: string]

const itself = (name: string): Option => [name, name]

const choice = (
  label: string,
  name: string,
  { options, now }: { readonly options: readonly Option[]; readonly now: string | undefined },
): Html =>
  html`<label
    >${label}
    <select name="${name}">
      <option value="">any</option>
      ${options.map(
        ([value, words]) =>
          html`<option value="${value}" ${value === now && html` selected`}>${words}</option>`,
      )}
    </select></label
  >`

/** What the form does not ask for stays as it is. */
function kept({ sort, descending, range, project, branch }: FleetQuery): Html {
  const values = { sort, order: descending ? 'desc' : 'asc', range, project, branch }
  return html`${Object.entries(values).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}" />`,
  )}`
}

const isFiltered = ({ text, state, team, tier, project, branch }: FleetQuery): boolean =>
  [text, state, team, tier, project, branch].some((filter) => filter !== undefined)
