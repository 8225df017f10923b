// Projects of a key that may not list them: the configuration names their ids.
import { CONFIGURED_PAGE, type Listing } from '../model/ports/service.ts'
import type { Project } from '../model/service/compute.ts'
import { serviceErrorText, type ServiceError } from '../model/service/service-error.ts'
import { instant } from '../model/units.ts'
import { failed, ok, type Result } from '../std/result.ts'
import { unreadOf } from './wire/ownership.ts'

/** Project without a record, for a service without that route: only its id is known. A wrong id shows when its computes are listed. */
const bareProject = (projectId: string): Project => ({
  projectId,
  name: projectId,
  regionId: '',
  platformId: '',
  pgVersion: 0,
  cpuUsedSeconds: 0,
  activeSeconds: undefined,
  updatedAt: instant(0),
  computeLastActiveAt: undefined,
  defaultAutosuspendDelay: undefined,
  hasDefaults: false,
})

/** Ids of the page at `cursor`, which is its first id, and the cursor of the next page. All pages are about as long. */
export function configuredPage(
  projectIds: readonly string[],
  cursor = projectIds[0] ?? '',
): [string[], string | undefined] {
  const pages = Math.ceil(projectIds.length / CONFIGURED_PAGE)
  const size = Math.ceil(projectIds.length / pages)
  const first = Math.max(0, projectIds.indexOf(cursor))
  return [projectIds.slice(first, first + size), projectIds[first + size]]
}

type ConfiguredProjects = Readonly<{
  getProject: (projectId: string, signal: AbortSignal) => Promise<Result<Project, ServiceError>>
  /** Whether the service lacks the route; asked after all answers, as each of them may show that it has it. */
  isRouteMissing: (error: ServiceError) => boolean
}>

/**
 * A project that fails is a problem of the list. The list fails when the key is refused, or when all projects of the page fail, also by 404: a
 * wrong address or a proxy answers so, and nothing is taken as deleted for it.
 */
export async function getAll(
  projectIds: readonly string[],
  { getProject, isRouteMissing }: ConfiguredProjects,
  signal: AbortSignal,
): Promise<Result<Listing<Project>, ServiceError>> {
  const answers = await Promise.all(
    projectIds.map(async (projectId) => ({ projectId, answer: await getProject(projectId, signal) })),
  )
  const results = answers.map(({ projectId, answer }) =>
    !answer.ok && isRouteMissing(answer.error) ? ok(bareProject(projectId)) : answer,
  )
  const errors = results.flatMap((result) => (result.ok ? [] : [result.error]))
  const fatal = errors.find(({ kind }) => kind === 'unauthorized')
  const [first] = errors
  if (fatal) return failed(fatal)
  if (first && errors.length === results.length) return failed(first)
  return ok({
    items: results.flatMap((result) => (result.ok ? [result.value] : [])),
    ...unreadOf(projectIds.filter((_, index) => !results[index]?.ok)),
    problems: results.flatMap((result, index) =>
      result.ok ? [] : [`project ${projectIds[index]}: ${serviceErrorText(result.error)}`],
    ),
  })
}
