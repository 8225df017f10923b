import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { dormouse, words } from './local-cli.ts'

let cwd = ''
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'dormouse-check-'))
  writeFileSync(
    join(cwd, 'dormouse.yaml'),
    'mode: observe\naccounts: [{ name: a, base_url: "https://h/api/v2", plan: free, api_key_env: KEY }]\n',
  )
  writeFileSync(join(cwd, 'bad.yaml'), 'mode: on\npol: {}\n')
})
afterAll(() => rmSync(cwd, { recursive: true }))

const env = { KEY: 'very-secret' }

test('a good configuration is shown as it comes out, without secrets', async () => {
  const { code, out, err } = await dormouse(['check-config'], { cwd, env })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^ok\n\n/)
  expect(parse(out.replace('ok\n', ''))).toMatchObject({
    mode: 'observe',
    accounts: [{ name: 'a', api_key_env: 'KEY', projects: 'discover' }],
    poll: { interval: '60s', max_age: '15m' },
  })
  expect(out).not.toContain('very-secret')
  const asJson = await dormouse(words('check-config --json'), { cwd, env })
  expect(JSON.parse(asJson.out)).toMatchObject({
    ok: true,
    config: { mode: 'observe', log: { level: 'info' } },
  })
  expect(asJson.out).not.toContain('very-secret')
})

test('all problems are told at once', async () => {
  const problems = [
    'mode: expected one of off, observe, suggest, approve, apply',
    'accounts: is missing',
    'pol: unknown key, did you mean poll?',
  ]
  expect(await dormouse(words('check-config --config bad.yaml'), { cwd })).toEqual({
    code: 2,
    out: '',
    err: problems.map((problem) => `dormouse: ${problem}\n`).join(''),
  })
  const asJson = await dormouse(words('check-config --config bad.yaml --json'), { cwd })
  expect([asJson.code, JSON.parse(asJson.out)]).toEqual([2, { ok: false, problems }])
})
