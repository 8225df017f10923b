// Recommendations of the delay beside the truth: computes that live by recorded activity for four weeks, real passes, store and adviser.
import type { RecommendationsJson } from '../../../src/outputs/text/recommendation-schema.ts'
import { idsOf } from '../../support/simulated-service.ts'
import type { Figures } from '../run.ts'
import { checkRecommendations, type Checked } from './check-recommendations.ts'
import {
  judgeDelays,
  judgeRealised,
  type JudgedDelays,
  type OpenDelays,
  type Realised,
} from './judge-delays.ts'
import { recordedLives, type LifeOfCompute } from './lives.ts'
import { DAY, runAccount } from './run-account.ts'
import type { RunningAccount } from './running-account.ts'
import { workedByHand } from './show.ts'
import { judgeGaps, sumVerdicts, type GapVerdict } from './true-gaps.ts'
import { compareAfterKills, countBelow } from './variants.ts'

/** Computes unless asked for another number, so that the bench takes ten minutes at most on two cores. All series are 154. */
const SERIES = 40
const DAYS = 28
/** Day at whose end all open delay recommendations are implemented. */
const IMPLEMENTED_AFTER = 14

export type AdviceOptions = Readonly<{
  /** Folder of trace files. */
  traces: string
  series: number | undefined
  /** Computes to be printed, worked by hand. */
  show: number
}>

export async function advice({ traces, series = SERIES, show }: AdviceOptions): Promise<Figures> {
  const lives = recordedLives(traces, { count: series, span: DAYS * DAY })
  const { implemented, checked, ...judged } = await liveAndImplement(lives)
  const hidden = await countBelow(lives)
  const killed = await compareAfterKills(lives)
  if (show > 0) console.log(workedByHand(lives, implemented, show))
  return {
    rows: [
      [`${lives.length} computes, ${DAYS} days`, 'measured', 'goal'],
      ...gapRows(judged.gaps),
      ...delayRows(`day ${IMPLEMENTED_AFTER}`, judged.early),
      ...savingRows(judged.early),
      ...delayRows(`day ${DAYS}, those not implemented`, judged.late),
      ...realisedRows(judged.realised),
      [
        'operations alone: delays below the one in force',
        `${hidden.below}, ${hidden.computes} computes`,
        '0',
      ],
      [`${killed.kills} kills: gaps that differ`, `${killed.gapsThatDiffer} of ${killed.gaps}`, '0'],
      [
        '  recommendations that differ',
        `${killed.recommendationsThatDiffer} of ${killed.recommendations}`,
        '0',
      ],
      ['independent check: problems', `${checked.problems.length} of ${checked.settings} settings`, '0'],
      ...checked.problems.slice(0, MAX_PROBLEMS).map((problem) => [`  ${problem}`, '', ''] as const),
    ],
    json: {
      series: lives.length,
      ...jsonOf(judged),
      hidden_below: hidden.below,
      kills: killed.kills,
      killed_gaps_differ: killed.gapsThatDiffer,
      killed_recommendations_differ: killed.recommendationsThatDiffer,
      check_settings: checked.settings,
      check_problems: checked.problems.length,
    },
  }
}

/** Printed problems of the independent check. */
const MAX_PROBLEMS = 10

type Judged = Readonly<{ gaps: GapVerdict; early: JudgedDelays; late: JudgedDelays; realised: Realised }>

