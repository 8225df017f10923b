// Problems in the simulated fleet, so that panels about problems have data.
import type { FamilyKey } from '../../../src/outputs/metrics/catalogue.ts'
import type { SelfMetrics } from '../../../src/outputs/metrics/self.ts'
import type { Project } from '../../../src/model/service/compute.ts'
import type { Operation } from '../../../src/model/service/operation.ts'
import type { Clock } from '../../../src/model/ports/clock.ts'
import type { Send } from '../../../src/model/ports/outbox.ts'
import type { Service } from '../../../src/model/ports/service.ts'
import { failed, ok } from '../../../src/std/result.ts'
import type { World } from '../../simulation/world.ts'

const MINUTE = 60_000

/** Minutes since the daemon started. */
const REFUSED = [70, 73] as const
const OUTAGE = { at: 85, minutes: 6 } as const
/** Minute from which an operation of one project never ends. */
const STUCK = 95

type Stage = {
  readonly world: World
  readonly clock: Clock
  readonly replicas: readonly SelfMetrics[]
}

/** A change to the fleet before a pass. */
export function happen(pass: number, { world, clock, replicas }: Stage): void {
  const { simulation } = world
  const [first, second] = replicas
  switch (pass) {
    case 0:
      for (const self of replicas) self.reloaded(true, clock.now())
      first?.receiver('hook')
      first?.reportReceiver('mail')
      first?.reportDue(clock.now() / 1000)
      first?.reportSucceeded('main', 'mail', clock.now() / 1000)
      second?.rendered({
        ...RENDERED,
        failed: ['compute_wakes_total'],
        duplicates: new Map<FamilyKey, number>([['compute_wakes_total', 1]]),
      })
      return
    case 40:
      simulation.request('project-ep-shop-web', {
        kind: 'update',
        endpointId: 'ep-shop-web',
        changes: { minCu: 0.5, maxCu: 4 },
      })
      return
    case 50:
      simulation.request('project-ep-lab-tail', {
        kind: 'update',
        endpointId: 'ep-lab-tail',
        changes: { suspendTimeout: 600 },
      })
      return
    case 60:
      simulation.request('project-ep-shop-stock', { kind: 'restart', endpointId: 'ep-shop-stock' })
      first?.reportDelivery('mail', 'delivered')
      return
    case OUTAGE.at:
      world.breakUntil(clock.now() + OUTAGE.minutes * MINUTE)
  }
}

const RENDERED = {
  seconds: 0.01,
  series: 0,
  duplicates: new Map<FamilyKey, number>(),
  failed: [] as readonly FamilyKey[],
  dropped: new Map<FamilyKey, number>(),
}

/** Delivers every event at once. */
export const toldTo =
  (self: SelfMetrics): Send =>
  (events) => {
    for (const _ of events) self.delivery('hook', 'delivered')
    return Promise.resolve([])
  }

/** By a name of its own: those of the simulation have one for all of them. */
const called = (project: Project): Project => ({
  ...project,
  name: project.projectId.replace('project-ep-', ''),
})

/** A service that refuses the key for a while, fails each start once, and never ends one operation. */
export function troubled(service: Service, clock: Clock): Service {
  const began = clock.monotonic()
  const minute = (): number => (clock.monotonic() - began) / 60
  const stuckFrom = clock.now() + STUCK * MINUTE
  const seen = (operation: Operation): Operation => {
    if (operation.action === 'start_compute') return { ...operation, failuresCount: 1 }
    const isStuck = operation.endpointId === 'ep-lab-tail' && operation.createdAt > stuckFrom
    return isStuck ? { ...operation, status: 'running' } : operation
  }
  return {
    ...service,
    listProjectsPage: async (cursor, signal) => {
      if (minute() > REFUSED[0] && minute() < REFUSED[1]) return failed({ kind: 'unauthorized' })
      const answer = await service.listProjectsPage(cursor, signal)
      return answer.ok ? ok({ ...answer.value, items: answer.value.items.map(called) }) : answer
    },
    listOperations: async (projectId, since, signal) => {
      const answer = await service.listOperations(projectId, since, signal)
      return answer.ok ? ok({ ...answer.value, items: answer.value.items.map(seen) }) : answer
    },
  }
}

/** Counts requests as the service client does. */
export function countedService(service: Service, self: SelfMetrics): Service {
  const counted = async <Answer extends { readonly ok: boolean; readonly error?: { readonly kind: string } }>(
    operation: string,
    answering: Promise<Answer>,
  ): Promise<Answer> => {
    const answer = await answering
    const kind = answer.ok ? 'ok' : (answer.error?.kind ?? '')
    self.request({
      key: 'main',
      operation,
      code: CODES[kind] ?? '503',
      priority: 'poll',
      seconds: 0.08,
      waited: 0.01,
      share: kind === 'unavailable' ? 0.5 : 1,
      tokens: 7,
      retry: kind === 'unavailable',
    })
    return answer
  }
  return {
    ...service,
    listProjectsPage: (...asked) => counted('list_projects', service.listProjectsPage(...asked)),
    listComputes: (...asked) => counted('list_computes', service.listComputes(...asked)),
    listOperations: (...asked) => counted('list_operations', service.listOperations(...asked)),
  }
}

const CODES: Readonly<Record<string, string>> = { ok: '200', unauthorized: '401' }
