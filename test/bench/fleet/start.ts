// A fleet of simulated computes behind real HTTP, in a process of its own, and what is true of it.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../../src/local/clock.ts'
import { createScaledClock } from '../../support/scaled-clock.ts'
import type { BehaviourChange } from '../../../src/local/engine/behaviour-switches.ts'
import type { Truth } from '../../../src/local/engine/truth.ts'
import type { FleetShape } from './traffic.ts'
import type { Past } from './warm.ts'

export type FleetOptions = FleetShape & {
  readonly seed: number
  /** How many times as fast as the machine's clock that of the service runs; rates, `Retry-After` and lags follow its clock. */
  readonly scale: number
  /** What was before the service begins to answer, and when that is by its clock; default: now. */
  readonly past?: Past
  /** Positions of switches other than those of the goals of the benchmark. */
  readonly behaviour?: BehaviourChange
}

export type FleetService = {
  readonly baseUrl: string
  readonly apiKey: string
  /** Where the past of the fleet begins, ms; when this is told, its share is awake. */
  readonly since: number
  /** The clock of the service: what is noted for the judge is noted by it. */
  readonly clock: Clock
  /** How far that of the machine is ahead of it, where it runs as fast, ms. */
  readonly ahead: number
  /** Awake intervals, wakes with causes, CU-seconds of every compute that was ever awake, as of an instant, ms. */
  truth(at?: number): Promise<Truth>
  requests(): Promise<Requests>
  usage(): Promise<Usage>
  /** Resolves when the process has ended. */
  stop(): Promise<void>
}

export type Requests = {
  readonly answered: number
  /** Answered 429; counted in `answered` too. */
  readonly limited: number
  /** `GET /api/v2/projects/:id/endpoints` → status → how many. */
  readonly routes: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** Of the service's process. */
export type Usage = { readonly rssBytes: number; readonly cpuSeconds: number }

/** What the process says when it answers. */
type Ready = Pick<FleetService, 'baseUrl' | 'apiKey' | 'since'> & {
  readonly begun: number
  readonly until: number
}

/** Resolves when the service answers. @throws with what the process said when it cannot start. */
export async function startFleetService(options: FleetOptions): Promise<FleetService> {
  const program = fileURLToPath(import.meta.resolve('./service.ts'))
  const child = fork(program, [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'pipe', 'ipc'] })
  let complaint = ''
  child.stderr?.on('data', (text: Buffer) => (complaint += text.toString()))
  const ended = once(child, 'exit')
  const failed = ended.then((): never => {
    throw new Error(`the service of the fleet has ended\n${complaint}`)
  })
  failed.catch(() => undefined) // told to whoever waits
  const told = async <Message>(): Promise<Message> => {
    const [message] = await Promise.race([once(child, 'message'), failed])
    return message as Message
  }
  const { baseUrl, apiKey, since, begun, until } = await told<Ready>()
  const machine = createScaledClock(options.scale, begun)
  const ask = async <Answer>(path: string): Promise<Answer> => {
    const answer = await fetch(new URL(path, baseUrl))
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Answer
  }
  return {
    baseUrl,
    apiKey,
    since,
    clock: { ...machine, now: () => machine.now() - begun + until },
    ahead: begun - until,
    truth: (at) => ask<Truth>(at === undefined ? '/_truth' : `/_truth?at=${new Date(at).toISOString()}`),
    requests: async () => requestsOf(await ask<Requests['routes']>('/_requests')),
    usage: () => {
      child.send('usage')
      return told<Usage>()
    },
    stop: async () => {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

function requestsOf(routes: Requests['routes']): Requests {
  const answers = Object.values(routes).flatMap((statuses) => Object.entries(statuses))
  const sum = (counted: typeof answers): number => counted.reduce((total, [, count]) => total + count, 0)
  return { answered: sum(answers), limited: sum(answers.filter(([status]) => status === '429')), routes }
}