async function liveAndImplement(
  lives: readonly LifeOfCompute[],
): Promise<Judged & { implemented: OpenDelays; checked: Checked }> {
  const end = DAYS * DAY
  let [implemented, late, verdict]: [OpenDelays, OpenDelays, GapVerdict | undefined] = [
    new Map(),
    new Map(),
    undefined,
  ]
  const checks: Checked[] = []
  const dayEnded = async (day: number, account: RunningAccount) => {
    if (day !== IMPLEMENTED_AFTER && day !== DAYS) return
    const document = await account.recommendations('open')
    checks.push(checkRecommendations(document))
    if (day === DAYS) {
      late = openDelays(document, lives)
      verdict = await judgeAllGaps(lives, account)
      return
    }
    implemented = openDelays(document, lives)
    for (const { request } of implemented.values())
      // oxlint-disable-next-line no-await-in-loop -- one change after the other
      if (request) await account.send(request)
  }
  await runAccount({ lives, days: DAYS, dayEnded })
  if (!verdict) throw new Error('the days have not ended')
  return {
    gaps: verdict,
    early: judgeDelays(lives, implemented, { until: IMPLEMENTED_AFTER * DAY, end }),
    late: judgeDelays(lives, late, { until: end, end }),
    realised: judgeRealised(lives, implemented, { from: IMPLEMENTED_AFTER * DAY, to: end }),
    implemented,
    checked: {
      recommendations: sum(checks.map(({ recommendations }) => recommendations)),
      settings: sum(checks.map(({ settings }) => settings)),
      problems: checks.flatMap(({ problems }) => problems),
    },
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

function openDelays({ recommendations }: RecommendationsJson, lives: readonly LifeOfCompute[]): OpenDelays {
  const numbers = new Map(lives.map((_, at) => [idsOf(at).endpointId, at]))
  return new Map(
    recommendations.flatMap((one) => {
      const at = numbers.get(one.endpoint_id ?? '')
      return one.kind === 'delay' && one.state === 'open' && at !== undefined ? [[at, one]] : []
    }),
  )
}

async function judgeAllGaps(lives: readonly LifeOfCompute[], account: RunningAccount): Promise<GapVerdict> {
  const recorded = Map.groupBy(await account.gaps(), ({ ref }) => ref.endpointId)
  return sumVerdicts(
    lives.map((life, at) => judgeGaps(life, recorded.get(idsOf(at).endpointId) ?? [], DAYS * DAY)),
  )
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

const gapRows = ({ all, recorded, inside, invented }: GapVerdict): Figures['rows'] => [
  ['gaps of 120 s and more', String(all), ''],
  ['  recorded', percent(recorded / all), '≥ 95 %'],
  ['  true length inside the bounds', percent(inside / recorded), '≥ 99 %'],
  ['  invented', String(invented), '0'],
]

/** Cost over that of the same rule on the true gaps. */
const MAX_DEARER = 0.02

const delayRows = (when: string, { open, dearer }: JudgedDelays): Figures['rows'] => [
  [`${when}: open delay recommendations`, String(open), ''],
  [
    '  cost over that of the rule on the true gaps: most, those over 2 %',
    `${percent(Math.max(0, ...dearer))}, ${dearer.filter((share) => share > MAX_DEARER).length}`,
    '≤ 2 %, 0',
  ],
]

const savingRows = ({ saved }: JudgedDelays): Figures['rows'] => [
  ['  share of the saving of the best delay in hindsight', percent(shareOf(totalOf(saved))), '≥ 80 %'],
  ['    of those that began with 300 s', percent(shareOf(saved.default)), '≥ 80 %'],
  ['    of those that began with never', percent(shareOf(saved.never)), '≥ 80 %'],
]

const totalOf = ({ default: one, never: other }: JudgedDelays['saved']) => ({
  recommended: one.recommended + other.recommended,
  best: one.best + other.best,
})

const shareOf = ({ recommended, best }: { recommended: number; best: number }) => recommended / best

const realisedRows = ({
  implemented,
  inside,
  realised,
  likely,
  cost,
  notDearer,
}: Realised): Figures['rows'] => [
  [`implemented after day ${IMPLEMENTED_AFTER}`, String(implemented), ''],
  ['  realised inside of [low, high]', percent(inside / implemented), '70–95 %'],
  ['  realised / likely, of the sums', (realised / likely).toFixed(2), '0.75–1.35'],
  [
    '  cost with wakes over that of the setting before, of the sums',
    percent(cost.after / cost.before),
    '< 100 %',
  ],
  ['    not more', percent(notDearer / implemented), '≥ 80 %'],
]

const jsonOf = ({ gaps, early, late, realised }: Judged): Figures['json'] => ({
  gaps: gaps.all,
  gaps_recorded: gaps.recorded / gaps.all,
  gaps_inside: gaps.inside / gaps.recorded,
  gaps_invented: gaps.invented,
  ...dearerJson(`day${IMPLEMENTED_AFTER}`, early),
  ...dearerJson(`day${DAYS}`, late),
  hindsight_share: shareOf(totalOf(early.saved)),
  hindsight_share_default: shareOf(early.saved.default),
  hindsight_share_never: shareOf(early.saved.never),
  implemented: realised.implemented,
  realised_inside: realised.inside / realised.implemented,
  realised_by_likely: realised.realised / realised.likely,
  realised_cost: realised.cost.after / realised.cost.before,
  realised_not_dearer: realised.notDearer / realised.implemented,
})

const dearerJson = (when: string, { open, dearer }: JudgedDelays): Figures['json'] => ({
  [`${when}_open`]: open,
  [`${when}_dearer_max`]: Math.max(0, ...dearer),
  [`${when}_dearer_over_2`]: dearer.filter((share) => share > MAX_DEARER).length,
})
