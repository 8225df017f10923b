import { existsSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import { defaultYaml } from '../../config/defaults.ts'
import { shippedPrices } from '../../config/load.ts'
import { serviceErrorText } from '../../model/service/service-error.ts'
import { DEFAULT_CONFIG } from '../connect/configuration.ts'
import { apiKeySecret, baseUrlProblem, connectService } from '../connect/service.ts'
import { withDirectOptions, type ConnectOptions } from '../connect/service.ts'
import { isFolder } from '../terminal/parse.ts'
import { EXIT, failUsage, jsonText, type CommandSession, type Io } from '../terminal/io.ts'

type Options = ConnectOptions & {
  readonly output: string
  readonly plan?: string
  readonly force?: boolean
}

/** The role sees all connections and the file cache, but no data. */
const ROLE_SQL = `-- Once in every project, as the owner of the database: the role that Dormouse reads with.
create role dormouse with login connection limit 2 password 'choose a long one';
grant pg_monitor to dormouse;
-- In the database of full readings (reading.database): the views of the file cache.
create extension if not exists neon;`

export const createInitCommand = ({ io, end }: CommandSession) =>
  withDirectOptions(
    new Command('init').description(
      'ask the service what the key can see and write a commented configuration',
    ),
  )
    .option('--output <file>', 'file to write', DEFAULT_CONFIG)
    .option('--plan <name>', 'service plan of the account: free, launch or scale')
    .option('--force', 'replace an existing file')
    .option('--json', 'print JSON')
    .action((options: Options) => end(init(options, io)))

async function init(options: Options, io: Io) {
  const path = resolve(io.cwd, options.output)
  const problem = problemOf(options, io) ?? pathProblem(path, options)
  if (problem !== undefined) return failUsage(io, problem)
  const { summary, isComplete = true } = await askService(options, io)
  // 'wx': not through a symbolic link that leads to no file yet
  writeFileSync(path, defaultYaml(answersOf(options, io)), { flag: options.force ? 'w' : 'wx' })
  io.out(
    options.json
      ? jsonText({ path, found: summary, sql: ROLE_SQL })
      : `${summary}\nwrote ${path}\n\n${ROLE_SQL}`,
  )
  return isComplete ? EXIT.ok : EXIT.findings
}

function problemOf(options: Options, io: Io) {
  const { apiKeyFile, plan } = options
  const address = baseUrlProblem(options)
  if (address !== undefined) return address
  const prices = plan === undefined ? undefined : shippedPrices(plan)
  if (prices?.ok === false) return `--${prices.error.join('; ')}`
  const key = apiKeyFile === undefined ? undefined : apiKeySecret(options, io).read()
  return key?.ok === false ? key.error : undefined
}

function pathProblem(path: string, { force }: Options) {
  if (isFolder(path)) return `--output: ${path} is a folder, expected a file`
  if (!isFolder(dirname(path))) return `--output: there is no folder ${dirname(path)}`
  return !force && existsSync(path) ? `${path} exists already; replace it with --force` : undefined
}

/** Values of the account, by key of the file. */
const answersOf = ({ baseUrl, insecure, apiKeyFile, orgId, plan }: Options, { cwd }: Io) => ({
  ...(insecure === true && { insecure }),
  ...(baseUrl !== undefined && { base_url: baseUrl }),
  ...(apiKeyFile !== undefined && { api_key_file: resolve(cwd, apiKeyFile), api_key_env: undefined }),
  ...(orgId !== undefined && { org_id: orgId }),
  ...(plan !== undefined && { plan }),
})

/** Line about the service. A problem does not stop the file from being written. */
async function askService(options: Options, io: Io) {
  if (options.baseUrl === undefined)
    return { summary: 'no --base-url is given: the file has an example instead' }
  if (!apiKeySecret(options, io).read().ok)
    return { summary: 'no API key is given: the service was not asked' }
  const service = connectService(options, io)
  if (!service.ok) return { summary: service.error.join('; '), isComplete: false }
  const projects = await service.value.listProjects(io.signal)
  if (!projects.ok) return { summary: serviceErrorText(projects.error), isComplete: false }
  const { items } = projects.value
  const lists = await Promise.all(items.map(({ projectId: id }) => service.value.listComputes(id, io.signal)))
  const computes = lists.flatMap((listed) => (listed.ok ? listed.value.items : []))
  const awake = computes.filter(({ state }) => state === 'active').length
  const summary = `the key sees ${items.length} projects with ${computes.length} computes, ${awake} of them awake`
  return { summary, isComplete: lists.every((listed) => listed.ok) }
}
