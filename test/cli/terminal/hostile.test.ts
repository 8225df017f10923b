// Neighbours that put escapes, marks of direction and invisible characters into names and messages, and what a terminal gets of them.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRedactor } from '../../../src/std/redactor.ts'
import { guardOutput } from '../../../src/cli/terminal/process-io.ts'
import { longTest } from '../../support/tiers.ts'
import { answers, faultyServer, type Fault } from '../../service/faulty-server.ts'
import { memoryFolder } from '../../support/folder.ts'
import { HOSTILE } from '../../support/hostile-names.ts'
import { dormouse, words } from '../local-cli.ts'

const NAMES = [
  ...HOSTILE,
  '\u001B]0;title\u0007',
  '\u001B]8;;https://evil.example\u001B\\click\u001B]8;;\u001B\\',
  '\u001B[2J\u001B[H\u001B]52;c;ZWNobyBldmls\u0007',
  '\u009D0;title\u009C\u009B2J\u0090q\u009C',
  'over\rwritten\b\b\b\u007F',
  '\u200E\u200F\u061C\u2066\u2067\u2068\u2069\u202D',
  'in\u200Bvi\u00ADsi\u2060ble\uFEFF\u3164\u2800\u{E0041}\u180E',
]

/** The end of a line and a tab steer nothing; all else that is invisible must not be there. */
const STEERING =
  /\r(?!\n)|[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u3164\u2800\u180E]--[\n\r\t]--\p{Join_Control}--[\u{E0020}-\u{E007F}]]|(?<!\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)\u200D/v

const shownBy = (text: string): string => {
  let shown = ''
  const print = (line: string) => void (shown += line)
  const io = { ...createRedactor(), env: {}, cwd: '/', signal: new AbortController().signal, columns: 80 }
  guardOutput({ ...io, out: print, err: print }).out(text)
  return shown
}

test.each(NAMES)('%j is shown without what would steer a terminal', (name) => {
  expect(shownBy(name)).not.toMatch(STEERING)
})

test('what is left out is visible, and JSON keeps its value', () => {
  expect(shownBy('a\u001B[2Jb\nc\u202Ed')).toBe(String.raw`a\u001b[2Jb` + '\n' + String.raw`c\u202ed`)
  const json = JSON.stringify(NAMES.map((name) => name.toWellFormed()))
  expect(JSON.parse(shownBy(json))).toEqual(JSON.parse(json))
})

test.each(['👩‍💻 ❤️', 'می‌خواهم', 'नमस्‍ते', 'a\tb', 'row,of,csv\r', '日本語'])('%j stays', (text) => {
  expect(shownBy(text)).toBe(text)
})

const fault: Fault = (response, { url }) => {
  if (url.includes('/projects?')) {
    const projects = NAMES.map((name, at) => ({
      id: `p-${at}`,
      name,
      region_id: name,
      platform_id: name,
      updated_at: '2026-01-01T00:00:00Z',
    }))
    return answers(200, { projects })(response)
  }
  if (url.includes('/api_keys')) {
    const key = { created_at: '2026-01-01T00:00:00Z', last_used_at: null, last_used_from_addr: NAMES.join() }
    return answers(
      200,
      NAMES.map((name, id) => ({ ...key, id, name })),
    )(response)
  }
  return answers(403, { message: NAMES[Number(/p-(\d+)/.exec(url)?.[1] ?? 0)], code: '' })(response)
}

const cwd = memoryFolder('dormouse-terminal-')
let server: Awaited<ReturnType<typeof faultyServer>>
beforeAll(async () => {
  server = await faultyServer(fault)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(cwd, { recursive: true })
})

test.each([
  'projects list',
  'projects list --json',
  'computes list p-20',
  'computes get p-1 ep-1',
  'keys list',
  'keys list --json',
  'status --url ROOT',
  'explain x --url ROOT',
  'export --url ROOT',
  'report --url ROOT',
  'reload --url ROOT',
])('%s shows nothing that would steer a terminal', shows)
// a request per project, at the rate of a service
longTest.each(['computes list', 'init', 'audit'])('%s shows nothing that would steer a terminal', shows)

async function shows(line: string) {
  const given = line.includes('--url')
    ? line.replace('ROOT', server.baseUrl.replace('/api/v2', ''))
    : `${line} --base-url ${server.baseUrl}`
  const { out, err } = await dormouse(words(given), { cwd, env: { DORMOUSE_API_KEY: 'some-key' } })
  expect(out + err).not.toBe('')
  expect(out + err).not.toMatch(STEERING)
}

test('problems of a configuration show nothing that would steer a terminal', async () => {
  const names = Object.fromEntries(NAMES.map((name, at) => [`${name}${at}`, name]))
  writeFileSync(join(cwd, 'dormouse.yaml'), JSON.stringify({ ...names, accounts: NAMES, windows: names }))
  const { code, err } = await dormouse(words('check-config'), { cwd })
  expect(code).toBe(2)
  expect(err).not.toMatch(STEERING)
})
