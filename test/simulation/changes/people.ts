// Who changes settings beside the daemon: people and a second controller at the service, and operators who command the daemon.
/* oxlint-disable no-await-in-loop -- one after the other, on virtual time */
import { isEnded, type Change } from '../../../src/model/policy/change.ts'
import type { Random } from '../../../src/model/ports/clock.ts'
import { after, cu, instant, seconds } from '../../../src/model/units.ts'
import type { NewChange } from '../../../src/daemon/changes/commands.ts'
import type { ComputeConfig } from '../../../src/local/control/project.ts'
import { idsOf, type Simulated } from '../../support/simulated-service.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'
import { SERVICE_URL } from './configuration.ts'
import type { Daemon } from './daemon.ts'
import type { EventLog } from './event-log.ts'
import type { Judge } from './judge/judge.ts'
import { drawPause, pick } from './lives.ts'
import { createHolding } from './place-holds.ts'

type PeopleOptions = Readonly<{
  clock: VirtualClock
  random: Random
  simulated: Simulated
  log: EventLog
  judge: Judge
  /** Undefined while none runs. */
  daemon: () => Daemon | undefined
  /** As stored now. */
  changes: () => readonly Change[]
  /** Aborts when people go home. */
  until: AbortSignal
  /** Never aborts. */
  never: AbortSignal
}>

/** Numbers of the projects whose computes people change. They leave one alone, so that what its policy does is judged by readings. */
const USED = [0, 2] as const
const SIZES = [0.25, 0.5, 1, 2, 4] as const
const DELAYS = [60, 120, 300, 900, 1800, -1] as const
const KINDS = ['delay', 'delay', 'sizing', 'sizing', 'sizing', 'restart'] as const
/** Chance that a change that waits is taken back, each time that an operator looks. */
const TAKEN_BACK = 0.1
const OPERATOR = 'ann'

export type People = ReturnType<typeof createPeople>

