import type { Instant, Interval } from '../units.ts'

export type ReportSlot = Interval &
  Readonly<{
    /** `2026-W47`; by hand `2026-W47-manual-1`. */
    id: string
    /** Made later than scheduled. */
    late: boolean
  }>

export type ArchivedReport = Readonly<{
  account: string
  slot: ReportSlot
  /** Absent: all teams, or `report.only_team`. */
  team?: string | undefined
  madeAt: Instant
}>

export type StoredReport = ArchivedReport & {
  /** The source of all formats. Schema: config/report.schema.json. */
  readonly json: string
}

/** Unique in its account. Slots contain no `/`. */
export const reportKey = ({
  slot,
  team,
}: {
  slot: Pick<ReportSlot, 'id'>
  team?: string | undefined
}): string => (team === undefined ? slot.id : `${slot.id}/${team}`)

export const REPORT_FORMATS = ['markdown', 'json', 'text', 'html', 'html-full', 'csv', 'slack'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

export const REPORT_GROUPS = ['team', 'cost_centre', 'project', 'branch', 'tier'] as const
export type ReportGroup = (typeof REPORT_GROUPS)[number]

/** `names` of projects and computes; `clients`: applications, users and databases. */
export const REDACTABLE = ['names', 'clients'] as const
export type Redactable = (typeof REDACTABLE)[number]

export type ReportPlan = Readonly<{
  /** Undefined: by team if any compute has one, else by project. */
  groupBy: ReportGroup | undefined
  /** Undefined: all computes. */
  onlyTeam: string | undefined
  redact: readonly Redactable[]
}>
