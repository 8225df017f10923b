import { harmless } from '../../std/sanitize.ts'
import { html, type Html } from '../text/html.ts'
import { shownName } from '../text/display-name.ts'
import type { Named } from './ownership.ts'

type Names = { readonly project: string; readonly own: string | undefined; readonly id: string }

const namesOf = ({ project_id, endpoint_id, project_name, name }: Named): Names => ({
  project: shownName(project_name ?? project_id),
  own: name === null ? undefined : shownName(name),
  id: harmless(endpoint_id),
})

/** `shop / ep-cool-tree-1`: the project's name, and the compute's where it has one. */
export function computeText(named: Named): string {
  const { project, own, id } = namesOf(named)
  return `${project} / ${own === undefined ? id : `${own} (${id})`}`
}

/** The same, each name on its own: none displaces another, whichever way it is written. */
export function computeHtml(named: Named): Html {
  const { project, own, id } = namesOf(named)
  const last = html`<bdi>${id}</bdi>`
  return html`<bdi>${project}</bdi> / ${own === undefined ? last : html`<bdi>${own}</bdi> (${last})`}`
}
