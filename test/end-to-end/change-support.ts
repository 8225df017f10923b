// Changes as a person asks for them: with commands of the program, and a token that may operate.
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ownPort } from '../support/ports.ts'
import type { ChangeJson, ChangesJson, PlanJson, PlansJson } from '../../src/outputs/text/change-schema.ts'
import { fieldOf } from '../../src/std/field.ts'
import { recordingProxy, type RecordingProxy, type Treatment } from '../support/recording-proxy.ts'
import { startSimulated, type Simulated, type SimulatedOptions } from '../support/simulated-service.ts'
import { dormouse, page, until } from './support.ts'

const TOKEN = 'a-token-of-a-person'
const PERSON = 'alice'

/** Of `server.tokens`. */
export const TOKENS = `{ ${PERSON}: { sha256: ${createHash('sha256').update(TOKEN).digest('hex')}, scope: operate } }`

type Said = Readonly<{ status: number | NodeJS.Signals | null; out: string; err: string }>

/** Runs a command to its end. */
export async function command(configFile: string, ...words: readonly string[]): Promise<Said> {
  await using program = dormouse([...words, '--config', configFile], { DORMOUSE_TOKEN: TOKEN })
  const status = await program.ended
  return { status, out: program.out(), err: program.err() }
}

/** Replaces a text of the configuration file, and has the daemon take it over. */
export async function reconfigure(configFile: string, before: string, after: string): Promise<void> {
  const text = readFileSync(configFile, 'utf8')
  if (!text.includes(before)) throw new Error(`${configFile} has no ${before}`)
  writeFileSync(configFile, text.replace(before, after))
  expect(await command(configFile, 'reload')).toMatchObject({ status: 0 })
}

async function json(configFile: string, ...words: readonly string[]): Promise<unknown> {
  const said = await command(configFile, ...words, '--json')
  expect(said).toMatchObject({ status: 0, err: '' })
  return JSON.parse(said.out)
}

/** The change that `change` or `approve` made. */
export const changeBy = async (configFile: string, ...words: readonly string[]): Promise<ChangeJson> =>
  fieldOf(await json(configFile, ...words), 'change') as ChangeJson

export async function planOf(configFile: string, name: string): Promise<PlanJson> {
  const { plans } = (await json(configFile, 'plan', name)) as PlansJson
  const [plan] = plans
  if (!plan || plans.length > 1) throw new Error(`${plans.length} plans of ${name}`)
  return plan
}

/** By `changes --json`. */
export async function changeOf(configFile: string, id: string): Promise<ChangeJson> {
  const { changes } = (await json(configFile, 'changes')) as ChangesJson
  const found = changes.find((change) => change.id === id)
  if (!found) throw new Error(`no change ${id}`)
  return found
}

/** Undefined where no daemon answers. */
export async function changesAt(apiUrl: string): Promise<readonly ChangeJson[] | undefined> {
  const { status, text } = await page(`${apiUrl}/api/v1/changes`)
  return status === 200 ? (JSON.parse(text) as ChangesJson).changes : undefined
}

/** Waits until it fits. @throws with the changes as they were last */
export async function changeThat(
  what: string,
  apiUrl: string,
  fits: (change: ChangeJson) => boolean,
): Promise<ChangeJson> {
  let changes: readonly ChangeJson[] | undefined
  try {
    return await until(what, async () => {
      changes = await changesAt(apiUrl)
      return changes?.find(fits)
    })
  } catch (cause) {
    throw new Error(`${what}; the changes: ${JSON.stringify(changes)}`, { cause })
  }
}

export const hasEnded =
  (id: string) =>
  (change: ChangeJson): boolean =>
    change.id === id && change.ended !== null

export type SimulatedSetting = AsyncDisposable & {
  readonly service: Simulated
  readonly proxy: RecordingProxy
  readonly configFile: string
  readonly apiUrl: string
}

/** Simulated computes behind a proxy, and a configuration of a daemon that polls them every second. @param settle seconds */
export async function simulatedSetting(
  options: SimulatedOptions,
  { settle = 2, ...treatment }: Treatment & Readonly<{ settle?: number }> = {},
): Promise<SimulatedSetting> {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-changes-'))
  const service = await startSimulated(options)
  const proxy = await recordingProxy(service.baseUrl, treatment)
  const [telemetry, api] = [await ownPort(), await ownPort()]
  const configFile = join(folder, 'dormouse.yaml')
  writeFileSync(join(folder, 'key'), service.apiKey, { mode: 0o600 })
  writeFileSync(
    configFile,
    `accounts:
  - { name: main, base_url: "${proxy.baseUrl}", api_key_file: ./key, plan: scale }
poll: { interval: 1s, max_age: 5s }
reading: { mode: off }
service: { preset: interface, requests_per_minute: 6000, settle: ${settle}s }
server: { telemetry: "127.0.0.1:${telemetry}", api: "127.0.0.1:${api}", tokens: ${TOKENS} }
`,
  )
  return {
    service,
    proxy,
    configFile,
    apiUrl: `http://127.0.0.1:${api}`,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]()
      await service.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Asks by the API, as the command does. */
export async function ask(apiUrl: string, body: object): Promise<ChangeJson> {
  const answer = await fetch(`${apiUrl}/api/v1/changes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  expect([answer.status, text]).toEqual([200, text])
  return fieldOf(JSON.parse(text), 'change') as ChangeJson
}
