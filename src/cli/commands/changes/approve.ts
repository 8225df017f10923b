import { Command } from 'commander'
import type { AskedMoment } from '../../../model/policy/change.ts'
import { commandChange } from '../../connect/change-answer.ts'
import { daemonApi, failAnswer, withApiOptions, type ApiOptions } from '../../connect/daemon.ts'
import { EXIT, failUsage, type CommandSession, type ExitCode, type Io } from '../../terminal/io.ts'
import { whenOption } from './change.ts'
import { plansText, readPlans } from './plan.ts'

type Options = ApiOptions & Readonly<{ when?: AskedMoment; planHash?: string }>

export const createApproveCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('approve'))
    .description(
      'approve an open recommendation or a proposed change; needs a running daemon, and a token of scope operate',
    )
    .argument('<id>', 'id of a recommendation or of a change')
    .addOption(whenOption())
    .option('--plan-hash <hash>', 'what dormouse plan printed; needed where nobody can be asked')
    .option('--json', 'print JSON')
    .action((id: string, options: Options) => end(approve(id, options, io)))

async function approve(id: string, options: Options, io: Io): Promise<ExitCode> {
  const { when, planHash } = options
  const agreed = planHash === undefined ? await agreeToPlan(id, options, io) : { planHash }
  if ('code' in agreed) return agreed.code
  const kind = id.startsWith('ch-') ? 'changes' : 'recommendations'
  return commandChange(options, io, {
    path: `/api/v1/${kind}/${encodeURIComponent(id)}/approve`,
    body: { plan_hash: agreed.planHash, when },
  })
}

/** Shows the plan and asks; the exit code where there is none, or nobody agrees. */
async function agreeToPlan(
  id: string,
  options: Options,
  io: Io,
): Promise<{ readonly planHash: string } | { readonly code: ExitCode }> {
  const target = daemonApi(options, io)
  if (!target.ok) return { code: failUsage(io, ...target.error) }
  const plans = await readPlans(target.value.api, { name: id, when: options.when }, io)
  if (!plans.ok) return { code: failAnswer(io, plans.error) }
  const [plan] = plans.value.plans
  if (plan?.change_id !== id && plan?.recommendation_id !== id)
    return { code: failUsage(io, `expected the id of a recommendation or of a change, got ${id}`) }
  if (!io.confirm)
    return {
      code: failUsage(io, '--plan-hash: expected the hash that dormouse plan prints, as nobody can be asked'),
    }
  // the answer alone is JSON
  if (options.json) io.err(plansText(plans.value))
  else io.out(plansText(plans.value))
  const isAgreed = await io.confirm('Approve this?')
  if (isAgreed) return { planHash: plan.plan_hash }
  io.err('dormouse: nothing was approved')
  return { code: EXIT.failed }
}
