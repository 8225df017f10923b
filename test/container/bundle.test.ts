// The program of the image is that of the checkout, as fewer files.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryFolder } from '../support/folder.ts'
import { CHECKOUT } from './dockerfile.ts'

const folder = memoryFolder('dormouse-bundle-')
const bundled = join(folder, 'src')
beforeAll(() => {
  mkdirSync(join(folder, 'config'))
  for (const path of ['package.json', 'config/prices.yaml'])
    copyFileSync(join(CHECKOUT, path), join(folder, path))
  run('test/support/bundle.ts', bundled)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** In the checkout, on whose packages the bundle does not depend. */
const run = (...words: readonly string[]): string =>
  execFileSync(process.execPath, words, {
    cwd: CHECKOUT,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'ignore'],
  })

function expectSame(line: string): void {
  const [checkout, bundle] = [join(CHECKOUT, 'src'), bundled].map((source) =>
    run(join(source, 'dormouse.mjs'), ...line.split(' ')),
  )
  expect(bundle).toBe(checkout)
}
test.each(['--help'])('`dormouse %s` prints what it prints in the checkout', expectSame)
test.each(['--version', 'run --help'])('`dormouse %s` prints what it prints in the checkout', expectSame)

test('each of its texts takes one byte a character in memory', () => {
  const texts = readdirSync(bundled)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => readFileSync(join(bundled, name), 'utf8'))
  const wide = texts.flatMap((text) => text.match(/.*[\u0100-\uffff].*/g) ?? [])
  expect(wide).toEqual([])
})

test('each of its files can be loaded, without any package', () => {
  const files = readdirSync(bundled).filter(
    (name) => name.endsWith('.mjs') && !/^(?:main|dormouse)\./.test(name),
  )
  const imports = files.map((name) => `await import(${JSON.stringify(join(bundled, name))})`)
  expect(files.some((name) => name.startsWith('smtp') || name.startsWith('nodemailer'))).toBe(true)
  expect(run('--input-type=module', '--eval', `${imports.join('\n')}\nconsole.log('loaded')`)).toBe(
    'loaded\n',
  )
})

test('it has the files of the page', () => {
  expect(readdirSync(join(bundled, 'outputs/page'))).toEqual(['script.js', 'style'])
})
