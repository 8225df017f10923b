import { existsSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { defaultYaml } from '../config/defaults.ts'
import { serviceErrorText } from '../model/service-error.ts'
import { connect, DEFAULT_CONFIG, direct, keyOf, type ConnectOptions } from './connect.ts'
import { EXIT, json, usage, type ExitCode, type Io, type Session } from './output.ts'

type Options = ConnectOptions & {
  readonly output: string
  readonly plan?: string
  readonly force?: boolean
  readonly json?: boolean
}

/** A role that sees the connections of everybody and the file cache, and nothing of the data. */
const ROLE_SQL = `-- Once in every project, as the owner of the database: the role that Dormouse reads with.
create role dormouse with login connection limit 2 password 'choose a long one';
grant pg_monitor to dormouse;
`

export const createInitCommand = ({ io, end }: Session): Command =>
  direct(new Command('init').description('ask the service what is there and write a commented configuration'))
    .option('--output <file>', 'where to write it', DEFAULT_CONFIG)
    .option('--plan <name>', 'the plan that is paid for: free, launch or scale')
    .option('--force', 'replace a file that is there')
    .option('--json', 'print JSON')
    .action(async (options: Options) => end(await init(options, io)))

async function init(options: Options, io: Io): Promise<ExitCode> {
  const path = resolve(io.cwd, options.output)
  if (!options.force && existsSync(path))
    return usage(io, `${path} is there already; replace it with --force`)
  const found = await look(options, io)
  const byFile = options.apiKeyFile !== undefined
  const text = defaultYaml({
    ...(options.baseUrl !== undefined && { base_url: options.baseUrl }),
    ...(byFile && { api_key_file: resolve(io.cwd, options.apiKeyFile ?? ''), api_key_env: undefined }),
    ...(options.plan !== undefined && { plan: options.plan }),
  })
  writeFileSync(path, text)
  if (options.json) io.out(json({ path, found, sql: ROLE_SQL }))
  else io.out(`${found}\nwrote ${path}\n\n${ROLE_SQL}`)
  return EXIT.ok
}

/** One line on what the key can see; that it sees nothing does not keep the file from being written. */
async function look(options: Options, io: Io): Promise<string> {
  if (options.baseUrl === undefined) return 'no --base-url is given: the file has an example in its place'
  if (!keyOf(options, io).read().ok) return 'no API key is given: the service was not asked'
  const service = connect(options, io)
  if (!service.ok) return service.error.join('; ')
  const projects = await service.value.listProjects(io.signal)
  if (!projects.ok) return serviceErrorText(projects.error)
  const lists = await Promise.all(
    projects.value.items.map(({ projectId }) => service.value.listComputes(projectId, io.signal)),
  )
  const computes = lists.flatMap((listed) => (listed.ok ? listed.value.items : []))
  const awake = computes.filter(({ state }) => state === 'active').length
  return `the key sees ${projects.value.items.length} projects with ${computes.length} computes, ${awake} of them awake`
}
