// A project as `explain` shows it: the defaults of its new computes, and which computes a change of them would reach.
import type { Snapshot } from '../../../model/output/snapshot.ts'
import {
  DEFAULT_AUTOSUSPEND_DELAY,
  largestCu,
  smallestCu,
  type Project,
  type ProjectRef,
} from '../../../model/service/compute.ts'
import { seconds } from '../../../model/units.ts'
import { exactDurationText } from '../../../outputs/text/amounts.ts'
import { existingComputes, restingOnDefaults } from '../../changes/targets.ts'

export type ExplainedProject = Readonly<{
  account: string
  project_id: string
  project_name: string
  /** Delay of new computes, and of computes without a delay of their own; null: never suspended. */
  default_autosuspend_delay_seconds: number | null
  /** Size of new computes, equal limits for a fixed one; null: the service does not show it. */
  default_min_cu: number | null
  default_max_cu: number | null
  /** Ids of existing computes, by id. */
  computes: readonly string[]
  /** Ids of the computes without a delay of their own. */
  computes_on_default: readonly string[]
}>

export function explainedProject(
  snapshot: Snapshot,
  ref: ProjectRef,
  { name, defaultAutosuspendDelay: delay = DEFAULT_AUTOSUSPEND_DELAY, defaultSizing: sizing }: Project,
): ExplainedProject {
  const own = existingComputes(snapshot, ref.account).filter(
    ({ identity }) => identity.ref.projectId === ref.projectId,
  )
  return {
    account: ref.account,
    project_id: ref.projectId,
    project_name: name,
    default_autosuspend_delay_seconds: delay === 'never' ? null : delay,
    default_min_cu: sizing ? smallestCu(sizing) : null,
    default_max_cu: sizing ? largestCu(sizing) : null,
    computes: idsOf(own),
    computes_on_default: idsOf(restingOnDefaults(snapshot, ref)),
  }
}

const idsOf = (views: Snapshot['computes']): readonly string[] =>
  views.map(({ identity }) => identity.ref.endpointId).toSorted()

/** Computes that a line names: a project may have hundreds of previews. */
const NAMED = 20

export const projectLines = (project: ExplainedProject): readonly string[] => [
  `project ${project.project_name} (${project.project_id}), account ${project.account}`,
  `new computes ${[...sizeTexts(project), delayText(project.default_autosuspend_delay_seconds)].join(' and ')}`,
  countText('compute exists', 'computes exist', project.computes),
  ...(project.computes_on_default.length > 0
    ? [
        `a change of the default delay applies at once to ${countText('that has no delay of its own', 'that have no delay of their own', project.computes_on_default)}`,
      ]
    : []),
]

const sizeTexts = ({ default_min_cu: min, default_max_cu: max }: ExplainedProject): readonly string[] =>
  min === null || max === null ? [] : [`have ${min === max ? max : `${min}–${max}`} CU`]

const delayText = (delay: number | null) =>
  delay === null
    ? 'are never suspended'
    : `are suspended after ${exactDurationText(seconds(delay))} without activity`

function countText(one: string, many: string, ids: readonly string[]): string {
  if (ids.length === 0) return `no ${one}`
  const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : ''
  return `${ids.length} ${ids.length === 1 ? one : many}: ${ids.slice(0, NAMED).join(', ')}${more}`
}
