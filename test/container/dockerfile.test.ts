// Rules of the Dockerfile and of what a build gets. layout.test.ts runs what it describes.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { describe, expect, onTestFinished, test } from 'vitest'
import { configJsonSchema } from '../../src/config/json-schema.ts'
import { checkoutFiles, contextOf, DOCKERFILE, CHECKOUT, stagesOf } from './dockerfile.ts'

const image = stagesOf(DOCKERFILE).at(-1)
if (!image) throw new Error('the Dockerfile has no stage')
const { scripts, devDependencies } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
  devDependencies: Record<string, string>
}

/** What is wrong with a Dockerfile. */
function problemsOf(text: string): readonly string[] {
  const stages = stagesOf(text)
  const last = stages.at(-1)
  const starts = { entrypoint: last?.entrypoint, command: last?.command, health: last?.health }
  const variables = stages.flatMap(({ args, env }) => [...Object.keys(args), ...Object.keys(env)])
  return [
    ...validate(text).map(({ message }) => (typeof message === 'string' ? message : message.value)),
    ...stages.flatMap(({ image: base }) =>
      /^node:\d+\.\d+\.\d+-\w+-slim$|@sha256:[\da-f]{64}$/.test(base)
        ? []
        : [`the base ${base} has no exact version`],
    ),
    ...(/^[1-9]\d*:[1-9]\d*$/.test(last?.user ?? '') ? [] : ['the user of the image is no number, or root']),
    ...Object.entries(starts).flatMap(([name, run]) =>
      run?.words ? [] : [`${name} is missing or needs a shell`],
    ),
    ...stages.flatMap(({ steps }) =>
      steps.flatMap((step) =>
        'run' in step && /\bnpm\b/.test(step.run.text) && !/\bnpm ci\b.* --ignore-scripts/.test(step.run.text)
          ? ['npm would run scripts of packages, or take other versions than the lock file names']
          : [],
      ),
    ),
    ...variables
      .filter((name) => /KEY|TOKEN|SECRET|PASSW/i.test(name))
      .map((name) => `${name} would be in the image`),
  ]
}

test('keeps the rules of Dockerfiles, and of images that run anywhere', () => {
  expect(problemsOf(DOCKERFILE)).toEqual([])
})

test.each([
  ['FROM ${NODE_IMAGE} AS packages', 'FROM node AS packages', 'the base node has no exact version'],
  [
    ' --ignore-scripts --no-audit --no-fund\nCOPY test',
    '\nCOPY test',
    'npm would run scripts of packages, or take other versions than the lock file names',
  ],
  [
    'npm ci --omit=dev',
    'npm install --omit=dev',
    'npm would run scripts of packages, or take other versions than the lock file names',
  ],
  ['-trixie-slim', '', `the base node:${devDependencies['node']} has no exact version`],
  ['USER 65532:65532', 'USER dormouse', 'the user of the image is no number, or root'],
  ['USER 65532:65532', 'USER 0:0', 'the user of the image is no number, or root'],
  [/^CMD \[.*\]$/m, 'CMD node src/dormouse.mjs run', 'command is missing or needs a shell'],
  [/^HEALTHCHECK.*$/m, '', 'health is missing or needs a shell'],
  [/^ENTRYPOINT.*$/m, '', 'entrypoint is missing or needs a shell'],
  ['ENV NODE_ENV=production', 'ENV DORMOUSE_API_KEY=x', 'DORMOUSE_API_KEY would be in the image'],
  ['EXPOSE 9477', 'EXPOSE telemetry', 'Invalid containerPort: telemetry'],
])('a Dockerfile with %s as %j is refused', (from, to, problem) => {
  expect(problemsOf(DOCKERFILE.replace(from, to))).toContain(problem)
})

test('its base is the Node that the tests run on, also where a digest is given in its place', () => {
  expect(image.image).toBe(`node:${devDependencies['node']}-trixie-slim`)
  const digest = `node@sha256:${'0'.repeat(64)}`
  expect(problemsOf(DOCKERFILE.replace(/(?<=NODE_IMAGE=)node:.*/, digest))).toEqual([])
})

test('the image has the variables of `npm start`, the ports of the schema, and its folders in one volume', () => {
  const start = Object.fromEntries(
    [...(scripts['start'] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  )
  expect(image.env).toMatchObject({ NODE_ENV: 'production', ...start })
  const { telemetry, api } = configJsonSchema().properties?.['server']?.properties ?? {}
  expect(image.ports).toEqual([telemetry, api].map((listener) => String(listener?.default).split(':').at(-1)))
  expect(image.volumes).toEqual(['/var/lib/dormouse'])
  expect(image.env['TMPDIR']).toBe('/var/lib/dormouse')
  expect(Object.keys(image.labels)).toEqual(
    ['title', 'description', 'licenses', 'version', 'revision'].map(
      (name) => `org.opencontainers.image.${name}`,
    ),
  )
})

test('time zones come with Node: the image needs no package for them', () => {
  expect(process.versions['tz']).toMatch(/^20\d\d[a-z]$/)
})

describe('a build gets', () => {
  const context = contextOf(checkoutFiles())
  const copied = stagesOf(DOCKERFILE).flatMap(({ steps }) =>
    steps.flatMap((step) => ('copy' in step && !step.copy.from ? step.copy.sources : [])),
  )

  test('exactly what is copied', () => {
    const isCopied = (path: string) =>
      copied.some((source) => path === source || path.startsWith(`${source}/`))
    expect(context.filter((path) => !isCopied(path))).toEqual([])
    expect(copied.filter((source) => !context.some((path) => path.startsWith(source)))).toEqual([])
    expect(context).toContain('src/dormouse.mjs')
  })

  test('no key, configuration or data of whoever builds', () => {
    const own = [
      '.env',
      '.npmrc',
      'key',
      'dormouse.yaml',
      'dormouse-data/dormouse.sqlite',
      'config/dormouse.yaml',
    ]
    expect(
      contextOf([...own, 'src/.env', '.git/config', 'node_modules/pg/package.json', 'test/a.ts']),
    ).toEqual([])
  })
})

const docker = (...words: readonly string[]) => spawnSync('docker', words, { encoding: 'utf8' })
const hasDaemon = docker('version', '--format', '{{.Server.Version}}').status === 0

test.skipIf(!hasDaemon)(
  'a Docker daemon builds the image, and its program runs in a read-only container',
  () => {
    const built = docker('build', '--quiet', CHECKOUT)
    expect(built).toMatchObject({ status: 0 })
    const id = built.stdout.trim()
    onTestFinished(() => void docker('rmi', id))
    const program = ['node', 'src/dormouse.mjs', '--version']
    expect(docker('run', '--rm', '--read-only', '--cap-drop', 'ALL', id, ...program)).toMatchObject({
      status: 0,
    })
  },
)
