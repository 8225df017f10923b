// Looks at the computes of the projects that a sweep has requests for, one request per project.
import type { Ledger } from '../../model/ledger/ledger.ts'
import { computeKey, type Compute } from '../../model/service/compute.ts'
import type { Look, PendingRetries, Sweep, SweepProblem } from '../../model/observation.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { Listing } from '../../model/ports/service.ts'
import type { ServiceClock } from '../../model/ports/clock.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import type { Instant, Seconds, Interval } from '../../model/units.ts'
import { forEachParallel } from '../../std/parallel.ts'
import { ok, type Result } from '../../std/result.ts'
import { UNDATED } from '../look.ts'
import type { RequestGate } from '../request-gate.ts'
import { isProjectFault, recordFailure } from './retry.ts'

/** Requests in flight at once; the rate limiter of the client keeps the request allowance. */
const MAX_CONCURRENT = 8

/** Sweeps in a row in which a configured project must be gone to count as deleted, 3: an outage of a minute deletes nothing. */
const GONE_SWEEPS = 3

/** New computes of one sweep, 2,000, some 10 MB: a service that names ever more of them must not fill memory between two commits. */
const MAX_ADDED = 2000

/** Ids of unreadable computes that are remembered of a project; with more its list counts as partial. */
const MAX_UNREADABLE = 1000

/** Computes of one account that exist or were deleted within a day, twice as many as were ever measured. */
const MAX_KNOWN = 200_000

type ComputesInput = Readonly<{
  ledger: Pick<Ledger, 'account' | 'computes'>
  projectIds: readonly string[]
  quietUntil: (projectId: string) => Instant | undefined
  /** Time in which repeated lists showed the activity of a project with one compute; undefined for others. */
  listedOften: (projectId: string) => Interval | undefined
  waiting: PendingRetries['looks']
  /** Projects that the last complete project list lacks; undefined where the configuration names the projects, so that no list shows it. */
  missing: ReadonlySet<string> | undefined
}>

export type ComputesResult = Readonly<{
  looks: Look[]
  listed: Sweep['listedComputes'][number][]
  problems: SweepProblem[]
  retries: PendingRetries['looks']
}>

/**
 * A project that does not exist by the answer for its computes is deleted
 * 1. if the last complete project list lacks it;
 * 2. where the configuration names the projects, if it was gone in three sweeps that were answered for other projects.
 *
 * Otherwise its request has failed.
 */
export async function readComputes(
  { clock, service }: { readonly clock: ServiceClock; readonly service: Ports['service'] },
  { ledger, projectIds, quietUntil, listedOften, waiting, missing }: ComputesInput,
  gate: RequestGate,
): Promise<ComputesResult> {
  const result = {
    looks: [] as Look[],
    listed: [] as ComputesResult['listed'],
    problems: [] as SweepProblem[],
  }
  const admit = createAdmission(ledger)
  const [failures, gone] = [[] as string[], [] as Gone[]]
  await forEachParallel(projectIds, MAX_CONCURRENT, async (projectId) => {
    const askedOn = clock.monotonic()
    const answer = await gate.ask((signal) => listComputes({ service, missing }, projectId, signal))
    if (!answer) return
    const interval = clock.between(askedOn, clock.monotonic())
    if (answer.ok && interval) {
      const project = {
        projectId,
        askedOn,
        interval,
        until: quietUntil(projectId),
        often: listedOften(projectId),
      }
      if (answer.value) addListed(result, project, admit(answer.value))
      else result.listed.push(deletedProject(project))
      return
    }
    const message = answer.ok ? UNDATED : serviceErrorText(answer.error)
    result.problems.push({ where: `project ${projectId}`, message })
    if (answer.ok) return
    if (answer.error.kind === 'gone' && interval) gone.push({ projectId, interval })
    else if (isProjectFault(answer.error)) failures.push(projectId)
  })
  const now = clock.now()
  const isAnswered = result.listed.length > 0
  const retries = new Map(waiting)
  for (const project of gone) {
    const attempts = waiting.get(project.projectId)
    const sweeps = (attempts?.gone ?? 0) + (missing === undefined && isAnswered ? 1 : 0)
    if (sweeps >= GONE_SWEEPS) result.listed.push(deletedProject(project))
    else retries.set(project.projectId, recordFailure(attempts, now, sweeps))
  }
  for (const projectId of failures) retries.set(projectId, recordFailure(waiting.get(projectId), now))
  for (const { projectId } of result.listed) retries.delete(projectId)
  return { ...result, retries }
}

/** Leaves out new computes for which there is no room: a later sweep adds them. */
function createAdmission({ account, computes }: ComputesInput['ledger']) {
  let room = Math.min(MAX_ADDED, MAX_KNOWN - computes.size)
  return (listing: Listing<Compute>): Listing<Compute> => {
    const items = listing.items.filter(({ projectId, endpointId }) => {
      const isKnown = computes.has(computeKey({ account, projectId, endpointId }))
      room -= isKnown ? 0 : 1
      return isKnown || room >= 0
    })
    if (items.length === listing.items.length) return listing
    const message = `new computes wait for a later pass: at most ${MAX_ADDED} are added by one, and ${MAX_KNOWN} in all`
    return { ...listing, items, problems: [...listing.problems, message], hasUnidentified: true }
  }
}

/** Undefined for a project that does not exist, where the last complete project list lacks it, too. */
async function listComputes(
  { service, missing }: Pick<ComputesInput, 'missing'> & { readonly service: Ports['service'] },
  projectId: string,
  signal: AbortSignal,
): Promise<Result<Listing<Compute> | undefined, ServiceError>> {
  const answer = await service.listComputes(projectId, signal)
  return !answer.ok && answer.error.kind === 'gone' && missing?.has(projectId) ? ok(undefined) : answer
}

type Gone = { readonly projectId: string; readonly interval: Interval }

const deletedProject = ({ projectId, interval: { from, to } }: Gone): ComputesResult['listed'][number] => ({
  projectId,
  askedAt: from,
  answeredAt: to,
  endpointIds: [],
  projectDeleted: true,
})

type ListedProject = Readonly<{
  projectId: string
  askedOn: Seconds
  interval: Interval
  until: Instant | undefined
  often: Interval | undefined
}>

function addListed(
  { looks, listed, problems }: Pick<ComputesResult, 'looks' | 'listed' | 'problems'>,
  { projectId, askedOn, interval: { from: askedAt, to: answeredAt }, until, often }: ListedProject,
  answer: Listing<Compute>,
): void {
  for (const message of answer.problems) problems.push({ where: `project ${projectId}`, message })
  // A compute whose record does not fit exists; a record without a readable id may be any compute's.
  const read = new Set(answer.items.map(({ endpointId }) => endpointId))
  const unread = [...new Set(answer.unread)].filter((endpointId) => !read.has(endpointId))
  const kept = unread.slice(0, MAX_UNREADABLE)
  const partial = answer.hasUnidentified ?? kept.length < unread.length
  const isOnly = read.size + kept.length === 1 && !partial
  const shown = {
    ...(until !== undefined && { quietUntil: until }),
    ...(until !== undefined && often && isOnly && { listed: often }),
  }
  for (const compute of answer.items) looks.push({ compute, askedAt, answeredAt, askedOn, ...shown })
  listed.push({
    projectId,
    askedAt,
    answeredAt,
    endpointIds: [...read, ...kept],
    unreadable: kept,
    partial,
  })
}
