import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { BOARDS, boardFileOf } from '../../dashboards/boards/boards.ts'
import { ROOT } from '../support/generate.ts'
import { testWith } from '../support/tiers.ts'
import { DEPLOY, formProblems, IMAGE, type Form } from './form.ts'
import { composeSchema } from './official.ts'

type Service = {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes: readonly string[]
  readonly ports: readonly string[]
  readonly [key: string]: unknown
}
type Compose = {
  readonly name: string
  readonly services: Readonly<Record<'dormouse' | 'prometheus' | 'alertmanager' | 'grafana', Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8')
const TEXT = read('compose.yaml')
const CONFIG = read('compose/dormouse.yaml')
const PROMETHEUS = read('compose/prometheus.yml')
const COMPOSE = parse(TEXT) as Compose

type Mount = { readonly from: string; readonly to: string }
const mountsOf = ({ volumes }: Service): readonly Mount[] =>
  volumes.map((text) => {
    const [from = '', to = ''] = text.split(':')
    return { from, to }
  })
/** Absolute paths of files and folders, not names of volumes. */
const isPath = ({ from }: Mount): boolean => from.startsWith('.')

type Scraped = {
  readonly rule_files: readonly string[]
  readonly alerting: { readonly alertmanagers: readonly Targets[] }
  readonly scrape_configs: readonly (Targets & { readonly job_name: string })[]
}
type Targets = { readonly static_configs: readonly { readonly targets: readonly string[] }[] }
const targetsOf = (lists: readonly Targets[]): readonly string[] =>
  lists.flatMap((list) => list.static_configs.flatMap(({ targets }) => targets))

const portOf = (text: string) => Number(text.split(':').at(-1))

function formOf(compose: string, config: string, prometheus: string): Form {
  const { dormouse } = (parse(compose) as Compose).services
  const { scrape_configs: scraped } = parse(prometheus) as Scraped
  const mounts = mountsOf(dormouse)
  return {
    config,
    command: dormouse.command ?? [],
    variables: Object.keys(dormouse.environment ?? {}),
    files: mounts.filter(isPath).map(({ to }) => to),
    folders: mounts.filter((mount) => !isPath(mount)).map(({ to }) => to),
    ports: [...targetsOf(scraped), ...dormouse.ports].map(portOf),
    paths: ['/metrics'],
  }
}

const schema = composeSchema()

test('compose.yaml is what the schema of compose files allows', () => {
  // the package has the schema of 2021, before compose files had a name
  const { name, ...rest } = COMPOSE
  expect(name).toBe('dormouse')
  expect(schema.safeParse(rest).error?.issues ?? []).toEqual([])
})

test.each([
  ['read_only: true', 'readonly: true'],
  ['cap_drop: [ALL]', 'cap_drop: ALL'],
  ['services:', 'service:'],
])('the schema refuses %s as %s', (shipped, wrong) => {
  expect(TEXT).toContain(shipped)
  expect(schema.safeParse(parse(TEXT.replace(shipped, wrong))).success).toBe(false)
})

// the plugin is not a package of Debian
test.skipIf(spawnSync('docker', ['compose', 'version']).status !== 0)('docker compose accepts it', () => {
  const { status, stderr } = spawnSync('docker', ['compose', 'config', '--quiet'], {
    cwd: DEPLOY,
    encoding: 'utf8',
    env: { ...process.env, DORMOUSE_API_KEY: 'key', GRAFANA_PASSWORD: 'password' },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('has only settings that the program knows', () => {
  expect(formProblems(formOf(TEXT, CONFIG, PROMETHEUS))).toEqual([])
})

test.each([
  ['another port', TEXT, '9477:9477', '9477:9478'],
  ['another place of the configuration', TEXT, ':/etc/dormouse/dormouse.yaml:ro', ':/etc/dormouse.yaml:ro'],
  ['another place of the volume', TEXT, ':/var/lib/dormouse', ':/data'],
  ['another variable', TEXT, 'DORMOUSE_API_KEY: ', 'DORMOUSE_KEY: '],
  ['another port of the configuration', CONFIG, '0.0.0.0:9477', '0.0.0.0:9478'],
  ['another target', PROMETHEUS, 'dormouse:9477', 'dormouse:9478'],
])('%s is noticed', (_, of, shipped, wrong) => {
  expect(of).toContain(shipped)
  const changed = (text: string) => (text === of ? text.replace(shipped, wrong) : text)
  expect(formProblems(formOf(changed(TEXT), changed(CONFIG), changed(PROMETHEUS)))).not.toEqual([])
})

test.each([
  ['README.md', read('README.md')],
  ['compose/dormouse.yaml', CONFIG],
])('the command in %s asks with the configuration that is mounted', (_, text) => {
  const [, named] = /docker compose exec dormouse (node[^`\n]*)/.exec(text) ?? []
  const { to } = mountsOf(COMPOSE.services.dormouse).find(isPath) ?? {}
  expect(named).toBe(`node src/dormouse.mjs status --config ${to}`)
})

test('the daemon is a user without rights and cannot write but to its volume', () => {
  expect(COMPOSE.services.dormouse).toMatchObject({
    user: IMAGE?.user,
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  })
})

test('its data are in the volume of the image', () => {
  expect(formOf(TEXT, CONFIG, PROMETHEUS).folders).toEqual(IMAGE?.volumes)
})

test('everything is published on loopback only', () => {
  const published = Object.values(COMPOSE.services).flatMap(({ ports }) => ports)
  expect(published.filter((text) => !text.startsWith('127.0.0.1:'))).toEqual([])
})

test('the image has the version of the program', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  expect(COMPOSE.services.dormouse.image).toBe(`dormouse:${version}`)
})

test('every file that is mounted exists, and every volume', () => {
  const mounts = Object.values(COMPOSE.services).flatMap(mountsOf)
  const missing = mounts.filter((mount) =>
    isPath(mount) ? !existsSync(resolve(DEPLOY, mount.from)) : !(mount.from in COMPOSE.volumes),
  )
  expect(missing).toEqual([])
})

test('the daemon answers to the name that Prometheus asks for', () => {
  const { server } = parse(CONFIG) as { server: { names: string[] } }
  const { scrape_configs: scraped } = parse(PROMETHEUS) as Scraped
  const hosts = targetsOf(scraped).map((target) => target.split(':')[0])
  expect(server.names).toEqual(hosts)
})

test('Prometheus, Alertmanager and Grafana name services that exist, and files where they are mounted', () => {
  const { prometheus, grafana } = COMPOSE.services
  const { rule_files: rules, alerting, scrape_configs: scraped } = parse(PROMETHEUS) as Scraped
  const source = parse(read('compose/grafana/datasources/prometheus.yaml')) as {
    datasources: { url: string }[]
  }
  const hosts = [
    ...targetsOf([...alerting.alertmanagers, ...scraped]).map((target) => `http://${target}`),
    ...source.datasources.map(({ url }) => url),
  ].map((url) => new URL(url))
  const published = Object.entries(COMPOSE.services).flatMap(([name, { ports }]) =>
    ports.map((text) => `${name}:${text.split(':').at(-1)}`),
  )
  expect(hosts.map(({ host }) => host).filter((host) => !published.includes(host))).toEqual([])
  expect(rules.filter((file) => !mountsOf(prometheus).some(({ to }) => to === file))).toEqual([])

  const boards = parse(read('compose/grafana/dashboards/dormouse.yaml')) as {
    providers: { options: { path: string } }[]
  }
  const mounted = mountsOf(grafana).find(({ to }) => to === boards.providers[0]?.options.path)
  const folder = resolve(DEPLOY, mounted?.from ?? '')
  expect(BOARDS.map((board) => existsSync(join(folder, basename(boardFileOf(board)))))).not.toContain(false)
})

testWith('promtool')('promtool finds nothing wrong with the configuration of Prometheus', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-compose-'))
  try {
    const { rule_files: rules } = parse(PROMETHEUS) as Scraped
    const mounts = mountsOf(COMPOSE.services.prometheus)
    const shipped = mounts.find(({ to }) => to === rules[0])?.from ?? ''
    const file = join(folder, 'prometheus.yml')
    // the rules where they are in this checkout
    writeFileSync(file, PROMETHEUS.replaceAll(rules[0] ?? '', resolve(DEPLOY, shipped)))
    const { status, stdout } = spawnSync('promtool', ['check', 'config', file], { encoding: 'utf8' })
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/SUCCESS: \d+ rules found/),
    })
    expect(dirname(resolve(DEPLOY, shipped))).toBe(join(ROOT, 'dashboards'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
