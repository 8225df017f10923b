// What must hold whatever happens, by the truth of the service: its mutations, its stops with the sessions that they ended, its settings at
// the instants at which daemons wrote their requests.
import type { ComputeEntry } from '../../../../src/model/ledger/ledger.ts'
import { isInFlight, type Change, type ChangeEvent } from '../../../../src/model/policy/change.ts'
import type { Snapshot } from '../../../../src/model/output/snapshot.ts'
import { idsOf, type Simulated } from '../../../support/simulated-service.ts'
import { TOLERANCE, UNSEEN_WAKE } from '../../faults/bounds.ts'
import type { EventLog } from '../event-log.ts'
import { judgeEnd, judgeEvents, judgeMemory } from './final-rules.ts'
import type { WrittenRequest } from '../network.ts'
import { createStandingHolds, TIME_KNOWN, type AskedHold } from './standing-holds.ts'
import {
  brakeAgainst,
  createWindowRule,
  mayRestartAwake,
  overwrites,
  UNSEEN,
  type Landed,
  type SetValue,
} from './restart-rules.ts'
import type { Rules, World } from '../world.ts'

/** From a request to the stop that it causes, ms: its operations wait for others of the project. */
const STOPS_WITHIN = 120_000

type JudgeOptions = Readonly<{
  world: World
  log: EventLog
  simulated: Simulated
  now: () => number
  /** As stored now. */
  changes: () => readonly Change[]
  changeEvents: () => readonly ChangeEvent[]
  /** Ids of the stored ones, ended or not. */
  placedHolds: () => Iterable<string>
  entries: () => Iterable<ComputeEntry>
}>

export type Judge = ReturnType<typeof createJudge>

