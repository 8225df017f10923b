// A recommendation as text for Terraform, whose provider of the service has the fields of its interface as attributes.
import type { Proposal } from '../../model/policy/recommendation.ts'
import { requestOf } from '../../model/service/change-request.ts'

/**
 * Attributes of the resource of the compute, or of the defaults of the project, as `terraform fmt` writes them; several lines, without one at the
 * end. Undefined where no setting is recommended.
 */
export function terraformPatch(proposal: Pick<Proposal, 'ref' | 'kind' | 'to'>): string | undefined {
  const { projectId, endpointId } = proposal.ref
  const body = requestOf(proposal)?.body
  if (!body || Object.keys('endpoint' in body ? body.endpoint : body.project).length === 0) return undefined
  return 'endpoint' in body
    ? resourceText('neon_endpoint', endpointId ?? '', attributeLines(body.endpoint))
    : resourceText('neon_project', projectId, [
        'default_endpoint_settings {',
        ...attributeLines(body.project.default_endpoint_settings).map((line) => `  ${line}`),
        '}',
      ])
}

function resourceText(resource: string, given: string, lines: readonly string[]): string {
  // what the service calls the compute or project may not end the text
  const id = given.replaceAll(/[^\w-]/g, '_')
  return [
    `# the resource with id = "${id}", by whatever name`,
    `resource "${resource}" "${id}" {`,
    ...lines.map((line) => `  ${line}`),
    '}',
  ].join('\n')
}

function attributeLines(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const attributes = Object.entries(fields)
  const width = Math.max(...attributes.map(([name]) => name.length))
  return attributes.map(([name, value]) => `${name.padEnd(width)} = ${String(value)}`)
}
