// Carries out the effects of control/ on real servers, and reports the results.
import type { Clock } from '../clock.ts'
import type { Computes } from '../compute/computes.ts'
import type { Effect, Event } from '../control/events.ts'
import type { Operation } from '../control/project.ts'
import { isWorkOf } from '../control/queue/work.ts'
import type { Log } from '../log.ts'
import type { Random } from '../random.ts'
import type { BehaviourSwitches } from './behaviour-switches.ts'
import type { WakeAdmission, WakeQueue } from './wake-queue.ts'

export type EffectsOptions = {
  readonly computes: Computes
  readonly waiting: WakeQueue
  readonly dropConnections: (endpointId: string) => void
  readonly switches: BehaviourSwitches
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly report: (projectId: string, event: Event) => void
}

export type Effects = {
  /** Carries out an effect; `operation` is the operation in progress, undefined when there is none. Never throws. */
  carryOut(effect: Effect, projectId: string, operation: Operation | undefined): void
}

/** Work for a project, and its reports. */
type Work = {
  readonly run: () => Promise<void>
  /** Report of success; absent for work that belongs to no operation. */
  readonly done?: Event
  readonly failed?: (message: string) => Event
}

export function createEffects(options: EffectsOptions): Effects {
  const { computes, waiting, switches, clock, random, log } = options

  const workOf = (effect: Effect, projectId: string): Work | undefined => {
    switch (effect.kind) {
      case 'start-process':
        return startOf(effect, projectId)
      case 'configure':
        return {
          run: () => computes.configure(effect),
          done: { kind: 'configured', endpointId: effect.endpointId },
          failed: (message) => ({ kind: 'configure-failed', endpointId: effect.endpointId, message }),
        }
      case 'stop-process':
        return stopOf(effect, projectId)
      case 'copy-branch':
        return {
          run: () => computes.copyBranch(effect.branchId, effect.parentId),
          done: { kind: 'branch-copied', branchId: effect.branchId },
          failed: (message) => ({ kind: 'branch-failed', branchId: effect.branchId, message }),
        }
      case 'remove-branch':
        return {
          run: () => computes.removeBranch(effect.branchId),
          done: { kind: 'branch-removed', branchId: effect.branchId },
          failed: (message) => ({ kind: 'branch-failed', branchId: effect.branchId, message }),
        }
      case 'resize':
        return { run: () => computes.resize(effect.endpointId, effect.cu) }
      case 'remove-replica':
        return { run: () => computes.removeReplica(effect.endpointId, effect.branchId) }
      case 'drop-connections':
      case 'admit-clients':
      case 'refuse-clients':
      case 'write-operation':
      case 'write-interval':
      case 'write-wake':
        return undefined
    }
  }
  const startOf = (effect: Effect & { kind: 'start-process' | 'configure' }, projectId: string): Work => {
    const { endpointId } = effect
    const { min, max } = switches.behaviour().wakeLatency
    const requestedAt = clock.now()
    return {
      run: async () => {
        await computes.start({ ...effect, latency: 1000 * (min + (max - min) * random.uniform()) })
        log({ kind: 'started', endpointId, projectId, seconds: (clock.now() - requestedAt) / 1000 })
      },
      done: { kind: 'started', endpointId },
      failed: (message) => {
        log({ kind: 'start-failed', endpointId, projectId, message })
        return { kind: 'start-failed', endpointId, message }
      },
    }
  }
  const stopOf = ({ endpointId, grace }: Effect & { kind: 'stop-process' }, projectId: string): Work => ({
    run: async () => {
      await computes.stop(endpointId, 1000 * grace)
      log({ kind: 'stopped', endpointId, projectId })
    },
    done: { kind: 'stopped', endpointId },
  })
  /** Runs the work. Faults apply to operations only: the end of a deleted compute, for one, never fails on request. */
  const perform = async (
    { run, done, failed }: Work,
    projectId: string,
    operation: Operation | undefined,
  ): Promise<void> => {
    if (operation) {
      await switches.unstuck()
      if (switches.take('failingOperations')) {
        const { retryIn } = switches.behaviour().faults.failingOperations
        return options.report(projectId, { kind: 'attempt-failed', operationId: operation.id, retryIn })
      }
    }
    try {
      await run()
    } catch (error) {
      const message = error instanceof Error ? messageOf(error) : String(error)
      if (failed) options.report(projectId, failed(message))
      else log({ kind: 'problem', message: 'an effect failed', err: error })
      return
    }
    const { lockTime } = switches.behaviour().faults
    if (operation && lockTime > 0) await clock.sleep(1000 * lockTime)
    if (done) options.report(projectId, done)
  }
  return {
    carryOut: (effect, projectId, operation) => {
      const work = workOf(effect, projectId)
      if (work)
        return void perform(work, projectId, isWorkOf(effect, operation) ? work.done && operation : undefined)
      if (effect.kind === 'drop-connections') return options.dropConnections(effect.endpointId)
      if (effect.kind === 'admit-clients')
        return waiting.settle(effect.endpointId, admissionTo(effect.endpointId, computes))
      if (effect.kind === 'refuse-clients')
        waiting.settle(effect.endpointId, { ok: false, code: '57P03', message: effect.because })
    },
  }
}

/** Message of an error with its cause, which says what a client can do. */
const messageOf = ({ message, cause }: Error): string =>
  cause instanceof Error ? `${message}: ${cause.message}` : message

function admissionTo(endpointId: string, computes: Computes): WakeAdmission {
  const port = computes.portOf(endpointId)
  if (port !== undefined) return { ok: true, port }
  return { ok: false, code: '57P03', message: `endpoint ${endpointId} has just stopped, try again` }
}
