import { Command } from 'commander'
import type { Seconds } from '../../model/units.ts'
import { parseFolderOption, parseLength } from '../terminal/parse.ts'
import { failUsage, type CommandSession, type Io } from '../terminal/io.ts'
import { runDemo } from '../demo/demo.ts'

type Options = Readonly<{
  for?: Seconds
  json?: boolean
  withPrometheus?: boolean
  report?: string
  tour?: boolean
  approve: boolean
}>

export const createDemoCommand = ({ io, end }: CommandSession) =>
  new Command('demo')
    .description('run everything on this machine: a service with real Postgres, clients, and the daemon')
    .option('--for <duration>', 'end after this time, such as 60s', parseLength)
    .option('--with-prometheus', 'start Prometheus and Alertmanager, too, and show their notifications')
    .option('--report <folder>', 'folder for the report (default: a new temporary folder)')
    .option('--tour', 'show five steps to try, each with what to look for')
    .option('--no-approve', 'leave the approval of the recommended size to you')
    .option('--json', 'print only the summary at the end, as one line of JSON')
    .action((options: Options) => end(start(options, io)))

async function start({ report, ...options }: Options, io: Io) {
  const folder = parseFolderOption('--report', report, io)
  if (!folder.ok) return failUsage(io, folder.error)
  const { for: length, json = false, withPrometheus = false, tour = false, approve: approves } = options
  return runDemo({ length, json, withPrometheus, tour, approves, report: folder.value }, io)
}
