import { shownName } from './names.ts'
import type { Named } from './place.ts'

/** `shop ep-cool-tree-1`: the project's name, and the compute's where it has one. */
export function computeText({ project_id, endpoint_id, project_name, name }: Named): string {
  const own = name === null ? endpoint_id : `${shownName(name)} (${endpoint_id})`
  return `${shownName(project_name ?? project_id)} ${own}`
}
