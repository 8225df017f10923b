// Holds what the watched computes did against their twins, and what the daemon says against the service's truth.
import type { FleetJson } from '../../../src/daemon/http/api/status-json.ts'
import type { Truth } from '../../../src/local/engine/truth.ts'
import type { Figures } from '../run.ts'
import type { Played } from './clients.ts'
import { heldSeconds } from './held.ts'
import { PROFILES, SCALE } from './schedule.ts'
import { ARMS, type Actor, type Arm } from './stage.ts'

export type Evidence = {
  readonly actors: readonly Actor[]
  /** Awake seconds of each project's compute before the schedule began: setting up is not part of it. */
  readonly before: ReadonlyMap<string, number>
  readonly truth: Truth
  /** What the daemon of the arm `full` says when all is over. */
  readonly fleet: FleetJson
  /** Seconds. */
  readonly length: number
  /** When the service saw each compute in use, by endpoint, epoch ms. */
  readonly activity: ReadonlyMap<string, readonly number[]>
  /** By project. */
  readonly played: ReadonlyMap<string, Played>
}

type Row = {
  readonly profile: string
  /** Awake seconds by arm, of the truth. */
  readonly awake: Readonly<Record<Arm, number>>
  /** Seconds by arm that the compute was awake for what its clients did not do. */
  readonly held: Readonly<Record<Arm, number>>
  readonly exported: number
  readonly informed: boolean
}

export function judge(evidence: Evidence): Figures {
  const rows = PROFILES.map(({ name }) => rowOf(name, evidence))
  const sum = (pick: (row: Row) => number): number => rows.reduce((all, row) => all + pick(row), 0)
  const alone = sum(aloneOf)
  const noise = noiseOf(rows)
  const more = (arm: Arm): number => sum((row) => row.awake[arm]) - alone
  const exported = sum((row) => row.exported)
  const due = rows.filter(({ awake }) => awake.full >= awakeDue(evidence.length))
  const informed = due.filter((row) => row.informed).length
  const wakes = evidence.truth.computes.flatMap((one) => one.wakes)
  const caused = wakes.filter(({ applicationName }) => applicationName === 'dormouse').length
  const held = sum((row) => row.held.full)
  const heldAlone = sum(({ held: { nobody, 'nobody again': again } }) => (nobody + again) / 2)
  const offBy = Math.abs(exported - held)
  const lost = [...evidence.played.values()].reduce((all, one) => all + one.lost, 0)
  const { readings } = evidence.fleet.accounts[0] ?? {}
  return {
    rows: [
      ['what', 'measured', 'goal'],
      ...rows.map(rowText),
      ['awake in all, nobody looking', `${alone.toFixed(1)} s`, ''],
      ['two unwatched twins differ by, standard deviation of the sum', `${noise.toFixed(2)} s`, ''],
      ['wakes caused by looking', String(caused), '0'],
      ['awake time added by full', percent(more('full'), alone), '≤ 1 %'],
      ['awake time added by off', percent(more('off'), alone), `within ± ${(2 * noise).toFixed(2)} s`],
      ['awake for what no client did: full', `${held.toFixed(2)} s`, ''],
      ['the same where nobody looks: what this cannot explain', `${heldAlone.toFixed(2)} s`, 'near 0'],
      ['added as the daemon exports it', `${exported.toFixed(2)} s`, `${held.toFixed(2)} s`],
      ['off by', `${offBy.toFixed(2)} s`, `≤ ${Math.max(1, 0.2 * held).toFixed(2)} s`],
      ['hit ratio and connections known', `${informed} of ${due.length}`, `≥ ${Math.ceil(0.9 * due.length)}`],
      ['visits of clients that failed', String(lost), '0'],
      ['readings that succeeded', String(readings?.ok ?? 0), ''],
    ],
    json: {
      wakes_caused: caused,
      awake_alone_s: alone,
      twin_noise_s: noise,
      full_added_s: more('full'),
      full_added_ratio: more('full') / alone,
      off_added_s: more('off'),
      held_s: held,
      held_alone_s: heldAlone,
      exported_added_s: exported,
      informed,
      informed_due: due.length,
      lost_visits: lost,
      readings_ok: readings?.ok ?? 0,
    },
  }
}

/** An hour a day, of what the run is of a scaled day. */
const awakeDue = (length: number): number => (3600 / SCALE) * (length / (86_400 / SCALE))

function rowOf(profile: string, evidence: Evidence): Row {
  const { actors, before, truth, fleet, activity, played } = evidence
  const awakeIn = (arm: Arm): number => {
    const { projectId } = actorIn(arm)
    const awake = truth.computes.find((one) => one.projectId === projectId)?.awakeSeconds ?? 0
    return awake - (before.get(projectId) ?? 0)
  }
  const heldIn = (arm: Arm): number => {
    const { projectId } = actorIn(arm)
    const deeds = played.get(projectId)?.deeds ?? []
    const compute = truth.computes.find((one) => one.projectId === projectId)
    if (!compute || deeds.length === 0) return 0
    return heldSeconds({
      intervals: compute.intervals,
      activity: activity.get(compute.endpointId) ?? [],
      deeds,
    })
  }
  const actorIn = (arm: Arm): Actor => {
    const found = actors.find((one) => one.profile === profile && one.arm === arm)
    if (!found) throw new Error(`nobody plays ${profile} for ${arm}`)
    return found
  }
  const seen = fleet.computes.find(({ project_id }) => project_id === actorIn('full').projectId)
  return {
    profile,
    awake: byArm(awakeIn),
    held: byArm(heldIn),
    exported: seen?.awake_extension_seconds ?? 0,
    informed: seen !== undefined && seen.hit_ratio !== null && seen.connections !== null,
  }
}

const byArm = (of: (arm: Arm) => number): Record<Arm, number> => ({
  nobody: of('nobody'),
  'nobody again': of('nobody again'),
  off: of('off'),
  full: of('full'),
})

const aloneOf = ({ awake }: Row): number => (awake.nobody + awake['nobody again']) / 2

/** Of the difference between the sum over one arm and the mean of two: the variance of a twin is half that of a pair. */
function noiseOf(rows: readonly Row[]): number {
  const squares = rows.map(({ awake }) => (awake.nobody - awake['nobody again']) ** 2)
  return Math.sqrt((squares.reduce((sum, one) => sum + one, 0) / 2) * 1.5)
}

const rowText = ({ profile, awake, held, exported, informed }: Row): readonly [string, string, string] => [
  `awake: ${profile}`,
  ARMS.map((arm) => `${arm} ${awake[arm].toFixed(1)}`).join(', ') +
    ` s; held ${ARMS.map((arm) => held[arm].toFixed(1)).join(', ')} s; exported ${exported.toFixed(1)} s; ${informed ? 'known' : 'not known'} inside`,
  '',
]

const percent = (part: number, whole: number): string =>
  `${part.toFixed(2)} s, ${((100 * part) / whole).toFixed(2)} %`
