// The section `report`: what the weekly report tells, and of whom, and who is sent it.
import { z } from 'zod'
import { parseCron } from '../calendar/cron.ts'
import { REPORT_CATCH_UP } from '../calendar/slots.ts'
import {
  REDACTABLE,
  REPORT_FORMATS,
  REPORT_GROUPS,
  type ReportFormat,
  type ReportPlan,
} from '../model/report.ts'
import {
  receiverKeys,
  receiverName,
  receiverOf,
  receiverProblems,
  unreadSecrets,
  type Receiver,
  type Surroundings,
} from './receiver.ts'
import { duration, durationText, whole } from './values.ts'

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
    keep: whole(1, 1000).optional().describe('file: how many of one account are kept; 52 when absent.'),
    ...receiverKeys,
  })
  .superRefine((given, context) => {
    for (const message of receiverProblems(given)) context.addIssue(message)
  })

export const reportConfigSchema = z
  .strictObject({
    schedule: schedule
      .prefault('0 8 * * MON')
      .describe(
        'When the report of the last whole week is made, as five fields of cron on the clocks of timezone.',
      ),
    catchup: duration({ max: '7d' })
      .prefault(durationText(REPORT_CATCH_UP))
      .describe('How late one that was missed is still sent; of several the last.'),
    sinks: z
      .array(sink, 'expected a list of receivers')
      .prefault([])
      .describe('Who is sent it; nobody, and none is made.'),
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

export type ReportSink = { readonly name: string; readonly receiver: Receiver; readonly format: ReportFormat }

const USUAL = { file: 'markdown', webhook: 'json', slack: 'slack', smtp: 'html' } as const satisfies Readonly<
  Record<Receiver['type'], ReportFormat>
>

/** Also what is wrong: a name that comes twice, secrets that cannot be read. */
export function reportSinksOf(
  { sinks }: Pick<z.output<typeof reportConfigSchema>, 'sinks'>,
  surroundings: Surroundings,
): { readonly reportSinks: readonly ReportSink[]; readonly problems: readonly string[] } {
  const reportSinks = sinks.map(({ name, format, ...given }) => ({
    name,
    receiver: receiverOf(given, surroundings),
    format: format ?? USUAL[given.type],
  }))
  const problems = reportSinks.flatMap(({ name, receiver }, index) => {
    const first = reportSinks.findIndex((other) => other.name === name)
    return [
      ...(first === index
        ? []
        : [`report.sinks[${index}].name: ${name} is the name of report.sinks[${first}], too`]),
      ...unreadSecrets(receiver).map((problem) => `report.sinks[${index}]: ${problem}`),
    ]
  })
  return { reportSinks, problems }
}
