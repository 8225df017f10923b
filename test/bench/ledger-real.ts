// The ledger of a daemon that is killed twice, beside the truth of real Postgres computes under the demo's clients.
import { CAST } from '../../src/cli/demo/cast.ts'
import { play } from '../../src/cli/demo/workload.ts'
import { createClock } from '../../src/daemon/clock.ts'
import type { FleetJson } from '../../src/daemon/http/api/status-json.ts'
import type { Truth } from '../../src/local/engine/truth.ts'
import { seconds } from '../../src/model/units.ts'
import { dormouse, fleetAt, setting, until, uriOf } from '../end-to-end/support.ts'
import { seeded } from '../simulation/seeded.ts'

export type RealLedger = {
  readonly cuSeconds: number
  /** Of all computes together, of the truth. */
  readonly error: number
  readonly width: number
  /** Computes whose bounds do not contain their truth. */
  readonly outside: number
  readonly wakes: number
}

/** How long the daemon stays dead, s: longer than a delay, so that computes fall asleep and wake unseen. */
const DEAD = 12

/** Whoever falls asleep at times: one that never does tells nothing of edges. */
const SLEEPERS = CAST.filter(({ delay }) => delay !== 'never')

export async function realLedger(minutes: number): Promise<RealLedger> {
  await using world = await setting(
    SLEEPERS.map(({ role, delay }) => ({ name: role, suspendTimeoutSeconds: Number(delay) })),
  )
  const { local, apiUrl, configFile } = world
  const clock = createClock()
  const stop = new AbortController()
  const part = seconds((60 * minutes) / 3)
  const clients = playersOf(world.local, clock, stop.signal)
  try {
    for (const isLast of [false, false, true]) {
      await using daemon = dormouse(['run', '--config', configFile])
      await until('the daemon', () => fleetAt(apiUrl))
      await clock.sleep(part, stop.signal)
      if (isLast) {
        const fleet = await fleetAt(apiUrl)
        daemon.child.kill('SIGTERM')
        await daemon.ended
        if (!fleet) throw new Error('the daemon does not answer any more')
        return judged(fleet, local.truth(fleet.taken_at))
      }
      daemon.child.kill('SIGKILL')
      await daemon.ended
      await clock.sleep(seconds(DEAD), stop.signal)
    }
  } finally {
    stop.abort()
    await clients
  }
  throw new Error('the last part did not end')
}

async function playersOf(
  local: Parameters<typeof uriOf>[0],
  clock: ReturnType<typeof createClock>,
  signal: AbortSignal,
): Promise<void> {
  const random = seeded(1)
  const headers = { authorization: `Bearer ${local.apiKey}` }
  const answer = await fetch(`${local.baseUrl}/projects`, { headers })
  const { projects } = (await answer.json()) as { projects: { id: string; name: string }[] }
  await Promise.all(
    SLEEPERS.map(async ({ role }) => {
      const project = projects.find(({ name }) => name === role)
      if (project) await play(role, await uriOf(local, project.id), { clock, random, signal })
    }),
  )
}

function judged({ computes }: FleetJson, truth: Truth): RealLedger {
  const seen = truth.computes.map((real) => {
    const found = computes.find(({ endpoint_id }) => endpoint_id === real.endpointId)
    if (!found) throw new Error(`${real.endpointId} is not in the ledger`)
    return { real, told: found.cu_seconds }
  })
  const sum = (pick: (one: (typeof seen)[number]) => number): number =>
    seen.reduce((all, one) => all + pick(one), 0)
  const cuSeconds = sum(({ real }) => real.cuSeconds)
  return {
    cuSeconds,
    error: Math.abs(sum(({ told }) => told.likely) - cuSeconds) / cuSeconds,
    width: sum(({ told }) => told.high - told.low) / cuSeconds,
    outside: seen.filter(({ real, told }) => real.cuSeconds < told.low || real.cuSeconds > told.high).length,
    wakes: sum(({ real }) => real.wakes.length),
  }
}
