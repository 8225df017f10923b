// Weekly report of one account: its plan and its stored form.
import type { Instant, Interval } from '../units.ts'

/** Interval that a report covers. */
export type ReportSlot = Interval &
  Readonly<{
    /** `2026-W47`; the id of a report requested by hand ends in `-manual-1`. */
    id: string
    /** Whether the report is made later than scheduled. */
    late: boolean
  }>

export type ArchivedReport = Readonly<{
  account: string
  slot: ReportSlot
  /** Team of a report about one team; absent: all teams, or `report.only_team`. */
  team?: string | undefined
  madeAt: Instant
}>

export type StoredReport = ArchivedReport & {
  /** Report as JSON, the source of all formats. Schema: config/report.schema.json. */
  readonly json: string
}

/** Key of a report within its account: slot, and team where there is one. Slots contain no `/`. */
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

/** What a report may leave out: `names` of projects and computes; `clients` are applications, users and databases. */
export const REDACTABLE = ['names', 'clients'] as const
export type Redactable = (typeof REDACTABLE)[number]

/** Report settings from the configuration. */
export type ReportPlan = Readonly<{
  /** Undefined: by team if any compute has one, else by project. */
  groupBy: ReportGroup | undefined
  /** Undefined: all computes. */
  onlyTeam: string | undefined
  redact: readonly Redactable[]
}>
