// The form uses GET, so that a filtered page has an address to bookmark and share.
import type { Snapshot } from '../../model/output/snapshot.ts'
import { STATE_WORDS } from '../text/explain.ts'
import { html, type Html } from '../text/html.ts'
import { fleetPath, fleetQuery, NONE_VALUE, STATES, type FleetQuery } from './query.ts'

export function fleetFilters({ computes }: Snapshot, query: FleetQuery): Html {
  const teams = namesOf(computes.map(({ identity: { owner } }) => owner.team))
  const tiers = namesOf(computes.map(({ identity: { owner } }) => owner.tier))
  return html`<form class="filters" method="get" action="/" role="search" aria-label="Computes">
    <label
      >Name, id or team <input type="search" name="text" value="${query.text ?? ''}" maxlength="200"
    /></label>
    ${choice('State', 'state', { options: STATES.map((state) => [state, STATE_WORDS[state]]), selected: query.state })}
    ${teams.length > 0 && choice('Team', 'team', ownerOptions(teams, query.team))}
    ${tiers.length > 0 && choice('Tier', 'tier', ownerOptions(tiers, query.tier))}
    ${teams.length > 0 && html`<label class="tick"><input type="checkbox" name="group" value="team" ${query.group === 'team' && html` checked`} /> By team</label>`}
    ${hiddenFields(query)}<button type="submit">Show</button>
    ${isFiltered(query) && html`<a class="clear" href="${fleetPath({ ...fleetQuery({}), range: query.range })}">All computes</a>`}
  </form>`
}

/** The text field finds teams beyond them. Each adds about 60 bytes. */
const MAX_OPTIONS = 200

export const namesOf = (names: readonly string[]) =>
  [...new Set(names.filter(Boolean))].toSorted().slice(0, MAX_OPTIONS)

type Options = Readonly<{
  options: readonly (readonly [value: string, text: string])[]
  selected: string | undefined
}>

export const ownerOptions = (names: readonly string[], selected: string | undefined): Options => ({
  options: [...names.map((name) => [name, name] as const), [NONE_VALUE, 'none']],
  selected: selected === '' ? NONE_VALUE : selected,
})

export const choice = (label: string, name: string, { options, selected }: Options) =>
  html`<label
    >${label}
    <select name="${name}">
      <option value="">any</option>
      ${options.map(
        ([value, text]) =>
          html`<option value="${value}" ${value === selected && html` selected`}>${text}</option>`,
      )}
    </select></label
  >`

/** Parts of the query without a field are sent unchanged. */
function hiddenFields({ sort, descending, range, project, branch }: FleetQuery) {
  const values = { sort, order: descending ? 'desc' : 'asc', range, project, branch }
  return html`${Object.entries(values).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}" />`,
  )}`
}

const isFiltered = ({ text, state, team, tier, project, branch }: FleetQuery) =>
  [text, state, team, tier, project, branch].some((filter) => filter !== undefined)
