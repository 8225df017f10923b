import { Command } from 'commander'
import { largestCu, smallestCu, type Project } from '../../model/service/compute.ts'
import { timeField } from '../../outputs/text/compute-fields.ts'
import { addRequestCommand, printList } from '../connect/request.ts'
import type { ConnectOptions } from '../connect/service.ts'
import { timeText, type CommandSession } from '../terminal/io.ts'

export function createProjectsCommand({ io, end }: CommandSession): Command {
  const projects = new Command('projects').description('projects of an account')
  addRequestCommand(projects, 'list', 'list projects of the account').action((options: ConnectOptions) =>
    end(
      printList(options, io, {
        send: (service, signal) => service.listProjects(signal),
        name: 'projects',
        json: projectJson,
        columns: {
          PROJECT: ({ projectId }) => projectId,
          NAME: ({ name }) => name,
          REGION: ({ regionId }) => regionId,
          POSTGRES: ({ pgVersion }) => String(pgVersion),
          'CPU SECONDS': ({ cpuUsedSeconds }) => String(cpuUsedSeconds),
          'LAST ACTIVE': ({ computeLastActiveAt }) => timeText(computeLastActiveAt),
        },
      }),
    ),
  )
  return projects
}

const projectJson = (project: Project) => ({
  project_id: project.projectId,
  name: project.name,
  region_id: project.regionId,
  platform_id: project.platformId,
  pg_version: project.pgVersion,
  cpu_used_seconds: project.cpuUsedSeconds,
  updated_at: timeField(project.updatedAt),
  compute_last_active_at: timeField(project.computeLastActiveAt),
  default_autosuspend_delay_seconds: project.defaultAutosuspendDelay ?? null,
  default_min_cu: project.defaultSizing ? smallestCu(project.defaultSizing) : null,
  default_max_cu: project.defaultSizing ? largestCu(project.defaultSizing) : null,
})
