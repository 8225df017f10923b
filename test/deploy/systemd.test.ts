import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT } from '../../src/cli/terminal/io.ts'
import { ROOT } from '../support/generate.ts'
import { testWith } from '../support/tiers.ts'
import { DEPLOY, formProblems, type Form } from './form.ts'

const UNIT = readFileSync(join(DEPLOY, 'systemd/dormouse.service'), 'utf8')
const CONFIG = readFileSync(join(DEPLOY, 'systemd/dormouse.yaml'), 'utf8')

/** Values of a key in their order; lines of a unit have neither quotes nor continuations. */
const valuesOf = (unit: string, key: string): readonly string[] =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)
const valueOf = (unit: string, key: string): string => valuesOf(unit, key).at(-1) ?? ''
const words = (text: string): readonly string[] => text.split(' ').filter(Boolean)

/** Files that the README of the folder says to install, by the commands that make them. */
const INSTALLED = [
  ...readFileSync(join(DEPLOY, 'README.md'), 'utf8').matchAll(/^install .* (\/etc\/dormouse\/[\w.-]+)$/gm),
].map(([, path = '']) => path)

const formOf = (unit: string, config: string): Form => ({
  config,
  command: words(valueOf(unit, 'ExecStart')),
  variables: words(valueOf(unit, 'Environment')).map((pair) => pair.split('=')[0] ?? ''),
  files: INSTALLED,
  folders: words(valueOf(unit, 'StateDirectory')).map((name) => join('/var/lib', name)),
  ports: [9477],
  paths: [],
})

test('the unit has only settings that the program knows', () => {
  expect(formProblems(formOf(UNIT, CONFIG))).toEqual([])
})

test.each([
  ['another file', UNIT, '--config /etc/dormouse/', '--config /etc/'],
  ['another folder', UNIT, 'StateDirectory=dormouse', 'StateDirectory=other'],
  ['a variable that nothing reads', UNIT, 'XDG_CACHE_HOME', 'CACHE_HOME'],
  ['another port', CONFIG, '0.0.0.0:9477', '0.0.0.0:9478'],
  ['another key', CONFIG, '/etc/dormouse/api-key', '/etc/dormouse/key'],
])('%s is noticed', (_, of, shipped, wrong) => {
  expect(of).toContain(shipped)
  const changed = (text: string) => (text === of ? text.replace(shipped, wrong) : text)
  expect(formProblems(formOf(changed(UNIT), changed(CONFIG)))).not.toEqual([])
})

test('compiled code is cached where the unit makes a folder; a wrong configuration is not tried again', () => {
  const cache = words(valueOf(UNIT, 'Environment')).find((pair) => pair.startsWith('XDG_CACHE_HOME='))
  expect(cache).toBe(`XDG_CACHE_HOME=/var/cache/${valueOf(UNIT, 'CacheDirectory')}`)
  expect(valueOf(UNIT, 'RestartPreventExitStatus')).toBe(String(EXIT.usage))
})

/** The unit with `change`, as systemd of this machine sees it: the programs are those that exist here. */
function analyzed(words_: readonly string[], unit = UNIT): { readonly status: number | null; said: string } {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-unit-'))
  try {
    const file = join(folder, 'dormouse.service')
    writeFileSync(
      file,
      unit
        .replace('/usr/bin/node', process.execPath)
        .replaceAll('/opt/dormouse', ROOT)
        .replace('/bin/kill', '/bin/sh'),
    )
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...words_, file], { encoding: 'utf8' })
    return { status, said: stdout + stderr }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

testWith('systemd-analyze')(
  'systemd finds nothing wrong with the unit, and something with a key it does not know',
  () => {
    expect(analyzed(['verify'])).toEqual({ status: 0, said: '' })
    expect(analyzed(['verify'], UNIT.replace('ProtectHome=', 'ProtectHouse=')).said).toContain(
      "'ProtectHouse'",
    )
  },
)

testWith('systemd-analyze')(
  'the unit is exposed little: 2 of 10 at most, and more without its filters',
  () => {
    const judge = ['security', '--offline=yes', '--no-pager', '--threshold=20']
    expect(analyzed(judge).status).toBe(0)
    expect(
      analyzed(judge, UNIT.replaceAll(/^(?:SystemCallFilter|CapabilityBoundingSet)=.*\n/gm, '')).status,
    ).toBe(1)
  },
)