export function createPeople(options: PeopleOptions) {
  const { clock, random, simulated, log, judge, until, never } = options

  /** At the service, past every daemon. */
  async function set(endpointId: string, by: string): Promise<void> {
    const index = USED.find((number) => idsOf(number).endpointId === endpointId)
    if (index === undefined) return
    const fields = drawFields(random)
    const [compute] = simulated.project(idsOf(index).projectId)?.computes ?? []
    const changed = compute ? changedFields(fields, compute.config) : {}
    const release = clock.hold()
    const answer = await simulated.fetch(
      new Request(`${SERVICE_URL}/projects/${idsOf(index).projectId}/endpoints/${endpointId}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${simulated.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ endpoint: fields }),
      }),
    )
    if (answer.ok) judge.set(endpointId, changed, by)
    release()
  }

  /** Runs it every now and then. @param pause bounds, seconds */
  async function often(pause: readonly [number, number], work: () => Promise<void>): Promise<void> {
    while (!until.aborted) {
      await clock.sleep(seconds(drawPause(random, pause)), until)
      if (!until.aborted) await work()
    }
  }

  const anyEndpoint = () => idsOf(pick(random, USED)).endpointId

  /** Sets its own values again and again for a while. */
  async function control(): Promise<void> {
    const endpointId = anyEndpoint()
    for (let times = 0; times < 5 && !until.aborted; times += 1) {
      await set(endpointId, 'controller')
      await clock.sleep(seconds(600), until)
    }
  }

  /** Unless the daemon ends meanwhile: then the operator knows nothing. */
  async function command(daemon: Daemon, work: (daemon: Daemon) => Promise<string | undefined>) {
    const done = work(daemon).catch((err: unknown) => {
      log.note('command failed', { err: String(err) })
    })
    const id = await Promise.race([done, daemon.fuse.burnt])
    if (typeof id !== 'string') return
    log.note('acknowledged', { change: id })
    judge.acknowledged(id)
  }

  async function ask({ commands, runners }: Daemon): Promise<string | undefined> {
    const snapshot = runners.snapshot()
    if (!snapshot) return undefined
    const replica = snapshot.computes.find(({ identity }) => identity.compute.type === 'read_only')
    const isOfReplica = replica !== undefined && random.unit() < 0.2
    const compute = isOfReplica ? replica.identity.ref.endpointId : anyEndpoint()
    const asked = drawChange(random, compute, clock.now())
    const answer = await commands.create(snapshot, asked, OPERATOR)
    if (!answer.ok) log.note('refused', { compute: asked.compute, message: answer.error.message })
    return answer.ok ? answer.value.change.id : undefined
  }

  /** Approves what is proposed; now and then takes back what a person asked for. */
  async function decide({ commands, runners }: Daemon): Promise<string | undefined> {
    const snapshot = runners.snapshot()
    const open = options.changes().filter(isDecided)
    const change = open[Math.floor(open.length * random.unit())]
    if (!snapshot || !change) return undefined
    const isProposed = change.state.at === 'proposed'
    if (!isProposed && random.unit() > TAKEN_BACK) return undefined
    if (isProposed) judge.approves(change.id)
    const answer = isProposed
      ? await commands.approve(snapshot, change, { planHash: change.planHash, when: undefined, by: OPERATOR })
      : await commands.end(change, 'cancelled', { by: OPERATOR, reason: '' })
    return answer.ok ? answer.value.change.id : undefined
  }

  /** Undefined where the daemon ended meanwhile, or its store failed. */
  const turn = (isOn: boolean, daemon: Daemon): Promise<true | undefined> => {
    const at = instant(clock.now())
    const done = daemon.runners.killSwitch.set(isOn, OPERATOR, at).then(
      () => true as const,
      () => undefined,
    )
    return Promise.race([done, daemon.fuse.burnt.then(() => undefined)])
  }

  /** The judge counts from the answer on: before it nobody was promised anything. */
  async function kill(): Promise<void> {
    const daemon = options.daemon()
    if (!daemon) return
    const isKilled = await turn(true, daemon)
    if (isKilled) judge.killed(true)
    log.note('killed', { isKilled })
    await clock.sleep(seconds(drawPause(random, [300, 5000])), until)
    judge.killed(false)
    for (let isOn = true; isOn;) {
      const current = options.daemon()
      isOn = !(current && (await turn(false, current)))
      if (isOn) await clock.sleep(seconds(10), never)
    }
    log.note('released')
  }

  const hold = createHolding(options)

  const withDaemon = async (work: (daemon: Daemon) => Promise<string | undefined>) => {
    const daemon = options.daemon()
    if (daemon) await command(daemon, work)
  }

  return {
    set,
    /** Until they go home; whoever killed changes releases them. */
    run: () =>
      Promise.all([
        often([8000, 60_000], () => set(anyEndpoint(), 'person')),
        often([40_000, 200_000], control),
        often([600, 4000], () => withDaemon(ask)),
        often([300, 6000], () => withDaemon(decide)),
        often([20_000, 80_000], kill),
        often([4000, 30_000], hold),
      ]),
  }
}

const isDecided = ({ state, origin }: Change): boolean =>
  state.at === 'proposed' || (origin.by === 'person' && !isEnded(state))

function drawFields(random: Random): Readonly<Record<string, number>> {
  const size = pick(random, SIZES)
  const delay = { suspend_timeout_seconds: pick(random, DELAYS) }
  const limits = {
    autoscaling_limit_min_cu: random.unit() < 0.5 ? size : 0.25,
    autoscaling_limit_max_cu: size,
  }
  return pick<Readonly<Record<string, number>>>(random, [delay, limits, { ...delay, ...limits }])
}

/** Those that the compute does not have yet. */
function changedFields(
  fields: Readonly<Record<string, number>>,
  { minCu, maxCu, suspendTimeout }: ComputeConfig,
): Readonly<Record<string, number>> {
  const config: Readonly<Record<string, number>> = {
    autoscaling_limit_min_cu: minCu,
    autoscaling_limit_max_cu: maxCu,
    suspend_timeout_seconds: suspendTimeout,
  }
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => config[name] !== value))
}

function drawChange(random: Random, compute: string, now: number): NewChange {
  const kind = pick(random, KINDS)
  const size = cu(pick(random, SIZES))
  const delay = pick(random, DELAYS)
  return {
    compute,
    account: undefined,
    when: pick(random, ['idle', 'idle', 'now']),
    size:
      kind !== 'sizing'
        ? undefined
        : random.unit() < 0.3
          ? { fixed: size }
          : { min: cu(0.25), max: cu(Math.max(0.5, size)) },
    delay: kind === 'delay' || (kind === 'sizing' && random.unit() < 0.3) ? delayOf(delay) : undefined,
    restart: kind === 'restart',
    until: after(instant(now), seconds(drawPause(random, [1800, 30_000]))),
    reason: 'as drawn',
    propose: random.unit() < 0.2,
  }
}

const delayOf = (value: number) => (value < 0 ? 'never' : seconds(value))
