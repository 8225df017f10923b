// Names of computes as a report shows them.
import { sanitize } from '../../std/sanitize.ts'
import { html, type Html } from '../text/html.ts'
import { displayName } from '../text/display-name.ts'
import type { NamedCompute } from './ownership.ts'

type Names = { readonly project: string; readonly own: string | undefined; readonly id: string }

const namesOf = ({ project_id, endpoint_id, project_name, name }: NamedCompute): Names => ({
  project: displayName(project_name ?? project_id),
  own: name === null ? undefined : displayName(name),
  id: sanitize(endpoint_id),
})

/** `shop / ep-cool-tree-1`: the project's name, and the compute's where it has one. */
export function computeNameText(named: NamedCompute): string {
  const { project, own, id } = namesOf(named)
  return `${project} / ${own === undefined ? id : `${own} (${id})`}`
}

/** As HTML, each name isolated: a name in a right-to-left script does not reorder the others. */
export function computeNameHtml(named: NamedCompute): Html {
  const { project, own, id } = namesOf(named)
  const last = html`<bdi>${id}</bdi>`
  return html`<bdi>${project}</bdi> / ${own === undefined ? last : html`<bdi>${own}</bdi> (${last})`}`
}
