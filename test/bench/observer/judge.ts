// Holds what the watched computes did against their twins, and what the daemon says against the service's truth.
import type { Fleet } from '../../../src/daemon/status.ts'
import type { Truth } from '../../../src/local/truth.ts'
import type { Figures } from '../run.ts'
import { PROFILES, SCALE } from './schedule.ts'
import { ARMS, type Actor, type Arm } from './stage.ts'

export type Evidence = {
  readonly actors: readonly Actor[]
  /** Awake seconds of each project's compute before the schedule began: setting up is not part of it. */
  readonly before: ReadonlyMap<string, number>
  readonly truth: Truth
  /** What the daemon of the arm `full` says when all is over. */
  readonly fleet: Fleet
  /** Seconds. */
  readonly length: number
  /** Visits that failed. */
  readonly lost: number
}

type Row = {
  readonly profile: string
  /** Awake seconds by arm, of the truth. */
  readonly awake: Readonly<Record<Arm, number>>
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
  const offBy = Math.abs(exported - more('full'))
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
      ['added as the daemon exports it', `${exported.toFixed(2)} s`, `${more('full').toFixed(2)} s`],
      ['off by', `${offBy.toFixed(2)} s`, `≤ ${Math.max(1, 0.2 * more('full')).toFixed(2)} s`],
      ['hit ratio and connections known', `${informed} of ${due.length}`, `≥ ${Math.ceil(0.9 * due.length)}`],
      ['visits of clients that failed', String(evidence.lost), '0'],
      ['readings that succeeded', String(readings?.ok ?? 0), ''],
    ],
    json: {
      wakes_caused: caused,
      awake_alone_s: alone,
      twin_noise_s: noise,
      full_added_s: more('full'),
      full_added_ratio: more('full') / alone,
      off_added_s: more('off'),
      exported_added_s: exported,
      informed,
      informed_due: due.length,
      lost_visits: evidence.lost,
      readings_ok: readings?.ok ?? 0,
    },
  }
}

/** An hour a day, of what the run is of a scaled day. */
const awakeDue = (length: number): number => (3600 / SCALE) * (length / (86_400 / SCALE))

function rowOf(profile: string, { actors, before, truth, fleet }: Evidence): Row {
  const awakeIn = (arm: Arm): number => {
    const { projectId } = actorIn(arm)
    const awake = truth.computes.find((one) => one.projectId === projectId)?.awakeSeconds ?? 0
    return awake - (before.get(projectId) ?? 0)
  }
  const actorIn = (arm: Arm): Actor => {
    const found = actors.find((one) => one.profile === profile && one.arm === arm)
    if (!found) throw new Error(`nobody plays ${profile} for ${arm}`)
    return found
  }
  const seen = fleet.computes.find(({ project_id }) => project_id === actorIn('full').projectId)
  return {
    profile,
    awake: {
      nobody: awakeIn('nobody'),
      'nobody again': awakeIn('nobody again'),
      off: awakeIn('off'),
      full: awakeIn('full'),
    },
    exported: seen?.awake_extension_seconds ?? 0,
    informed: seen !== undefined && seen.hit_ratio !== null && seen.connections !== null,
  }
}

const aloneOf = ({ awake }: Row): number => (awake.nobody + awake['nobody again']) / 2

/** Of the difference between the sum over one arm and the mean of two: the variance of a twin is half that of a pair. */
function noiseOf(rows: readonly Row[]): number {
  const squares = rows.map(({ awake }) => (awake.nobody - awake['nobody again']) ** 2)
  return Math.sqrt((squares.reduce((sum, one) => sum + one, 0) / 2) * 1.5)
}

const rowText = ({ profile, awake, exported, informed }: Row): readonly [string, string, string] => [
  `awake: ${profile}`,
  ARMS.map((arm) => `${arm} ${awake[arm].toFixed(1)}`).join(', ') +
    ` s; exported ${exported.toFixed(1)} s; ${informed ? 'known' : 'not known'} inside`,
  '',
]

const percent = (part: number, whole: number): string =>
  `${part.toFixed(2)} s, ${((100 * part) / whole).toFixed(2)} %`
