// A recommendation as text for Terraform, whose provider of the service has the fields of its interface as attributes.
import type { Proposal } from '../../model/policy/recommendation.ts'
import { requestOf } from '../../model/service/change-request.ts'

/**
 * Attributes of the resource of the compute, as `terraform fmt` writes them; several lines, without one at the end. Undefined where no
 * setting is recommended, and for the defaults of a project.
 */
export function terraformPatch(proposal: Pick<Proposal, 'ref' | 'kind' | 'to'>): string | undefined {
  const { endpointId } = proposal.ref
  const body = requestOf(proposal)?.body
  const attributes = Object.entries(body && 'endpoint' in body ? body.endpoint : {})
  if (attributes.length === 0 || endpointId === undefined) return undefined
  // what the service calls the compute may not end the text
  const id = endpointId.replaceAll(/[^\w-]/g, '_')
  const width = Math.max(...attributes.map(([name]) => name.length))
  return [
    `# the resource with id = "${id}", by whatever name`,
    `resource "neon_endpoint" "${id}" {`,
    ...attributes.map(([name, value]) => `  ${name.padEnd(width)} = ${String(value)}`),
    '}',
  ].join('\n')
}
