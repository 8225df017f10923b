import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { current, GENERATED, ROOT } from './support/generate.ts'

test.each(GENERATED.map((generated) => [generated.path, generated] as const))(
  '%s is what `npm run generate` makes of the code',
  (_, generated) => {
    const text = current(generated)
    expect(text).toBe(generated.content(text))
  },
)

const DOCUMENTS = [
  'README.md',
  'config/README.md',
  'config/deploy/README.md',
  'dashboards/README.md',
  'src/README.md',
  'src/local/README.md',
  'test/README.md',
  '.github/CONTRIBUTING.md',
  '.github/SECURITY.md',
  '.github/CHANGELOG.md',
  ...readdirSync(join(ROOT, '.github/decisions')).map((name) => `.github/decisions/${name}`),
]

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** As GitHub names the headings of a document. */
const anchorsOf = (path: string): readonly string[] =>
  [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )

describe('documents', () => {
  test.each(DOCUMENTS)('every link in %s leads to a file, and to a heading where it names one', (path) => {
    const broken = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].filter(([, link = '']) => {
      if (/^https?:/.test(link)) return false
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : join(dirname(path), file)
      if (!existsSync(join(ROOT, target))) return true
      return anchor !== undefined && !anchorsOf(target).includes(anchor)
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })

  test('the README is short enough to be read', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(200)
  })
})

// outside of the checkout these would fetch and run what somebody else has published
test('no text tells people to run a package by its name', () => {
  const files = ['src', 'dashboards', 'config', '.github'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  const texts = [
    'README.md',
    'test/README.md',
    ...files.filter((name) => /\.(?:ts|mjs|md|yaml|json)$/.test(name)),
  ]
  expect(texts.filter((path) => /\bnpx\b|\bnpm (?:exec|x)\b/.test(read(path)))).toEqual([])
})

test.each([
  [
    'prints the digest of the token',
    'echo 5e884898da28',
    0,
    createHash('sha256').update('5e884898da28').digest('hex'),
  ],
  ['prints no digest where openssl fails', 'exit 127', 127, ''],
])('the recipe for a token %s', (_, openssl, status, digest) => {
  const [recipe = ''] = /^.*sha256sum <.*$/m.exec(read('config/README.md')) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'recipe-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'openssl'), `#!/bin/sh\n${openssl}\n`, { mode: 0o755 })
  const run = spawnSync('sh', ['-c', recipe], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: [folder, process.env['PATH']].join(delimiter) },
  })
  expect([run.status, run.stdout.split(' ')[0]]).toEqual([status, digest])
})

describe('the threat model', () => {
  /** Rows of its tables without their headings: attack, what stops it, tests. */
  const rows = read('.github/SECURITY.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| attack |'))

  test.each(rows)('names tests that exist: %s', (row) => {
    const cells = row.split(' | ')
    const tests = [...(cells.at(-1) ?? '').matchAll(/`(test\/[^`]+\.test\.ts)` "([^"]+)"/g)]
    expect(cells).toHaveLength(3)
    expect(tests).not.toEqual([])
    const missing = tests.filter(
      ([, path = '', name = '']) => !existsSync(join(ROOT, path)) || !read(path).includes(name),
    )
    expect(missing.map(([text]) => text)).toEqual([])
  })
})
