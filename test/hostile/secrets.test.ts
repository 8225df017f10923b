// Canaries in every secret of a configuration, repeated by every neighbour in every encoding, are in no output.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { configJsonSchema } from '../../src/config/json-schema.ts'
import { memoryFolder } from '../support/folder.ts'
import { GOOD, problemsOf } from '../config/loading.ts'
import { dormouse, words } from '../cli/local-cli.ts'
import { dormouse as program, until } from '../end-to-end/support.ts'
import { longTest, splitCases } from '../support/tiers.ts'
import { CANARIES, canariedConfig, outputsOfLife, type Place } from './canaried-daemon.ts'
import { canaryOf, hitsIn, leavesOf, secretPaths } from './canaries.ts'
import { echoingService } from './echoing-neighbours.ts'

const folders: string[] = []
const newFolder = () => {
  const folder = memoryFolder('dormouse-canaries-')
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const life = async (place: Place) => {
  const outputs = await outputsOfLife(place, newFolder())
  expect(Object.values(outputs).join('')).toContain('[redacted]')
  expect(outputs['log']).toContain('refused')
  expect(hitsIn(outputs, CANARIES)).toEqual([])
}

longTest('no secret from the environment is in any output', () => life('env'))
longTest('no secret from a file is in any output', () => life('file'))
longTest('no secret from a mounted volume is in any output', () => life('mount'))

const DEPLOY = join(import.meta.dirname, '../../config/deploy')

test('deployment files pass secrets by reference: variables of the caller, files, secrets of the cluster', () => {
  const names = readdirSync(DEPLOY, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => /\.(ya?ml|service)$/.test(name))
  const lines = files.flatMap((name) => readFileSync(join(DEPLOY, name), 'utf8').split('\n'))
  // NAME: value, NAME=value, or { name: NAME, value: … }
  const assigned = lines.filter((line) =>
    /\b[A-Z_]*(KEY|TOKEN|PASSWORD|SECRET)\b["']?(:|=|, *value:)/.test(line),
  )
  expect(assigned.join('\n')).toContain('DORMOUSE_API_KEY: ${DORMOUSE_API_KEY:?')
  expect(assigned.filter((line) => !/: \$\{\w+:\?[^}]*\}$/.test(line))).toEqual([])
  // an address with a password, or a key of the service
  expect(lines.filter((line) => /:\/\/[^/\s:@]+:[^/\s@{]+@|\bnapi_\w+/.test(line))).toEqual([])
})

const baseOf = (place: Place) => canariedConfig(place, newFolder(), () => 9)

test('every key for a secret has a canary', () => {
  const covered = (['env', 'file'] as const).flatMap((place) => pathsOf(JSON.parse(baseOf(place).text), ''))
  expect(secretPaths().filter((path) => !covered.includes(path))).toEqual(OF_PUBLIC_FILES)
})

/** Never read for their text: of the kill switch only whether it is there; a certificate is public, its key is read by the TLS library alone. */
const OF_PUBLIC_FILES = ['changes.kill_switch_file', 'server.tls.cert_file', 'server.tls.key_file']

const pathsOf = (value: unknown, path: string): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, path === '' ? key : `${path}.${key}`))
}

