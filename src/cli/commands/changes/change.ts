import { Command, Option } from 'commander'
import type { AutosuspendDelay } from '../../../model/service/compute.ts'
import type { AskedMoment } from '../../../model/policy/change.ts'
import { commandChange } from '../../connect/change-answer.ts'
import { withApiOptions, type ApiOptions } from '../../connect/daemon.ts'
import { parseCu, parseDelay, type SizingFlags } from '../../terminal/parse.ts'
import { failUsage, type CommandSession, type Io } from '../../terminal/io.ts'

type Options = ApiOptions &
  SizingFlags &
  Readonly<{
    account?: string
    delay?: AutosuspendDelay
    restart?: boolean
    when: AskedMoment
    until?: string
    reason?: string
    propose?: boolean
  }>

export const createChangeCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('change'))
    .description(
      'schedule another size or autosuspend delay of a compute, applied once while nobody is connected; needs a running daemon, and a token of scope operate',
    )
    .argument('<compute>', 'ep-…, or the name of a compute or of a project that has one compute')
    .option('--cu <size>', 'a fixed size in CU', parseCu)
    .option('--min-cu <size>', 'the smallest size of a range (default: as it is)', parseCu)
    .option('--max-cu <size>', 'the largest size of a range (default: as it is)', parseCu)
    .option('--delay <length>', 'autosuspend delay: 300s, 5m, never or default', parseDelay)
    .option('--restart', 'start it anew: its next start after a suspension, or at once with --when now')
    .addOption(whenOption().default('idle'))
    .option('--until <time>', 'a day (UTC) or an instant after which nothing is sent (default: in 14 days)')
    .option('--reason <text>', 'why; the journal and reports show it')
    .option('--propose', 'leave it for an approval')
    .option('--account <name>', 'account of the compute, where several have the name')
    .option('--json', 'print JSON')
    .action((compute: string, options: Options) => end(change(compute, options, io)))

export const whenOption = () =>
  new Option(
    '--when <moment>',
    'idle: while the compute is suspended and no client is expected; now: at once, its sessions are interrupted',
  ).choices(['idle', 'now'])

async function change(compute: string, options: Options, io: Io) {
  const { cu, minCu, maxCu, delay, restart, account, when, until, reason, propose } = options
  if ([cu, minCu, maxCu, delay, restart].every((given) => given === undefined))
    return failUsage(io, 'give a size (--cu, or --min-cu and --max-cu), --delay or --restart')
  return commandChange(options, io, {
    path: '/api/v1/changes',
    body: {
      compute,
      account,
      cu,
      min_cu: minCu,
      max_cu: maxCu,
      delay_seconds: delay === 0 ? 'default' : delay,
      restart,
      when,
      until,
      reason,
      propose,
    },
  })
}
