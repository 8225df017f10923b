// The expected numbers of a report, summed from the rows of the store's file without the program's own readers and sums.
import { DatabaseSync } from 'node:sqlite'
import type { Report } from '../../src/outputs/report/schema.ts'

type Bounds = { readonly low: number; readonly likely: number; readonly high: number }
type Sums = {
  readonly awake: Bounds
  readonly cuTime: Readonly<Record<string, Bounds>>
  readonly idleTail: number
  readonly observerOverhead: number
  readonly wakes: number
}
export type DayInFile = Sums & {
  readonly projectId: string
  readonly endpointId: string
  readonly date: string
}

/** Last version of each day of each compute. */
export function daysInFile(file: string): readonly DayInFile[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database
      .prepare(
        `select project_id, endpoint_id, date, sums, max(version) from day join compute on compute.id = day.compute
         group by day.compute, date`,
      )
      .all()
      .map((row) => ({
        ...(JSON.parse(String(row['sums'])) as Sums),
        projectId: String(row['project_id']),
        endpointId: String(row['endpoint_id']),
        date: String(row['date']),
      }))
  } finally {
    database.close()
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

/** Whole micros of one compute and day, as an export shows them. */
const spent = ({ cuTime }: Sums, bound: keyof Bounds): number =>
  Math.round(sum(Object.entries(cuTime).map(([price, time]) => (time[bound] * Number(price)) / 3_600_000)))

const cuSeconds = (days: readonly Sums[]): number =>
  sum(days.flatMap(({ cuTime }) => Object.values(cuTime).map(({ likely }) => likely))) / 1000

const seconds = (days: readonly Sums[], of: (day: Sums) => number): number => sum(days.map(of)) / 1000

const bounds = (of: (bound: keyof Bounds) => number): Bounds => ({
  low: of('low'),
  likely: of('likely'),
  high: of('high'),
})

export type ReportScope = {
  /** `YYYY-MM-DD`, seven each. */
  readonly week: readonly string[]
  readonly before: readonly string[]
  readonly month: string
  /** Hours of the week. */
  readonly hours: number
  readonly teams: Readonly<Record<string, string>>
}

/** The numbers of a report under its own names. */
export type Numbers = ReturnType<typeof numbersOf>

export function numbersOf(days: readonly DayInFile[], scope: ReportScope) {
  const inWeek = days.filter(({ date }) => scope.week.includes(date))
  const inBefore = days.filter(({ date }) => scope.before.includes(date))
  const computes = [...new Set([...inWeek, ...inBefore].map(({ endpointId }) => endpointId))].map((id) =>
    computeNumbers(
      inWeek.filter(({ endpointId }) => endpointId === id),
      inBefore.filter(({ endpointId }) => endpointId === id),
      scope,
    ),
  )
  const dearest = computes.toSorted((a, b) => b.spend_micros.likely - a.spend_micros.likely)
  return {
    spend: {
      week: bounds((bound) => sum(inWeek.map((day) => spent(day, bound)))),
      before: sum(inBefore.map((day) => spent(day, 'likely'))),
      month: sum(
        days
          .filter(({ date }) => date.startsWith(scope.month) && date <= (scope.week.at(-1) ?? ''))
          .map((day) => spent(day, 'likely')),
      ),
      days: scope.week.map((date) => {
        const rows = inWeek.filter((one) => one.date === date)
        return {
          date,
          micros: sum(rows.map((day) => spent(day, 'likely'))),
          awake_seconds: seconds(rows, ({ awake }) => awake.likely),
        }
      }),
    },
    awake: {
      seconds: bounds((bound) => seconds(inWeek, ({ awake }) => awake[bound])),
      cu_seconds: cuSeconds(inWeek),
      wakes: sum(inWeek.map(({ wakes }) => wakes)),
      computes: computes.filter(({ awake_seconds: awake }) => awake > 0).length,
    },
    groups: groupNumbers(computes),
    movers: moverNumbers(computes),
    observer: {
      extension_seconds: seconds(inWeek, ({ observerOverhead }) => observerOverhead),
      micros: sum(computes.map((one) => costOf(one, one.extension_seconds))),
    },
    idle_tail: {
      seconds: seconds(inWeek, ({ idleTail }) => idleTail),
      micros: sum(computes.map((one) => costOf(one, one.idle_tail_seconds))),
    },
    never_slept: dearest
      .filter((one) => one.awake_share >= 0.95)
      .map(({ endpoint_id, awake_share, spend_micros: { likely } }) => ({
        endpoint_id,
        awake_share,
        micros: likely,
        month_micros: Math.round((likely * 30 * 24) / scope.hours),
      })),
    uncertain: sum(
      dearest
        .filter(({ spend_micros: { low, likely, high } }) => high - low > 0.2 * likely)
        .map(({ spend_micros: { likely } }) => likely),
    ),
    computes: dearest
      .filter(({ awake_high: high }) => high > 0)
      .map((one) => {
        const { awake_high: _, before: __, ...told } = one
        return told
      }),
  }
}

type ComputeNumbers = ReturnType<typeof computeNumbers>

function computeNumbers(
  week: readonly DayInFile[],
  before: readonly DayInFile[],
  { hours, teams }: ReportScope,
) {
  const [one] = [...week, ...before]
  const awake = seconds(week, (day) => day.awake.likely)
  return {
    project_id: one?.projectId ?? '',
    endpoint_id: one?.endpointId ?? '',
    team: teams[one?.projectId ?? ''] ?? null,
    spend_micros: bounds((bound) => sum(week.map((day) => spent(day, bound)))),
    spend_before_micros: sum(before.map((day) => spent(day, 'likely'))),
    awake_seconds: awake,
    awake_share: awake / (hours * 3600),
    cu_seconds: cuSeconds(week),
    idle_tail_seconds: seconds(week, ({ idleTail }) => idleTail),
    extension_seconds: seconds(week, ({ observerOverhead }) => observerOverhead),
    wakes: sum(week.map(({ wakes }) => wakes)),
    before: { awake_seconds: seconds(before, (day) => day.awake.likely), cu_seconds: cuSeconds(before) },
    awake_high: seconds(week, (day) => day.awake.high),
  }
}

/** Average cost of `part` of its awake seconds. */
const costOf = ({ spend_micros: { likely }, awake_seconds: awake }: ComputeNumbers, part: number): number =>
  awake === 0 ? 0 : Math.round((likely * part) / awake)

function groupNumbers(computes: readonly ComputeNumbers[]) {
  const teams = [...new Set(computes.map(({ team }) => team))]
  const rows = teams.map((team) => {
    const members = computes.filter((one) => one.team === team)
    return {
      name: team,
      computes: members.filter(({ awake_seconds: awake }) => awake > 0).length,
      micros: sum(members.map(({ spend_micros: { likely } }) => likely)),
      before_micros: sum(members.map((one) => one.spend_before_micros)),
      awake_seconds: sum(members.map((one) => Math.round(one.awake_seconds * 1000))) / 1000,
    }
  })
  const owned = rows.filter(({ name }) => name !== null).toSorted((a, b) => b.micros - a.micros)
  return [...owned, ...rows.filter(({ name }) => name === null)]
}

/** First more time awake at the size and price of before, then another size, then another price. */
function moverNumbers(computes: readonly ComputeNumbers[]) {
  const changeOf = (one: ComputeNumbers): number => one.spend_micros.likely - one.spend_before_micros
  return computes
    .filter((one) => changeOf(one) !== 0)
    .toSorted((a, b) => Math.abs(changeOf(b)) - Math.abs(changeOf(a)))
    .slice(0, 5)
    .map((one) => {
      const { before, spend_before_micros: was, spend_micros: is } = one
      const hourly = was / before.awake_seconds
      const awake = (one.awake_seconds - before.awake_seconds) * hourly
      const atOldPrice = one.cu_seconds * (was / before.cu_seconds)
      return {
        endpoint_id: one.endpoint_id,
        micros: is.likely,
        before_micros: was,
        by: { awake, size: atOldPrice - was - awake, price: is.likely - atOldPrice },
      }
    })
}

/** The numbers that the ledger has, as the report tells them. */
export function toldBy({
  spend,
  awake,
  groups,
  movers,
  observer,
  unproductive,
  computes,
  ...rest
}: Report): Numbers {
  return {
    spend: {
      week: spend.week,
      before: spend.before ?? NaN,
      month: spend.month.micros,
      days: spend.days.map(({ date, micros, awake_seconds }) => ({ date, micros, awake_seconds })),
    },
    awake,
    groups: groups.rows.map((row) => ({ ...row, before_micros: row.before_micros ?? NaN })),
    movers: movers.map(({ endpoint_id, micros, before_micros, by }) => ({
      endpoint_id,
      micros,
      before_micros,
      by,
    })),
    observer: { extension_seconds: observer.extension_seconds, micros: observer.micros },
    idle_tail: unproductive.idle_tail,
    never_slept: unproductive.never_slept.map(({ endpoint_id, awake_share, micros, month_micros }) => ({
      endpoint_id,
      awake_share,
      micros,
      month_micros,
    })),
    uncertain: rest.not_analysed.find(({ reason }) => reason === 'uncertain')?.micros ?? 0,
    computes: computes.map((one) => ({
      project_id: one.project_id,
      endpoint_id: one.endpoint_id,
      team: one.team,
      spend_micros: one.spend_micros,
      spend_before_micros: one.spend_before_micros ?? NaN,
      awake_seconds: one.awake_seconds,
      awake_share: one.awake_share,
      cu_seconds: one.cu_seconds,
      idle_tail_seconds: one.idle_tail_seconds,
      extension_seconds: one.extension_seconds,
      wakes: one.wakes,
    })),
  }
}

/** To the micro and the millisecond. */
export const rounded = (value: unknown): unknown => {
  if (typeof value === 'number') return Number(value.toFixed(6))
  if (Array.isArray(value)) return value.map(rounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, rounded(part)]))
}
/** Parts of a difference are rounded one by one. */
export const withoutParts = ({ movers, ...rest }: Numbers): unknown => ({
  ...rest,
  movers: movers.map(({ endpoint_id, micros, before_micros }) => ({ endpoint_id, micros, before_micros })),
})
