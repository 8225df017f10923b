import { html, type Html } from '../text/html.ts'
import { encodePathPart } from './layout.ts'

type NamedTarget = Readonly<{
  project_id: string
  project_name: string | null
  endpoint_id: string | null
  name: string | null
}>

/** To a section of the page of a compute; for the defaults of a project to its computes. */
export function targetLink(
  { project_id: projectId, endpoint_id: id, name, project_name: project }: NamedTarget,
  section: string,
): Html {
  if (id === null)
    return html`<a href="/?project=${encodePathPart(projectId)}"><bdi>${project ?? projectId}</bdi></a
      ><small>new computes of <bdi>${projectId}</bdi></small>`
  return html`<a href="/computes/${encodePathPart(id)}#${section}"><bdi>${name ?? project ?? id}</bdi></a
    ><small><bdi>${id}</bdi></small>`
}
