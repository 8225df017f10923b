// Carries out effects of control/ on real servers and reports the results.
import type { Clock } from '../clock.ts'
import type { Computes } from '../compute/computes.ts'
import type { Effect, Event, ProcessOrder } from '../control/events.ts'
import type { Operation } from '../control/project.ts'
import type { SessionsAt } from '../control/records.ts'
import { failureOf, operationOf, successOf } from '../control/queue/work.ts'
import type { Log } from '../log.ts'
import type { Random } from '../random.ts'
import type { BehaviourSwitches } from './behaviour-switches.ts'
import { type WakeAdmission, type WakeQueue, refuseWake } from './wake-queue.ts'

export type EffectsOptions = Readonly<{
  computes: Computes
  waiting: WakeQueue
  dropConnections: (endpointId: string) => void
  switches: BehaviourSwitches
  clock: Clock
  random: Random
  log: Log
  report: (projectId: string, event: Event) => void
}>

/** Returns the function that carries out an effect; `current` is the operation in progress. Never throws. */
export function createEffects(options: EffectsOptions) {
  const { computes, waiting, switches, clock, random, log, report } = options

  const startOf = (order: ProcessOrder, projectId: string) => {
    const { endpointId } = order
    const { min, max } = switches.behaviour().wakeLatency
    const requestedAt = clock.now()
    return async () => {
      await computes.start({ ...order, latency: 1000 * (min + (max - min) * random.uniform()) })
      log({ kind: 'started', endpointId, projectId, seconds: (clock.now() - requestedAt) / 1000 })
    }
  }
  const stop = async (endpointId: string, grace: number, projectId: string) => {
    const sessions = await computes.stop(endpointId, 1000 * grace)
    log({ kind: 'stopped', endpointId, projectId })
    return sessions
  }
  const reportFailure = (effect: Effect, projectId: string, error: unknown) => {
    const message = error instanceof Error ? messageOf(error) : String(error)
    const failure = failureOf(effect, message)
    if (failure?.kind === 'start-failed') log({ ...failure, projectId })
    if (failure) report(projectId, failure)
    else log({ kind: 'problem', message: 'an effect failed', err: error })
  }
  const admissionTo = (endpointId: string): WakeAdmission => {
    const port = computes.portOf(endpointId)
    if (port !== undefined) return { ok: true, port }
    return refuseWake('57P03', `endpoint ${endpointId} has just stopped, try again`)
  }
  return (effect: Effect, projectId: string, current: Operation | undefined) => {
    const operation = operationOf(effect, current)
    /** Faults apply to operations only, not to the end of a deleted compute. */
    const perform = async (work: () => Promise<SessionsAt | undefined | void>) => {
      if (operation) {
        await switches.unstuck()
        const { retryIn } = switches.behaviour().faults.failingOperations
        if (switches.take('failingOperations'))
          return report(projectId, { kind: 'attempt-failed', operationId: operation.id, retryIn })
      }
      let sessions: SessionsAt | undefined | void
      try {
        sessions = await work()
      } catch (error) {
        return reportFailure(effect, projectId, error)
      }
      const { lockTime } = switches.behaviour().faults
      if (operation && lockTime > 0) await clock.sleep(1000 * lockTime)
      const success = successOf(effect)
      if (success)
        report(projectId, success.kind === 'stopped' && sessions ? { ...success, sessions } : success)
    }
    switch (effect.kind) {
      case 'start-process':
        return void perform(startOf(effect, projectId))
      case 'configure':
        return void perform(() => computes.configure(effect))
      case 'stop-process':
        return void perform(() => stop(effect.endpointId, effect.grace, projectId))
      case 'copy-branch':
        return void perform(() => computes.copyBranch(effect.branchId, effect.parentId))
      case 'remove-branch':
        return void perform(() => computes.removeBranch(effect.branchId))
      case 'resize':
        return void perform(() => computes.resize(effect.endpointId, effect.cu))
      case 'remove-replica':
        return void perform(() => computes.removeReplica(effect.endpointId, effect.branchId))
      case 'drop-connections':
        return options.dropConnections(effect.endpointId)
      case 'admit-clients':
        return waiting.settle(effect.endpointId, admissionTo(effect.endpointId))
      case 'refuse-clients':
        return waiting.settle(effect.endpointId, refuseWake('57P03', effect.because))
      case 'write-operation':
      case 'write-interval':
      case 'write-wake':
      case 'write-stop':
      case 'write-mutation':
    }
  }
}

/** Joins the message and its cause, which says what a client can do. */
const messageOf = ({ message, cause }: Error) =>
  cause instanceof Error ? `${message}: ${cause.message}` : message