export function createJudge(options: JudgeOptions) {
  const { world, log, simulated, now } = options
  const isOutsideWindow = createWindowRule(world.zone)
  const standing = createStandingHolds(world)
  const landed: Landed[] = []
  /** Requests on their way. */
  const sent = new Map<string, NonNullable<Landed['sent']>>()
  /** By endpoint. */
  const setValues = new Map<string, Map<string, SetValue[]>>()
  const acknowledged = new Set<string>()
  /** Id of the change → when a person approved it. */
  const approved = new Map<string, number>()
  const effects = new Map<string, number>()
  const seenStops = new Map<string, number>()
  const awakeBefore = new Map<string, number>()
  const sums = {
    took_effect_twice: 0,
    lost_changes: 0,
    overwritten_values: 0,
    sessions_interrupted_outside_rules: 0,
  }
  let killedSince: number | undefined
  let daemonSince = now()

  const computeOf = ({ projectId, endpointId }: WrittenRequest) =>
    simulated.project(projectId)?.computes.find(({ id }) => id === endpointId)
  const usageOf = (endpointId: string) => simulated.usages(now()).find((one) => one.endpointId === endpointId)
  const rulesOf = ({ projectId }: WrittenRequest) =>
    world.rules[world.lives.findIndex((_, index) => idsOf(index).projectId === projectId)]
  const violateRestart = (detail: object) => log.violate('restarts keep to window, idle and deny', detail)
  const violateBrake = (detail: object) =>
    log.violate('nothing is sent while the kill switch or a brake is engaged', detail)

  function judgeRestart(request: WrittenRequest, change: Change): void {
    if (change.when === 'now') return
    const { state, startedAt = 0, createdAt = 0 } = computeOf(request) ?? {}
    const isIdle = state === 'idle' || request.writtenAt - startedAt < UNSEEN
    const rules = change.when === 'policy' ? rulesOf(request) : undefined
    if (!isIdle) judgeAwake(request, change, rules)
    if (change.when === 'policy') judgePolicy(request, change, { createdAt, isAwake: !isIdle })
  }

  function judgeAwake({ endpointId }: WrittenRequest, { id }: Change, rules: Rules | undefined): void {
    if (!mayRestartAwake(rules)) return violateRestart({ change: id, because: 'it is awake' })
    if (rules?.when.includes('quiet') && simulated.sessions(endpointId).open === 0)
      log.count('quiet_restarts')
  }

  function judgePolicy(
    request: WrittenRequest,
    change: Change,
    { createdAt, isAwake }: Readonly<{ createdAt: number; isAwake: boolean }>,
  ): void {
    if (isOutsideWindow(rulesOf(request), request.writtenAt, isAwake))
      return violateRestart({ change: change.id, because: 'outside its window' })
    // a revert makes good what a brake would keep
    if (change.origin.by === 'revert') return
    const brake = brakeAgainst(request, change, { landed, daemonSince, createdAt })
    if (brake !== undefined) violateBrake({ change: change.id, brake })
  }

  function noteValues(endpointId: string, fields: Readonly<Record<string, unknown>>, isOurs: boolean): void {
    const values = setValues.get(endpointId) ?? new Map<string, SetValue[]>()
    for (const [field, value] of Object.entries(fields))
      values.set(field, [...(values.get(field) ?? []), { at: now(), value, isOurs }])
    setValues.set(endpointId, values)
  }

  const mayInterrupt = ({ when }: Change, request: WrittenRequest): boolean =>
    when === 'policy' && rulesOf(request)?.when.includes('window') === true

  /** Clients that came to an awake compute after the readings that showed nobody. */
  function unseenArrivals({ request, change }: NonNullable<Landed['sent']>, stoppedAt: number): number {
    if (change.when !== 'policy' || rulesOf(request)?.when.includes('quiet') !== true) return 0
    const life = world.lives.find((_, index) => idsOf(index).endpointId === request.endpointId)
    const from = request.writtenAt - UNSEEN
    return life?.visits.filter(({ at }) => at > from && at <= stoppedAt).length ?? 0
  }

  /** Request of ours that stopped the server; undefined where none did. */
  const causeOf = (endpointId: string, { at: stoppedAt, why }: Stop) =>
    why === 'config' || why === 'restart-call'
      ? landed.findLast(
          ({ endpointId: id, at }) => id === endpointId && at <= stoppedAt && stoppedAt - at < STOPS_WITHIN,
        )?.sent
      : undefined

  function judgeStop(endpointId: string, stop: Stop): void {
    const { at, open } = stop
    const cause = causeOf(endpointId, stop)
    if (!cause || isExcused(cause)) return
    const { request, change } = cause
    const detail = { change: change.id, open, at: new Date(at).toISOString() }
    const isOutside = change.when === 'policy' && isOutsideWindow(rulesOf(request), at, open > 0)
    const isInterruption = open > unseenArrivals(cause, at) && !mayInterrupt(change, request)
    if (isInterruption || (open > 0 && isOutside)) {
      sums.sessions_interrupted_outside_rules += open
      violateRestart(detail)
    }
    if (isOutside) violateRestart({ ...detail, because: 'it stops after its window' })
  }

  return {
    /** A daemon writes a request. */
    written: (request: WrittenRequest): void => {
      const { endpointId, fields, isRestart, writtenAt } = request
      const change = options
        .changes()
        .find(({ ref, state }) => ref.endpointId === endpointId && state.at === 'applying')
      log.note('written', { change: change?.id, endpointId, fields, isRestart })
      if (!change) return log.violate('nothing acknowledged is lost', { endpointId, because: 'of no change' })
      log.count('changes_sent')
      sent.set(keyOf(request), { request, change })
      const hold = standing.over(request)
      if (hold !== undefined)
        log.violate('nothing is sent for a compute while a hold or a freeze stands over it', {
          change: change.id,
          hold,
        })
      if (killedSince !== undefined && writtenAt > killedSince) violateBrake({ change: change.id })
      const asked = { change, approvedAt: approved.get(change.id) ?? 0 }
      if (overwrites(request, asked, setValues.get(endpointId) ?? new Map())) {
        sums.overwritten_values += 1
        log.violate('a value of a person stays', { change: change.id, fields })
      }
      if (change.kind !== 'delay') judgeRestart(request, change)
    },
    /** The service has answered it. */
    landed: (request: WrittenRequest, status: number): void => {
      const one = sent.get(keyOf(request))
      const { endpointId, isLate } = request
      log.note('landed', { change: one?.change.id, endpointId, status, isLate })
      if (!one || usageOf(endpointId)?.mutations.at(-1)?.at !== now()) return
      landed.push({ endpointId, at: now(), sent: { ...one, request } })
      noteValues(endpointId, request.fields, true)
      const count = (effects.get(one.change.id) ?? 0) + 1
      effects.set(one.change.id, count)
      if (count < 2) return
      sums.took_effect_twice += 1
      log.violate('a change takes effect at most once', { change: one.change.id, count })
    },
    /** Somebody else's request was accepted. @param changed fields that it changed, with their values */
    set: (endpointId: string, changed: Readonly<Record<string, number>>, by: string): void => {
      log.note('set', { by, endpointId, changed })
      landed.push({ endpointId, at: now(), sent: undefined })
      noteValues(endpointId, changed, false)
      const isDuring = options
        .changes()
        .some((change) => change.ref.endpointId === endpointId && isInFlight(change))
      if (isDuring) log.count('foreign_changes_during_change')
    },
    /** A person approves the change as it is to be made now. */
    approves: (id: string): void => void approved.set(id, now()),
    /** A person was told that it is stored. */
    acknowledged: (id: string): void => void acknowledged.add(id),
    /** From the answer to a person on, until one asks for the release. */
    killed: (isKilled: boolean): void => {
      killedSince = isKilled ? now() : undefined
    },
    /** A person was told that a hold stands. */
    held: (hold: AskedHold): void => {
      log.note('held', hold)
      standing.place(hold, now())
    },
    /** A person asks for the end of a hold. */
    resumed: (id: string): void => standing.resume(id, now()),
    /** A daemon stores that the time of a hold is over. */
    holdEnded: ({ id, until }: Pick<AskedHold, 'id' | 'until'>): void => {
      if (now() < until - TIME_KNOWN)
        log.violate('nothing acknowledged is lost', { hold: id, until, because: 'it ended before its time' })
    },
    daemonStarted: (): void => {
      daemonSince = now()
    },
    /** What it shows beside the truth. */
    published: ({ computes }: Snapshot): void => {
      const usages = new Map(simulated.usages(now()).map((one) => [one.endpointId, one.awakeSeconds]))
      for (const { identity, ledger } of computes) {
        const { endpointId } = identity.ref
        const truth = (usages.get(endpointId) ?? 0) - (awakeBefore.get(endpointId) ?? 0)
        const [low, high] = [ledger.awake.low / 1000, ledger.awake.high / 1000]
        if (truth < low - TOLERANCE || truth > high + UNSEEN_WAKE)
          log.violate('the bounds of the ledger contain the truth', { endpointId, low, high, truth })
      }
    },
    /** What happened until now is nothing that a daemon counts. */
    begin: (): void => {
      for (const { endpointId, awakeSeconds, stops } of simulated.usages(now())) {
        awakeBefore.set(endpointId, awakeSeconds)
        seenStops.set(endpointId, stops.length)
      }
    },
    /** What servers stopped for since the last call. */
    judgeStops: (): void => {
      for (const { endpointId, stops } of simulated.usages(now())) {
        for (const stop of stops.slice(seenStops.get(endpointId) ?? 0)) judgeStop(endpointId, stop)
        seenStops.set(endpointId, stops.length)
      }
    },
    /** After a quiet time in which nothing failed. */
    end: (): void => {
      const changes = options.changes()
      const known = new Set(changes.map(({ id }) => id))
      for (const id of new Set([...acknowledged, ...effects.keys()]).difference(known)) {
        sums.lost_changes += 1
        log.violate('nothing acknowledged is lost', { change: id })
      }
      for (const hold of new Set(standing.ids()).difference(new Set(options.placedHolds())))
        log.violate('nothing acknowledged is lost', { hold })
      judgeEvents(changes, options.changeEvents(), log)
      judgeMemory(options.entries(), log)
      for (const change of changes) {
        const fields = setValues.get(change.ref.endpointId ?? '')?.values() ?? []
        const wasSet = [...fields].flat().some(({ at, isOurs }) => !isOurs && at > change.createdAt)
        const hadEffect = effects.has(change.id) || wasSet
        judgeEnd(change, { log, now: now(), hadEffect })
      }
      for (const { endpointId, wakes } of simulated.usages(now()))
        if (wakes.some(({ cause }) => cause.applicationName === 'dormouse'))
          log.violate('observing wakes no compute', { endpointId })
    },
    sums: () => sums,
  }
}

/** A person accepted the interruption, it was written long before it landed, or it restarts nothing. */
const isExcused = ({ request, change }: NonNullable<Landed['sent']>): boolean =>
  request.isLate || change.when === 'now' || change.kind === 'delay'

type Stop = Readonly<{ at: number; why: string; open: number }>

const keyOf = ({ endpointId, writtenAt, fields }: WrittenRequest): string =>
  `${endpointId} ${writtenAt} ${JSON.stringify(fields)}`
