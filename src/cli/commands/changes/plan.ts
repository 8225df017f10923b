import { Command } from 'commander'
import type { AskedMoment } from '../../../model/policy/change.ts'
import { budgetPlanLines } from '../../../outputs/text/budget-plan-text.ts'
import type { BudgetPlanJson, PlansJson } from '../../../outputs/text/change-schema.ts'
import { planLines, putBackLines, scheduleLines, stoppedLines } from '../../../outputs/text/change-text.ts'
import { fieldOf } from '../../../std/field.ts'
import type { Result } from '../../../std/result.ts'
import { sanitize } from '../../../std/sanitize.ts'
import {
  daemonApi,
  failAnswer,
  readJson,
  withApiOptions,
  type ApiOptions,
  type ApiProblem,
  type DaemonApi,
} from '../../connect/daemon.ts'
import { EXIT, failUsage, jsonText, type CommandSession, type ExitCode, type Io } from '../../terminal/io.ts'
import { whenOption } from './change.ts'

type Options = ApiOptions & Readonly<{ when?: AskedMoment; budget?: string }>

export const createPlanCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('plan'))
    .description(
      'print what would be changed, what it waits for, when within seven days it may go, and the exact request; changes nothing',
    )
    .argument('[name]', 'a compute, a recommendation or a change (default: all open changes)')
    .addOption(whenOption())
    .option('--budget <name>', 'what the budget changes at each of its rungs, and what that saves')
    .option('--json', 'print JSON')
    .action((name: string | undefined, options: Options) => end(plan(name, options, io)))

async function plan(name: string | undefined, options: Options, io: Io): Promise<ExitCode> {
  const target = daemonApi(options, io)
  if (!target.ok) return failUsage(io, ...target.error)
  if (options.budget !== undefined) {
    if (name !== undefined) return failUsage(io, '--budget: expected no name beside it')
    return planOfBudget(target.value.api, options.budget, { io, isJson: options.json === true })
  }
  const plans = await readPlans(target.value.api, { name, when: options.when }, io)
  if (!plans.ok) return failAnswer(io, plans.error)
  io.out(options.json ? jsonText(plans.value) : plansText(plans.value))
  return EXIT.ok
}

async function planOfBudget(
  api: DaemonApi,
  budget: string,
  { io, isJson }: Readonly<{ io: Io; isJson: boolean }>,
): Promise<ExitCode> {
  const path = `/api/v1/budgets/${encodeURIComponent(budget)}/plan`
  const answer = await readJson(api, path, { isExpected: isBudgetPlan, signal: io.signal })
  if (!answer.ok) return failAnswer(io, answer.error)
  io.out(isJson ? jsonText(answer.value) : budgetPlanLines(answer.value).map(sanitize).join('\n'))
  return EXIT.ok
}

const isBudgetPlan = (body: unknown): body is BudgetPlanJson => Array.isArray(fieldOf(body, 'rungs'))

type Asked = Readonly<{ name: string | undefined; when: AskedMoment | undefined }>

export function readPlans(
  api: DaemonApi,
  { name, when }: Asked,
  io: Io,
): Promise<Result<PlansJson, ApiProblem>> {
  const query = { ...(name !== undefined && { name }), ...(when && { when }) }
  const path = `/api/v1/plan?${new URLSearchParams(query).toString()}`
  return readJson(api, path, { isExpected: isPlans, signal: io.signal })
}

const isPlans = (body: unknown): body is PlansJson => Array.isArray(fieldOf(body, 'plans'))

export function plansText(answer: PlansJson): string {
  const { plans } = answer
  const lines = [
    ...stoppedLines(answer),
    ...(plans.length === 0 ? ['no change is planned'] : plans.flatMap((one) => planLines(one))),
    ...scheduleLines(answer),
    ...putBackLines(answer),
  ]
  return lines.map(sanitize).join('\n')
}
