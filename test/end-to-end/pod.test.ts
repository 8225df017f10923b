// The pod of the base without a cluster: its command as its user, over files with the owners and modes that Kubernetes gives them.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ownPort } from '../support/ports.ts'
import { DEPLOY } from '../deploy/form.ts'
import { ROOT } from '../support/generate.ts'
import { page, until } from './support.ts'

const { spec } = (
  parse(readFileSync(join(DEPLOY, 'kubernetes/base/deployment.yaml'), 'utf8')) as {
    spec: {
      template: {
        spec: {
          securityContext: { runAsUser: number; runAsGroup: number; fsGroup: number }
          containers: [{ command: string[]; livenessProbe: { httpGet: { path: string } } }]
        }
      }
    }
  }
).spec.template
const { runAsUser: uid, runAsGroup: gid, fsGroup } = spec.securityContext
const [{ command, livenessProbe }] = spec.containers

type Laid = Disposable & {
  /** Words after `node`. */
  readonly words: readonly string[]
  readonly configFile: string
  readonly telemetryUrl: string
}

/** The mounts of the pod in a new folder, in place of the root of the file system; ports are free ones. */
async function laidOut(): Promise<Laid> {
  const root = mkdtempSync(join(tmpdir(), 'dormouse-pod-'))
  chmodSync(root, 0o755)
  const at = (path: string) => join(root, path)
  for (const path of ['etc/dormouse', 'run/secrets/dormouse', 'var/lib/dormouse'])
    mkdirSync(at(path), { recursive: true, mode: 0o755 })
  for (const name of ['api-key', 'postgres-password']) {
    writeFileSync(at(`run/secrets/dormouse/${name}`), 'a-secret', { mode: 0o440 })
    chownSync(at(`run/secrets/dormouse/${name}`), 0, fsGroup)
  }
  chownSync(at('var/lib/dormouse'), 0, fsGroup)
  chmodSync(at('var/lib/dormouse'), 0o2775)
  const [telemetry, api] = [await ownPort(), await ownPort()]
  const config = readFileSync(join(DEPLOY, 'kubernetes/base/dormouse.yaml'), 'utf8')
    .replaceAll(/ (\/(?:run|var)\/)/g, ` ${root}$1`)
    .replace('0.0.0.0:9477', `127.0.0.1:${telemetry}`)
    .replace('127.0.0.1:9478', `127.0.0.1:${api}`)
    // nothing listens there
    .replace('https://your-service.example', 'http://127.0.0.1:9')
  const configFile = at('etc/dormouse/dormouse.yaml')
  writeFileSync(configFile, config, { mode: 0o644 })
  return {
    words: command.slice(1).map((word) => (word.startsWith('/') ? at(word) : word)),
    configFile,
    telemetryUrl: `http://127.0.0.1:${telemetry}`,
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

function start(words: readonly string[]) {
  const child = spawn(process.execPath, words, {
    cwd: ROOT,
    uid,
    gid,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  return {
    said: () => said,
    ended: once(child, 'close').then(() => child.exitCode ?? child.signalCode),
    stop: () => child.kill('SIGTERM'),
  }
}

// only root can be another user
test.skipIf(process.getuid?.() !== 0)(
  'runs as its user, also a second time, and refuses a store that its group could write to',
  async ({ skip }) => {
    const canRun =
      spawnSync(process.execPath, [command[1] ?? '', '--version'], { cwd: ROOT, uid, gid }).status === 0
    if (!canRun) skip(`user ${uid} cannot read this checkout`)
    using pod = await laidOut()
    for (const _ of ['first', 'second']) {
      const daemon = start(pod.words)
      try {
        const alive = await until(
          'health',
          async () => {
            const { status } = await page(`${pod.telemetryUrl}${livenessProbe.httpGet.path}`)
            return status === 0 ? undefined : status
          },
          30,
        )
        expect(alive).toBe(200)
      } finally {
        daemon.stop()
      }
      expect(await daemon.ended).toBe(0)
      expect(daemon.said()).not.toContain('other users')
    }
    writeFileSync(pod.configFile, readFileSync(pod.configFile, 'utf8').replace('/dormouse/data', '/dormouse'))
    const refused = start(pod.words)
    expect(await refused.ended).not.toBe(0)
    expect(refused.said()).toContain('other users can write to the folder')
  },
)
