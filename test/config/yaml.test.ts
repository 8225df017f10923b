// Configurations in other forms that are legal YAML, and files that are none.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { environmentOf } from '../support/secrets.ts'
import { folder, GOOD, load, loadConfig, makeConfigFolder, problemsOf } from './loading.ts'

describe('an anchor', () => {
  test('may be used by as many policies as there are', () => {
    const others = Array.from(
      { length: 300 },
      (_, index) => `  - { match: { project: p-${index} }, sizing: *small }`,
    )
    const loaded = load(
      `${GOOD}policies:\n  - { match: { project: p }, sizing: &small { max: 2 } }\n${others.join('\n')}\n`,
    )
    expect(loaded).toMatchObject({ ok: true })
    const last = { ref: { account: 'main', projectId: 'p-299', endpointId: 'ep-a' }, projectName: 'any' }
    const target = { ...last, branchId: 'br-a', name: undefined, type: 'read_write' as const }
    expect(loaded.ok && loaded.value.policies.of(target, 0 as never).sizing.max).toBe(2)
  })

  test('cannot be used inside of itself', () => {
    expect(problemsOf(`${GOOD}owners: &all\n  - { team: a }\n  - match: [*all]\n`)).toEqual([
      expect.stringMatching(/dormouse\.yaml: line 9, column 13: Alias inside of its own anchor$/),
    ])
  })
})

test('a second document is a problem, in words for people', () => {
  expect(problemsOf(`${GOOD}---\nmode: off\n`)).toEqual([
    expect.stringMatching(/dormouse\.yaml: line 7, column 1: A second document begins here: expected one$/),
  ])
})

describe('a merge key', () => {
  test.each([
    ['in a block', 'poll:\n  <<: *b\n', 'line 9, column 3'],
    ['in braces', 'poll: { interval: 60s, <<: *b }\n', 'line 8, column 24'],
  ])('%s is named, with what to write in its place', (_, more, place) => {
    expect(problemsOf(`${GOOD}log: &b { level: info }\n${more}`)).toEqual([
      expect.stringMatching(
        `dormouse\\.yaml: ${place}: A merge key: expected the keys themselves, or an alias for a whole value$`,
      ),
    ])
  })

  test('in quotes is a key as any other', () => {
    expect(problemsOf(`${GOOD}poll: { "<<": 1 }\n`)).toEqual([expect.stringMatching(/unknown key/)])
  })
})

const blockOf = (depth: number) =>
  `owners:\n${Array.from({ length: depth }, (_, index) => `${' '.repeat(index + 1)}a:\n`).join('')}`

describe('a value that is nested too deeply is a problem with its place', () => {
  const NESTED = /^\S+dormouse\.yaml: line \d+, column \d+: Nested too deeply: expected at most 100 levels$/

  test.each([101, 300, 20_000])('lists of %i levels', (depth) => {
    const lists = `owners: ${'['.repeat(depth)}${']'.repeat(depth)}\n`
    expect(problemsOf(`${GOOD}${lists}`)).toEqual([expect.stringMatching(NESTED)])
  })

  test.each([101, 300, 1500])('keys of %i levels', (depth) => {
    expect(problemsOf(`${GOOD}${blockOf(depth)}`)).toEqual([expect.stringMatching(NESTED)])
  })

  test('but 99 levels are not', () => {
    expect(problemsOf(`${GOOD}${blockOf(98)}`)).toEqual(['owners: expected a list of owners'])
  })
})

test('a byte order mark and the line ends of Windows change nothing', () => {
  expect(load(`\u{FEFF}${GOOD.replaceAll('\n', '\r\n')}`)).toMatchObject({ ok: true })
})

describe('another encoding than UTF-8', () => {
  test('of the configuration is named', () => {
    makeConfigFolder()
    const path = join(folder, 'utf-16.yaml')
    writeFileSync(path, `\u{FEFF}${GOOD}`, 'utf16le')
    expect(loadConfig(path, environmentOf({ KEY: 'key' }))).toEqual({
      ok: false,
      error: [`${path}: cannot be read: its text is not UTF-8`],
    })
  })

  test('of a secret is named: with another letter it would be refused by whom it is for', () => {
    makeConfigFolder()
    writeFileSync(join(folder, 'password'), 'p\u{E4}ssword', 'latin1')
    const mail =
      '{ name: mail, type: smtp, host: h, from: a@b.c, to: [a@b.c], user: u, password_file: ./password }'
    expect(problemsOf(`${GOOD}notifications: [${mail}]\n`)).toEqual([
      'notifications[0].password_file: the file cannot be read: its text is not UTF-8',
    ])
  })
})
