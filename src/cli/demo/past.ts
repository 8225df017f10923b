// The past of the demo: projects that the local service has had for weeks, and the handover of three of them to real Postgres.
import type { Local, LocalOptions } from '../../local/start.ts'
import { sumOf } from '../../std/sum.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { seconds } from '../../model/units.ts'
import { createAsk, projectIds } from './ask.ts'
import { AT_RISK, CAST, PAST_DAYS, PAST_TEAMS } from './cast.ts'

/** Seed of the past: any would do, this one has awake computes of each team on each working day. */
const SEED = 7

const CHOSEN = [
  ...Object.values(PAST_TEAMS).flat(),
  ...CAST.flatMap(({ role, cu, delay, past }) =>
    past
      ? [{ name: role, kind: past, minCu: cu, maxCu: cu, suspendTimeout: delay === 'never' ? -1 : delay }]
      : [],
  ),
]

export const PAST: NonNullable<LocalOptions['past']> = {
  span: PAST_DAYS * 86_400,
  projects: CHOSEN.length,
  chosen: CHOSEN,
  seed: SEED,
}

/**
 * Starts the compute that never sleeps: at the end of a past all of them do. Its records have whole seconds, so that one of the suspension comes
 * first. @throws when the service refuses
 */
export async function startForgotten(
  local: Local,
  { clock, signal }: Readonly<{ clock: Clock; signal: AbortSignal }>,
): Promise<void> {
  const ask = createAsk(local)
  const ids = await projectIds(ask)
  await clock.sleep(seconds(1), signal)
  for (const { role, delay } of CAST) {
    if (delay !== 'never') continue
    const path = `projects/${ids.get(role)}/endpoints`
    // oxlint-disable-next-line no-await-in-loop -- there is one
    const { endpoints } = (await ask(path)) as { endpoints: readonly { id: string }[] }
    // oxlint-disable-next-line no-await-in-loop -- likewise
    for (const { id } of endpoints) await ask(`${path}/${id}/start`, { method: 'POST' })
  }
}

/** Days of the mean by which the month goes on. */
const MEAN_DAYS = 28
/** Part of the mean that the limit leaves for the rest of the month: it will be exceeded, but not yet. */
const LEFT = 0.8
const DAY = 86_400_000

/** CU-hours a month for the team at risk: what it used so far, and a little less than it will use. */
export async function limitAtRisk(local: Local): Promise<number> {
  const ids = await projectIds(createAsk(local))
  const team = new Set((PAST_TEAMS[AT_RISK] ?? []).map(({ name }) => ids.get(name)))
  const truth = local.truth()
  const now = Date.parse(truth.now)
  const intervals = truth.computes
    .filter(({ projectId }) => team.has(projectId))
    .flatMap((compute) => compute.intervals)
  const usedSince = (from: number) =>
    sumOf(intervals, ({ from: start, to, cu }) => {
      const length = (to === null ? now : Date.parse(to)) - Math.max(from, Date.parse(start))
      return (Math.max(0, length) * cu) / 3_600_000
    })
  const date = new Date(now)
  const [month, next] = [0, 1].map((more) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + more))
  const [begin = now, end = now] = [month, next]
  const perDay = usedSince(now - MEAN_DAYS * DAY) / MEAN_DAYS
  return usedSince(begin) + (LEFT * perDay * (end - now)) / DAY
}
