import { existsSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import { defaultYaml } from '../../config/defaults.ts'
import { shippedPrices } from '../../config/price-file.ts'
import { fileErrorText } from '../../config/secrets.ts'
import type { Service } from '../../model/ports/service.ts'
import type { Project } from '../../model/service/compute.ts'
import { planOfSubscription } from '../../model/service/consumption.ts'
import { serviceErrorText } from '../../model/service/service-error.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { countWithNoun } from '../../outputs/text/amounts.ts'
import { createService } from '../../service/service.ts'
import { sanitize } from '../../std/sanitize.ts'
import { DEFAULT_CONFIG } from '../connect/configuration.ts'
import {
  apiKeySecret,
  baseUrlProblem,
  KEY_VARIABLE,
  NO_PROJECTS,
  openServiceAccess,
} from '../connect/service.ts'
import { withDirectOptions, type ConnectOptions } from '../connect/service.ts'
import { isFolder } from '../terminal/parse.ts'
import { createProgress, INITIAL_REQUESTS } from '../terminal/progress.ts'
import { EXIT, failText, failUsage, jsonText, type CommandSession, type Io } from '../terminal/io.ts'

type Options = ConnectOptions & {
  readonly output: string
  readonly plan?: string
  readonly force?: boolean
}

/** So many projects are read within a second: nothing is shown. */
const UNSHOWN_PROJECTS = 20

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
    .option(
      '--plan <name>',
      'service plan of the account: free, launch or scale (default: as the service says)',
    )
    .option('--force', 'replace an existing file')
    .option('--json', 'print JSON')
    .action((options: Options) => end(init(options, io)))

/** Writes nothing that the service does not answer to: what is written is accepted by `check-config` and `once`. */
async function init(options: Options, io: Io) {
  const path = resolve(io.cwd, options.output)
  const problem = problemOf(options, io) ?? pathProblem(path, options)
  if (problem !== undefined) return failUsage(io, problem)
  if (options.baseUrl === undefined)
    return failUsage(io, '--base-url: give the address of the service, which ends with /api/v2')
  const asked = await askService(options, io)
  if (!asked.ok) return failText(io, `${sanitize(asked.error)}; nothing was written`)
  const { next, isComplete, subscription } = asked.value
  const plan = options.plan ?? planOfSubscription(subscription ?? '')
  const summary = [asked.value.summary, ...planLines(subscription, options.plan)].join('\n')
  const unwritten = writeProblem(path, defaultYaml(answersOf(options, plan, io)), options)
  if (unwritten !== undefined) return failText(io, unwritten)
  io.out(
    options.json
      ? jsonText({ path, found: summary, next, sql: ROLE_SQL })
      : `${summary}\nwrote ${path}\nnext: ${next}\n\n${ROLE_SQL}`,
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

/** Writes the file. @returns why it could not be written */
function writeProblem(path: string, text: string, { force }: Options): string | undefined {
  try {
    // 'wx': not through a symbolic link that leads to no file yet
    writeFileSync(path, text, { flag: force ? 'w' : 'wx' })
    return undefined
  } catch (cause) {
    return `${path} cannot be written (${fileErrorText(cause)}): name another file with --output`
  }
}

/** Values of the account, by key of the file. */
const answersOf = (
  { baseUrl, insecure, apiKeyFile, orgId }: Options,
  plan: string | undefined,
  { cwd }: Io,
) => ({
  ...(insecure === true && { insecure }),
  ...(baseUrl !== undefined && { base_url: baseUrl }),
  ...(apiKeyFile !== undefined && { api_key_file: resolve(cwd, apiKeyFile), api_key_env: undefined }),
  ...(orgId !== undefined && { org_id: orgId }),
  ...(plan !== undefined && { plan }),
})

/** What the service says of the plan, whose prices are written. @param asked `--plan` */
function planLines(subscription: string | undefined, asked: string | undefined): readonly string[] {
  if (subscription === undefined) return []
  const named = `the service calls the plan ${sanitize(subscription)}`
  const plan = planOfSubscription(subscription)
  if (asked !== undefined && asked !== plan)
    return [`${named}, --plan says ${asked}: spend is computed with the prices of ${asked}`]
  return plan === undefined
    ? [`${named}, which the price file lacks: set plan and cu_hour of the account in the file`]
    : [`${named}: the prices are those of ${plan}`]
}

/** `subscription`: the plan in the service's own word, where it says one. */
type Asked = Readonly<{
  summary: string
  next: string
  isComplete: boolean
  subscription?: string | undefined
}>

/** Lines about the service and the next step. */
async function askService(options: Options, io: Io): Promise<Result<Asked, string>> {
  const check = `dormouse check-config${options.output === DEFAULT_CONFIG ? '' : ` --config ${options.output}`}`
  if (!apiKeySecret(options, io).read().ok) {
    const summary = 'no API key is given: the service was not asked'
    return ok({ summary, next: `set the variable ${KEY_VARIABLE}, then ${check}`, isComplete: true })
  }
  const access = openServiceAccess(options, io)
  if (!access.ok) return failed(access.error.join('; '))
  const { clock, requestsPerMinute: rate } = access.value.service
  const progress = createProgress({ json: options.json, rate }, io, clock)
  const service = createService({
    ...access.value.service,
    unspent: INITIAL_REQUESTS,
    onRequest: progress.countRequest,
  })
  const projects = await service.listProjects(io.signal)
  if (!projects.ok) return failed(serviceErrorText(projects.error))
  const { items } = projects.value
  const lists = await listAll(items, service, { progress, signal: io.signal })
  const computes = lists.flatMap((listed) => (listed.ok ? listed.value.items : []))
  const awake = computes.filter(({ state }) => state === 'active').length
  const [seen, having] = [countWithNoun(items.length, 'project'), countWithNoun(computes.length, 'compute')]
  const summary = `the key sees ${seen} with ${having}, ${awake} of them awake`
  const next = items.length === 0 ? NO_PROJECTS : check
  const isComplete = items.length > 0 && lists.every((listed) => listed.ok)
  return ok({ summary, next, isComplete, subscription: await subscriptionOf(items, service, io) })
}

/** By the first project: all of an account have one plan. Undefined where the service does not say. */
async function subscriptionOf([first]: readonly Project[], service: Service, { signal }: Io) {
  const detail = first && (await service.getProjectDetail(first.projectId, signal))
  return detail?.ok ? detail.value.subscription : undefined
}

type Listing = Readonly<{ progress: ReturnType<typeof createProgress>; signal: AbortSignal }>

/** Computes by project, in the order of the projects. */
async function listAll(items: readonly Project[], service: Service, { progress, signal }: Listing) {
  const projects = items.length
  const isShown = projects > UNSHOWN_PROJECTS
  let looked = 0
  if (isShown) progress.show({ looked, projects })
  const lists = await Promise.all(
    items.map(async ({ projectId }) => {
      const listed = await service.listComputes(projectId, signal)
      looked += 1
      if (isShown) progress.show({ looked, projects })
      return listed
    }),
  )
  if (isShown) progress.end()
  return lists
}
