import { basename } from 'node:path'
import { array, enum as oneOf, strictObject, string, type z } from 'zod'
import { parseCron } from '../../calendar/cron.ts'
import { REPORT_CATCH_UP } from '../../calendar/schedule.ts'
import {
  REDACTABLE,
  REPORT_FORMATS,
  REPORT_GROUPS,
  type ReportFormat,
  type ReportPlan,
} from '../../model/output/report.ts'
import { DEFAULT_MIN_SAVING } from '../../model/policy/advice-policy.ts'
import { example, optionalText, parsed, someText, wholeNumberSchema } from '../parts.ts'
import type { ConfigContext } from '../secrets.ts'
import { receiverKeys, receiverName, buildReceivers, refineReceiver, type Receiver } from './receiver.ts'
import { durationSchema, durationText, moneySchema } from '../units.ts'
import { unknownTeam } from './owners.ts'

const CRON = 'expected cron text such as 0 8 * * MON'
const schedule = string(CRON).transform(parsed(parseCron))
const PATH = 'expected a path whose last part has {slot}, such as ./reports/{account}-{slot}.md'

const sink = strictObject({
  name: receiverName,
  type: oneOf(['file', 'webhook', 'slack', 'smtp']).describe(
    'file: one file a week. The others: as in notifications.',
  ),
  format: oneOf(REPORT_FORMATS)
    .optional()
    .describe('By default Markdown for files, JSON for webhooks, a message for Slack, HTML for mail.'),
  path: string(PATH)
    .regex(/^(.*\/)?[^/]*\{slot\}[^/]*$/, PATH)
    .optional()
    .describe(
      'file: the path, with {slot} in its last part, and {account} where there are several; relative to this file.',
    ),
  keep: wholeNumberSchema(1, 1000)
    .optional()
    .describe('file: how many files of one account are kept; by default 52.'),
  filter: strictObject({ team: someText.describe('A team of owners.') })
    .optional()
    .meta(example({ team: 'payments' }))
    .describe('Only computes of this team, in place of only_team.'),
  ...receiverKeys,
}).superRefine(refineReceiver)

export const reportConfigSchema = strictObject({
  schedule: schedule
    .prefault('0 8 * * MON')
    .describe('When the report of the last whole week is made: five fields of cron, in timezone.'),
  catchup: durationSchema({ max: '7d' })
    .prefault(durationText(REPORT_CATCH_UP))
    .describe('How late a missed report is still sent; of several missed ones only the last.'),
  sinks: array(sink, 'expected a list of receivers')
    .prefault([])
    .describe('Receivers of the report. Without any it is made for the status page only.'),
  group_by: oneOf(REPORT_GROUPS)
    .optional()
    .meta(example('team'))
    .describe('How spend is grouped; by default by team if there are owners, else by project.'),
  only_team: optionalText
    .meta(example('payments'))
    .describe('The team of owners whose computes are reported; by default all computes.'),
  min_saving: moneySchema
    .prefault(DEFAULT_MIN_SAVING / 1_000_000)
    .describe(
      'The least saving in 30 days of a recommendation that is reported, in the currency of the account.',
    ),
  redact: array(oneOf(REDACTABLE))
    .prefault([])
    .describe(
      'What is left out: names (of projects and computes; ids stay), clients (applications, users, databases).',
    ),
}).transform(({ schedule: cron, catchup: catchUp, min_saving: minSaving, sinks, ...rest }) => ({
  cron,
  catchUp,
  minSaving,
  sinks,
  plan: { groupBy: rest.group_by, onlyTeam: rest.only_team, redact: rest.redact } satisfies ReportPlan,
}))

export type ReportSink = Readonly<{
  name: string
  receiver: Receiver
  format: ReportFormat
  /** Undefined: the whole report. */
  team: string | undefined
}>

const DEFAULT_FORMATS = {
  file: 'markdown',
  webhook: 'json',
  slack: 'slack',
  smtp: 'html',
} as const satisfies Readonly<Record<Receiver['type'], ReportFormat>>

type ReportedNames = Readonly<{
  /** Names of the teams that owners have. */
  teams: ReadonlySet<string>
  accounts: number
}>

export function buildReportSinks(
  { sinks, plan }: Pick<z.output<typeof reportConfigSchema>, 'sinks' | 'plan'>,
  { teams, accounts }: ReportedNames,
  context: ConfigContext,
): Readonly<{ reportSinks: readonly ReportSink[]; problems: readonly string[] }> {
  const { built, problems } = buildReceivers('report.sinks', sinks, context)
  const reportSinks = built.map(({ entry: { name, type, format, filter }, receiver }) => ({
    name,
    receiver,
    format: format ?? DEFAULT_FORMATS[type],
    team: filter?.team,
  }))
  const unknownTeams = [
    ...unknownTeam('report.only_team', plan.onlyTeam, teams),
    ...reportSinks.flatMap(({ team }, index) =>
      unknownTeam(`report.sinks[${index}].filter.team`, team, teams),
    ),
  ]
  return { reportSinks, problems: [...problems, ...pathProblems(reportSinks, accounts), ...unknownTeams] }
}

function pathProblems(sinks: readonly ReportSink[], accounts: number) {
  const paths = sinks.map(({ receiver }) => ('path' in receiver ? receiver.path : undefined))
  return paths.flatMap((path, index) => {
    if (path === undefined) return []
    const first = paths.indexOf(path)
    const isShared = accounts > 1 && !basename(path).includes('{account}')
    return [
      ...(first === index ? [] : [`report.sinks[${index}].path: is the path of report.sinks[${first}], too`]),
      ...(isShared
        ? [
            `report.sinks[${index}].path: expected {account} in its last part: the reports of ${accounts} accounts would replace each other`,
          ]
        : []),
    ]
  })
}
