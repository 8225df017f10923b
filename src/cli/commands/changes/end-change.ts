// Ends of a change by a person: reject a proposal, cancel what was not sent.
import { Command } from 'commander'
import { commandChange } from '../../connect/change-answer.ts'
import { withApiOptions, type ApiOptions } from '../../connect/daemon.ts'
import type { CommandSession } from '../../terminal/io.ts'

type Options = ApiOptions & Readonly<{ reason?: string }>

export const createRejectCommand = (session: CommandSession) =>
  endCommand('reject', 'end a proposed change without sending it', session)

export const createCancelCommand = (session: CommandSession) =>
  endCommand('cancel', 'end a change whose request was not written yet', session)

const endCommand = (name: 'reject' | 'cancel', description: string, { io, end }: CommandSession) =>
  withApiOptions(new Command(name))
    .description(`${description}; needs a running daemon, and a token of scope operate`)
    .argument('<change>', 'id of the change, ch-…')
    .option('--reason <text>', 'why; the journal shows it')
    .option('--json', 'print JSON')
    .action((id: string, options: Options) =>
      end(
        commandChange(options, io, {
          path: `/api/v1/changes/${encodeURIComponent(id)}/${name}`,
          body: { reason: options.reason },
        }),
      ),
    )
