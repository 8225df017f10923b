// Projects of a key that may not list them: the configuration names their ids.
import { CONFIGURED_PAGE, type Listing, type ListPage } from '../model/ports/service.ts'
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

/** `failure`: why none of them was answered; also where the key is refused. */
type ConfiguredListing = Readonly<{ listing: Listing<Project>; failure: ServiceError | undefined }>

/**
 * A project that fails is a problem of the list. The list fails when the key is refused, or when all of its projects fail, also by 404: a wrong
 * address or a proxy answers so, and nothing is taken as deleted for it.
 */
export async function getAll(
  projectIds: readonly string[],
  sources: ConfiguredProjects,
  signal: AbortSignal,
): Promise<Result<Listing<Project>, ServiceError>> {
  const { listing, failure } = await getEach(projectIds, sources, signal)
  return failure ? failed(failure) : ok(listing)
}

/** Pages of one list after the other. All projects of a page may be deleted: the list fails by it only where no other page was answered. */
export function createConfiguredPages(projectIds: readonly string[], sources: ConfiguredProjects) {
  let isAnswered = false
  return async (
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<ListPage<Project>, ServiceError>> => {
    isAnswered &&= cursor !== undefined
    const [slice, next] = configuredPage(projectIds, cursor)
    const { listing, failure } = await getEach(slice, sources, signal)
    const mayBeDeleted = failure?.kind === 'gone' && (isAnswered || next !== undefined)
    if (failure && !mayBeDeleted) return failed(failure)
    isAnswered ||= listing.items.length > 0
    return ok({ ...listing, requests: slice.length, next })
  }
}

async function getEach(
  projectIds: readonly string[],
  { getProject, isRouteMissing }: ConfiguredProjects,
  signal: AbortSignal,
): Promise<ConfiguredListing> {
  const answers = await Promise.all(
    projectIds.map(async (projectId) => ({ projectId, answer: await getProject(projectId, signal) })),
  )
  const results = answers.map(({ projectId, answer }) =>
    !answer.ok && isRouteMissing(answer.error) ? ok(bareProject(projectId)) : answer,
  )
  const errors = results.flatMap((result) => (result.ok ? [] : [result.error]))
  const fatal = errors.find(({ kind }) => kind === 'unauthorized')
  const worst = errors.find(({ kind }) => kind !== 'gone') ?? errors[0]
  const listing = {
    items: results.flatMap((result) => (result.ok ? [result.value] : [])),
    ...unreadOf(projectIds.filter((_, index) => !results[index]?.ok)),
    problems: results.flatMap((result, index) =>
      result.ok ? [] : [`project ${projectIds[index]}: ${serviceErrorText(result.error)}`],
    ),
  }
  return { listing, failure: fatal ?? (errors.length === results.length ? worst : undefined) }
}
