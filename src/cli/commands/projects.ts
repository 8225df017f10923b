// `projects`: lists projects of the service.
import { Command } from 'commander'
import { connectService, withConnectOptions, type ConnectOptions } from '../connect/service.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import {
  EXIT,
  failWith,
  jsonText,
  projectRecordJson,
  textTable,
  timeText,
  failUsage,
  reportFindings,
  type CommandSession,
} from '../terminal/output.ts'

type Options = ConnectOptions & { readonly json?: boolean }

export function createProjectsCommand({ io, end }: CommandSession): Command {
  const projects = new Command('projects').description('projects of an account')
  withConnectOptions(projects.command('list').description('list projects of the account'))
    .option('--json', 'print JSON')
    .action(async (options: Options) => end(await listProjects(options, io)))
  return projects
}

async function listProjects(options: Options, io: Io): Promise<ExitCode> {
  const service = connectService(options, io)
  if (!service.ok) return failUsage(io, ...service.error)
  const listed = await service.value.listProjects(io.signal)
  if (!listed.ok) return failWith(io, listed.error)
  const { items, problems } = listed.value
  if (options.json) {
    io.out(jsonText({ projects: items.map(projectRecordJson), problems }))
    return problems.length === 0 ? EXIT.ok : EXIT.findings
  }
  const rows = items.map((project) => [
    project.projectId,
    project.name,
    project.regionId,
    String(project.pgVersion),
    String(project.cpuUsedSeconds),
    timeText(project.computeLastActiveAt),
  ])
  io.out(textTable(['PROJECT', 'NAME', 'REGION', 'POSTGRES', 'CPU SECONDS', 'LAST ACTIVE'], rows))
  return reportFindings(io, problems)
}
