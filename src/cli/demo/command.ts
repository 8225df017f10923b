import { Command } from 'commander'
import type { Seconds } from '../../model/units.ts'
import type { Session } from '../output.ts'
import { parseLength } from '../parse.ts'
import { demo } from './demo.ts'

type Options = {
  readonly for?: Seconds
  readonly json?: boolean
  readonly withPrometheus?: boolean
  readonly report?: string
}

export const createDemoCommand = ({ io, end }: Session): Command =>
  new Command('demo')
    .description('the whole thing on this machine: a service with real Postgres, clients, and the daemon')
    .option('--for <duration>', 'end by itself after this long, such as 60s', parseLength)
    .option('--with-prometheus', 'start Prometheus and Alertmanager beside it, and show what they tell')
    .option('--report <folder>', 'leave the report there (default: a new folder for temporary files)')
    .option('--json', 'print nothing but the summary at the end, as one line of JSON')
    .action(async (options: Options) =>
      end(
        await demo(
          {
            length: options.for,
            json: options.json ?? false,
            withPrometheus: options.withPrometheus ?? false,
            report: options.report,
          },
          io,
        ),
      ),
    )
