import { Argument, Command } from 'commander'
import type { KillSwitchJson } from '../../../outputs/text/change-schema.ts'
import { fieldOf } from '../../../std/field.ts'
import { commandDaemon } from '../../connect/command.ts'
import { withApiOptions, type ApiOptions } from '../../connect/daemon.ts'
import { EXIT, jsonText, type CommandSession, type ExitCode, type Io } from '../../terminal/io.ts'

export const createKillCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('kill'))
    .description(
      'engage or release the kill switch: while it is on, nothing is changed; needs a running daemon, and a token of scope operate',
    )
    .addArgument(new Argument('<state>').choices(['on', 'off']))
    .option('--json', 'print JSON')
    .action((state: 'on' | 'off', options: ApiOptions) => end(kill(state === 'on', options, io)))

async function kill(isOn: boolean, options: ApiOptions, io: Io): Promise<ExitCode> {
  const body = JSON.stringify({ engaged: isOn })
  const request = { path: '/api/v1/kill-switch', method: 'POST', body, isExpected } as const
  const answer = await commandDaemon(options, io, request)
  if (!answer.ok) return answer.error
  const state = answer.value
  const text = state.engaged
    ? `the kill switch is engaged by ${state.engaged_by.join(' and ')}: nothing is changed`
    : 'the kill switch is off'
  io.out(options.json ? jsonText(state) : text)
  return EXIT.ok
}

const isExpected = (body: unknown): body is KillSwitchJson => Array.isArray(fieldOf(body, 'engaged_by'))
