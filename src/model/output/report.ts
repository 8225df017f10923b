// A report of one account about one week, as it is asked for and as it is kept.
import type { Interval } from '../time.ts'
import type { Instant } from '../units.ts'

/** What a report is about. */
export type ReportSlot = Interval & {
  /** `2026-W47`; one that was asked for by hand ends in `-manual-1`. */
  readonly id: string
  /** Whether it is made later than it was planned. */
  readonly late: boolean
}

export type ArchivedReport = {
  readonly account: string
  readonly slot: ReportSlot
  /** The only team it is about; absent: all, or `report.only_team`. */
  readonly team?: string | undefined
  readonly madeAt: Instant
}

export type StoredReport = ArchivedReport & {
  /** All formats are made of it. Source: config/report.schema.json. */
  readonly json: string
}

/** Names a report within its account: its slot, and the team that it is a part for. No slot has a `/`. */
export const reportKey = ({
  slot,
  team,
}: {
  readonly slot: Pick<ReportSlot, 'id'>
  readonly team?: string | undefined
}): string => (team === undefined ? slot.id : `${slot.id}/${team}`)

export const REPORT_FORMATS = ['markdown', 'json', 'text', 'html', 'html-full', 'csv', 'slack'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

export const REPORT_GROUPS = ['team', 'cost_centre', 'project', 'branch', 'tier'] as const
export type ReportGroup = (typeof REPORT_GROUPS)[number]

/** What is not to be named: `names` are those of projects and computes, `clients` are applications, users and databases. */
export const REDACTABLE = ['names', 'clients'] as const
export type Redactable = (typeof REDACTABLE)[number]

/** What the configuration says of a report. */
export type ReportPlan = {
  /** Undefined: by team where anybody has one, else by project. */
  readonly groupBy: ReportGroup | undefined
  /** Undefined: about all computes. */
  readonly onlyTeam: string | undefined
  readonly redact: readonly Redactable[]
}