describe('a secret in the wrong place is in no problem of the configuration', () => {
  const canary = canaryOf('misplaced')
  const { text, env } = baseOf('env')
  const told = (changed: string) => problemsOf(changed, env)
  const hits = (problems: readonly string[]) => hitsIn({ problems: problems.join('\n') }, { canary })

  const [some, others] = splitCases([...new Set(leavesOf(configJsonSchema(), ''))], 12)
  const misplaced = (path: string) => JSON.stringify(withValue(JSON.parse(text), stepsOf(path), canary))
  const asValue = (path: string) => expect(hits(told(misplaced(path)))).toEqual([])
  test.each(some)('as the value of %s', asValue)
  longTest.each(others)('as the value of %s', asValue)

  test.each(['', 'accounts[]', 'server', 'notifications[]', 'server.tokens.ci', 'windows'])(
    'as a key in %j',
    (path) => {
      const steps = path === '' ? [] : stepsOf(path)
      const problems = told(JSON.stringify(withValue(JSON.parse(text), [...steps, canary], 'x')))
      expect(problems.length).toBeGreaterThan(0)
      expect(hits(problems)).toEqual([])
    },
  )

  test.each([
    ['an alias', `plan: *${canary}`],
    ['an alias in a list', `plan: [*${canary}]`],
    ['a tag', `plan: !${canaryOf('tag').replaceAll(/[^\w]/g, '')} x`],
    ['a directive', `%${canary}\n---\nplan: x`],
    ['the header of a block', `plan: |${canary}\n x`],
    ['an escape', `plan: "\\${canary}"`],
    ['half a text', `plan: "${canary}`],
    ['a reserved character', `plan: @${canary}`],
    ['two values', `plan: x: ${canary}`],
    ['a key twice', `"c4nary-twice-x9Kf": 1\n"c4nary-twice-x9Kf": 2`],
  ])('as %s of YAML', (_, yaml) => {
    const problems = problemsOf(yaml)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.join('\n')).not.toMatch(/c4nary|x9Kf/)
  })

  test.each([
    `postgresql://u:c4nary@{host}/{database}`,
    'postgresql://u:c4nary/with?and@{host}/{database}',
    'postgresql://{endpoint_id}:${c4nary}@{host}/{database}',
    'postgresql://u@{host}/{database}?password=c4nary',
    'postgresql://u@{host}/{database}?pass%77ord=c4nary',
    'postgresql://u@{host}/{database}?sslmode=require&PASSWORD=c4nary',
  ])('as %s', (dsn) => {
    const problems = problemsOf(`${GOOD}    dsn: "${dsn}"\n`)
    expect(problems[0]).toMatch(/^accounts\[0\]\.dsn: holds a password/)
    expect(problems.join()).not.toContain('c4nary')
  })

  test.each([
    `projects list --base-url http://127.0.0.1:9/api/v2 --api-key-file ${canary}`,
    `projects list --base-url http://u:${canary}@127.0.0.1:9/api/v2`,
    `status --url http://127.0.0.1:9 --token-file ${canary}`,
    `status --url http://u:${canary}@127.0.0.1:9`,
  ])('or of the command line: %s', async (line) => {
    const { code, out, err } = await dormouse(words(line))
    expect(code).toBe(2)
    expect(hitsIn({ out, err }, { canary })).toEqual([])
  })
})

const stepsOf = (path: string) => path.split(/\.|(?=\[)/)

/** A copy with `value` at the end of the path, in the first item of each list. */
function withValue(base: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value
  if (step === '[]') return [withValue(Array.isArray(base) ? base[0] : undefined, rest, value)]
  const key = step === '*' ? 'any' : step
  const object = typeof base === 'object' && base !== null && !Array.isArray(base) ? base : {}
  return { ...object, [key]: withValue(Reflect.get(object, key), rest, value) }
}

/** Makes a running program fail when it gets SIGUSR2, as a fault of ours would. */
const FAULT = new URL('./fault.ts', import.meta.url).href

async function crash(kind: 'thrown' | 'rejected') {
  await using service = await echoingService([''])
  const folder = newFolder()
  const { text, env } = canariedConfig('env', folder, (of) => (of === 'service' ? service.port : 9))
  const file = join(folder, 'dormouse.yaml')
  writeFileSync(file, text)
  await using run = program(['run', '--config', file], {
    ...env,
    NODE_OPTIONS: `--import ${FAULT}`,
    FAULT: kind,
  })
  await until('the start', () => (run.out().includes('"watching"') ? true : undefined), 30)
  run.child.kill('SIGUSR2')
  expect(await run.ended).toBe(1)
  expect(run.err()).toMatch(/dormouse: Error: fault of .*\[cause\]: Error: its cause/s)
  expect(hitsIn({ out: run.out(), err: run.err() }, CANARIES)).toEqual([])
}

longTest('a program that crashes by an exception shows no secret', () => crash('thrown'))
longTest('a program that crashes by a rejection that nobody handles shows no secret', () => crash('rejected'))
