// One tour of observation over one account: projects, then computes and operations where something moved, then readings.
import type { Ledger } from '../model/ledger.ts'
import type { Look, Sweep, SweepProblem } from '../model/observation.ts'
import type { Operation } from '../model/operation.ts'
import type { Ports } from '../model/ports.ts'
import { serviceErrorText, type ServiceError } from '../model/service-error.ts'
import { inParallel } from './parallel.ts'
import { operationsToRead, projectsToList, type ListPlan } from './plan.ts'
import { readingRound, type ReadingPlan } from './round.ts'

export type SweepPlan = ListPlan & { readonly readings: ReadingPlan }

/** Requests of one kind in flight at once; the request budget is kept by the client. Doubled, a large account is read no faster. */
const REQUESTS_AT_ONCE = 8

/** Never rejects for a reason that lies in the service: what could not be seen is in `problems`. */
export async function observe(
  ports: Ports,
  { ledger, plan }: { readonly ledger: Ledger; readonly plan: SweepPlan },
  signal: AbortSignal,
): Promise<Sweep> {
  const { clock, service } = ports
  const startedAt = clock.now()
  const problems: SweepProblem[] = []
  const empty = { account: ledger.account, startedAt, projects: undefined, looks: [], listed: [] }
  const listed = await service.listProjects(signal)
  if (!listed.ok) {
    problems.push({ where: 'projects', message: serviceErrorText(listed.error) })
    const nothing = { operations: [], operationsOf: [], readings: [], refusals: [] }
    return { ...empty, ...nothing, problems, endedAt: clock.now(), service: verdict(listed.error) }
  }
  const projects = listed.value.items
  problems.push(...listed.value.problems.map((message) => ({ where: 'projects', message })))
  const { projectIds, waiting } = projectsToList(ledger, projects, { ...plan, now: startedAt })
  if (waiting > 0) problems.push({ where: 'projects', message: `${waiting} wait for the next pass` })
  const details = await computesOf(ports, { ids: projectIds, problems }, signal)
  const since = operationsToRead(ledger, details.looks, startedAt)
  const operations = await operationsOf(ports, { since, problems }, signal)
  const fresh = new Map([...ledger.projects, ...projects.map((one) => [one.projectId, one] as const)])
  const round = await readingRound(
    ports,
    { ledger, looks: details.looks, projects: fresh, plan: plan.readings },
    signal,
  )
  return {
    ...empty,
    projects,
    looks: [...details.looks, ...round.looks],
    listed: details.listed,
    ...operations,
    readings: round.readings,
    refusals: round.refusals,
    problems: [...problems, ...round.problems],
    endedAt: clock.now(),
    service: details.refused ? 'unauthorized' : 'ok',
  }
}

const verdict = ({ kind }: ServiceError): Sweep['service'] =>
  kind === 'unauthorized' ? 'unauthorized' : 'unavailable'

async function computesOf(
  { clock, service }: Ports,
  { ids, problems }: { readonly ids: readonly string[]; readonly problems: SweepProblem[] },
  signal: AbortSignal,
): Promise<{ readonly looks: Look[]; readonly listed: Sweep['listed']; readonly refused: boolean }> {
  const looks: Look[] = []
  const listed: Sweep['listed'][number][] = []
  let refused = false
  await inParallel(ids, REQUESTS_AT_ONCE, async (projectId) => {
    const [askedAt, askedOn] = [clock.now(), clock.monotonic()]
    const answer = await service.listComputes(projectId, signal)
    const answeredAt = clock.now()
    const where = `project ${projectId}`
    if (!answer.ok) {
      refused ||= answer.error.kind === 'unauthorized'
      if (answer.error.kind === 'gone') listed.push({ projectId, answeredAt })
      else problems.push({ where, message: serviceErrorText(answer.error) })
      return
    }
    looks.push(...answer.value.items.map((compute) => ({ compute, askedAt, answeredAt, askedOn })))
    problems.push(...answer.value.problems.map((message) => ({ where, message })))
    // A record that did not fit is there, though unknown: only a list read whole says that a compute is gone.
    if (answer.value.problems.length === 0) listed.push({ projectId, answeredAt })
  })
  return { looks, listed, refused }
}

async function operationsOf(
  { service }: Ports,
  {
    since,
    problems,
  }: { readonly since: ReturnType<typeof operationsToRead>; readonly problems: SweepProblem[] },
  signal: AbortSignal,
): Promise<Pick<Sweep, 'operations' | 'operationsOf'>> {
  const operations: Operation[] = []
  const read: string[] = []
  await inParallel([...since], REQUESTS_AT_ONCE, async ([projectId, from]) => {
    const answer = await service.listOperations(projectId, from, signal)
    const where = `operations of project ${projectId}`
    if (answer.ok) {
      read.push(projectId)
      operations.push(...answer.value.items)
      problems.push(...answer.value.problems.map((message) => ({ where, message })))
    } else if (answer.error.kind !== 'gone') problems.push({ where, message: serviceErrorText(answer.error) })
  })
  return { operations, operationsOf: read }
}
