import type { Plane } from '../control/plane.ts'
import type { Api } from './context.ts'
import { ApiError } from './errors.ts'

/**
 * The API with mutations that take effect `lateMutation` seconds after they were read, on the clock of the control plane, and are
 * checked once more then. Whatever it answers says nothing about the effect.
 */
export function withLateMutations(api: Api): Api {
  const defer = (work: (plane: Plane) => unknown): never => {
    const { lateMutation } = api.settings()
    const delay = lateMutation === 'off' ? 0 : 1000 * lateMutation
    api.plane.later(api.clock.now() + delay, work)
    throw new ApiError(504, 'no answer in time')
  }
  const plane: Plane = {
    ...api.plane,
    request: (projectId, request) => defer((late) => late.request(projectId, request)),
    createProject: (project, request) => defer((late) => late.createProject(project, request)),
  }
  return { ...api, plane }
}
