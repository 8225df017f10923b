// The section `report`: what the weekly report tells, and of whom, and who is sent it.
import { z } from 'zod'
import { parseCron } from '../../calendar/cron.ts'
import { REPORT_CATCH_UP } from '../../calendar/schedule.ts'
import {
  REDACTABLE,
  REPORT_FORMATS,
  REPORT_GROUPS,
  type ReportFormat,
  type ReportPlan,
} from '../../model/output/report.ts'
import {
  receiverKeys,
  receiverName,
  buildReceivers,
  refineReceiver,
  type Receiver,
  type ConfigContext,
} from './receiver.ts'
import { durationSchema, durationText, wholeNumberSchema } from '../units.ts'
import { unknownNameText } from '../suggestions.ts'

const CRON = 'expected cron text such as 0 8 * * MON'

const schedule = z.string(CRON).transform((text, context) => {
  const cron = parseCron(text)
  if (cron.ok) return cron.value
  context.addIssue(cron.error)
  return z.NEVER
})

const PATH = 'expected a path whose last part has {slot}, such as ./reports/{account}-{slot}.md'

const sink = z
  .strictObject({
    name: receiverName,
    type: z
      .enum(['file', 'webhook', 'slack', 'smtp'])
      .describe('file: a file a week. The others: as in notifications.'),
    format: z
      .enum(REPORT_FORMATS)
      .optional()
      .describe('Markdown for files, JSON for webhooks, the format itself for Slack and mail, when absent.'),
    path: z
      .string(PATH)
      .regex(/^(.*\/)?[^/]*\{slot\}[^/]*$/, PATH)
      .optional()
      .describe('file: where, with {account} and {slot} in its last part; relative to this file.'),
    keep: wholeNumberSchema(1, 1000)
      .optional()
      .describe('file: how many of one account are kept; 52 when absent.'),
    filter: z
      .strictObject({ team: z.string().min(1).describe('One of the teams of owners.') })
      .optional()
      .meta({ examples: [{ team: 'payments' }] })
      .describe('Only what this team answers for, in place of only_team.'),
    ...receiverKeys,
  })
  .superRefine(refineReceiver)

export const reportConfigSchema = z
  .strictObject({
    schedule: schedule
      .prefault('0 8 * * MON')
      .describe(
        'When the report of the last whole week is made, as five fields of cron on the clocks of timezone.',
      ),
    catchup: durationSchema({ max: '7d' })
      .prefault(durationText(REPORT_CATCH_UP))
      .describe('How late one that was missed is still sent; of several the last.'),
    sinks: z
      .array(sink, 'expected a list of receivers')
      .prefault([])
      .describe('Who is sent it. It is made for the status page where nobody is.'),
    group_by: z
      .enum(REPORT_GROUPS)
      .optional()
      .meta({ examples: ['team'] })
      .describe('What spend is summed by; by team where there are owners, else by project, when absent.'),
    only_team: z
      .string()
      .min(1)
      .optional()
      .meta({ examples: ['payments'] })
      .describe('The team of owners whose computes reports are about; all computes when absent.'),
    redact: z
      .array(z.enum(REDACTABLE))
      .prefault([])
      .describe(
        'What is not named: names (of projects and computes; ids stay), clients (applications, users, databases).',
      ),
  })
  .transform(
    ({ group_by: groupBy, only_team: onlyTeam, redact, schedule: cron, catchup: catchUp, sinks }) => ({
      plan: { groupBy, onlyTeam, redact } satisfies ReportPlan,
      cron,
      catchUp,
      sinks,
    }),
  )

export type ReportSink = {
  readonly name: string
  readonly receiver: Receiver
  readonly format: ReportFormat
  /** The only team it is sent the part of; undefined: the report of all. */
  readonly team: string | undefined
}

const USUAL = { file: 'markdown', webhook: 'json', slack: 'slack', smtp: 'html' } as const satisfies Readonly<
  Record<Receiver['type'], ReportFormat>
>

/** Also what is wrong: names and secrets, two that write the same file, a team that nobody is in. */
export function buildReportSinks(
  { sinks }: Pick<z.output<typeof reportConfigSchema>, 'sinks'>,
  teams: ReadonlySet<string>,
  surroundings: ConfigContext,
): { readonly reportSinks: readonly ReportSink[]; readonly problems: readonly string[] } {
  const { made, problems } = buildReceivers('report.sinks', sinks, surroundings)
  const reportSinks = made.map(({ entry: { name, type, format, filter }, receiver }) => ({
    name,
    receiver,
    format: format ?? USUAL[type],
    team: filter?.team,
  }))
  const more = [...pathProblems(reportSinks), ...teamProblems(reportSinks, teams)]
  return { reportSinks, problems: [...problems, ...more] }
}

function pathProblems(sinks: readonly ReportSink[]): readonly string[] {
  const paths = sinks.map(({ receiver }) => ('path' in receiver ? receiver.path : undefined))
  return paths.flatMap((path, index) => {
    const first = paths.indexOf(path)
    return path === undefined || first === index
      ? []
      : [`report.sinks[${index}].path: is the path of report.sinks[${first}], too`]
  })
}

const teamProblems = (sinks: readonly ReportSink[], teams: ReadonlySet<string>): readonly string[] =>
  sinks.flatMap(({ team }, index) =>
    team === undefined || teams.has(team)
      ? []
      : [`report.sinks[${index}].filter.team: ${unknownNameText('team', team, [...teams])}`],
  )
