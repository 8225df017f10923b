// What looking costs and what it tells: twin computes on real Postgres play one schedule, some watched and some not. The
// judge is the service's truth.
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Local } from '../../../src/local/start.ts'
import { seeded } from '../../simulation/seeded.ts'
import { fleetAt, until } from '../../end-to-end/support.ts'
import type { Figures } from '../run.ts'
import { type Played, fill, play } from './clients.ts'
import { judge } from './judge.ts'
import { PROFILES, SCALE } from './schedule.ts'
import { actorsOf, startService, watch, type Actor } from './stage.ts'

const SEED = 7
/** Until everything sleeps and every daemon has seen it: a delay, some polls, and room for a busy machine. */
const SILENCE = 240

export async function observer(minutes = 5): Promise<Figures> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'dormouse-bench-'))
  chmodSync(folder, 0o711)
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const activity = new Map<string, number[]>()
  const local = await startService(folder, (event) => {
    if (event.kind !== 'activity') return
    const known = activity.get(event.endpointId)
    if (known) known.push(event.at)
    else activity.set(event.endpointId, [event.at])
  })
  stack.defer(() => local.stop())
  const actors = await actorsOf(local)
  for (const { uri } of actors) await fill(uri)
  await asleep(local)
  const before = new Map(local.truth().computes.map((one) => [one.projectId, one.awakeSeconds]))
  const off = await watch(local, { folder, actors, arm: 'off' })
  stack.defer(() => off.stop())
  const full = await watch(local, { folder, actors, arm: 'full' })
  stack.defer(() => full.stop())
  await until('the daemons', async () => (await fleetAt(full.apiUrl)) && fleetAt(off.apiUrl))
  const played = await perform(actors, 60 * minutes)
  await asleep(local)
  await new Promise((resolve) => setTimeout(resolve, (5000 * 60) / SCALE))
  const fleet = await fleetAt(full.apiUrl)
  if (!fleet) throw new Error('the daemon does not answer any more')
  return judge({ actors, before, truth: local.truth(), fleet, length: 60 * minutes, activity, played })
}

/** What the clients of each project did. Every arm plays the same; who connects first differs by profile, so that no arm is always the last. */
async function perform(actors: readonly Actor[], length: number): Promise<ReadonlyMap<string, Played>> {
  const begun = performance.now() + 500
  const played = await Promise.all(
    PROFILES.map(async ({ name, visits }, index) => {
      const schedule = visits(seeded(SEED + index), length)
      const twins = actors.filter(({ profile }) => profile === name)
      const first = index % twins.length
      const turned = [...twins.slice(first), ...twins.slice(0, first)]
      return Promise.all(
        turned.map(async ({ projectId, uri }) => [projectId, await play(uri, schedule, begun)] as const),
      )
    }),
  )
  return new Map(played.flat())
}

const asleep = (local: Local): Promise<true> =>
  until(
    'the sleep of all computes',
    () =>
      local.truth().computes.every(({ intervals }) => intervals.every(({ to }) => to !== null)) || undefined,
    SILENCE,
  )
