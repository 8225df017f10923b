import type { Settings } from '../control/events.ts'
import type { Compute, ComputeConfig } from '../control/project.ts'
import { DEFAULT_CONFIG } from '../control/requests.ts'
import { refusalOf } from '../control/rules.ts'
import { type CreateFields, type UpdateFields, configOf } from './endpoint-body.ts'
import { NOT_YET_IN_REQUESTS } from './not-yet.ts'

/** What a creation asks for that is not there yet; undefined when it asks for nothing of the kind. */
export function notYetInCreate(fields: CreateFields, settings: Settings): string | undefined {
  if (fields.type === 'read_only') return NOT_YET_IN_REQUESTS.replica
  const asked = configOf(fields)
  const minCu = asked.minCu ?? asked.maxCu ?? DEFAULT_CONFIG.minCu
  return notYetIn(fields, { ...DEFAULT_CONFIG, ...asked, minCu, maxCu: asked.maxCu ?? minCu }, settings)
}

/** The same for a change of a compute. */
export function notYetInUpdate(
  fields: UpdateFields,
  compute: Compute,
  settings: Settings,
): string | undefined {
  if (fields.branch_id !== undefined && fields.branch_id !== compute.branchId) return NOT_YET_IN_REQUESTS.move
  return notYetIn(fields, { ...compute.config, ...configOf(fields) }, settings)
}

/** A configuration that is refused anyway is left to the refusal, which says more. */
function notYetIn(fields: UpdateFields, config: ComputeConfig, settings: Settings): string | undefined {
  if (Object.keys(fields.settings?.pg_settings ?? {}).length > 0) return NOT_YET_IN_REQUESTS.settings
  if (fields.pooler_enabled) return NOT_YET_IN_REQUESTS.pooler
  if (config.minCu < config.maxCu && !refusalOf(config, settings)) return NOT_YET_IN_REQUESTS.range
  return undefined
}
