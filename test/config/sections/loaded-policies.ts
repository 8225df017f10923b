// Policies of a configuration, and the computes that they are asked about.
import { selectorTargetOf } from '../../../src/model/policy/selector.ts'
import { compute, project } from '../../support/build.ts'
import { load } from '../loading.ts'

/** @throws with the problems of the configuration */
export function loadPolicies(text: string) {
  const config = load(text)
  if (!config.ok) throw new Error(config.error.join('\n'))
  return config.value.policies
}

/** A compute of the project `shop`, unless another name is given. */
export const policyTarget = (endpointId: string, projectName = 'shop') =>
  selectorTargetOf(
    'main',
    compute({ endpointId, projectId: 'p-1' }),
    project({ projectId: 'p-1', name: projectName }),
  )
