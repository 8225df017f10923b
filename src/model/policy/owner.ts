// Source: section `owners` of the configuration.
import type { Project } from '../service/compute.ts'
import {
  matchesEverything,
  matchesSelector,
  projectTargetOf,
  rankRules,
  type Selector,
  type SelectorTarget,
} from './selector.ts'

export type Owner = Readonly<{
  /** Routes alerts; empty where there is none. `tier` likewise. */
  team: string
  /** `prod`, `staging` or another word of the configuration. */
  tier: string
  /** For notifications. Neither it nor `costCentre` is a metric label. */
  channel: string | undefined
  costCentre: string | undefined
}>

export const NO_OWNER: Owner = { team: '', tier: '', channel: undefined, costCentre: undefined }

export type OwnerRule = Readonly<{ match: Selector; owner: Owner }>

export type Owners = Readonly<{
  /** `NO_OWNER` where no rule fits. */
  of: (target: SelectorTarget) => Owner
  /** First owner of that team, or one with the team alone. */
  ofTeam: (team: string) => Owner
  /** By rules without conditions on branches and computes. */
  ofProject: (account: string, project: Project) => Owner
}>

/** The most specific rule that fits wins. */
export function createOwners(rules: readonly OwnerRule[]): Owners {
  const ranked = rankRules(rules)
  const wide = ranked.filter(({ match }) =>
    matchesEverything({ branch: match.branch, compute: match.compute }),
  )
  return {
    of: (target) => ranked.find(({ match }) => matchesSelector(match, target))?.owner ?? NO_OWNER,
    ofTeam: (team) =>
      rules.find(({ owner }) => team !== '' && owner.team === team)?.owner ?? { ...NO_OWNER, team },
    ofProject: (account, project) =>
      wide.find(({ match }) => matchesSelector({ project: match.project }, projectTargetOf(account, project)))
        ?.owner ?? NO_OWNER,
  }
}
