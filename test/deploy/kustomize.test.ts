import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { BOARDS } from '../../dashboards/boards/boards.ts'
import { ROOT } from '../support/generate.ts'
import { isInstalled } from '../support/programs.ts'
import { DEPLOY } from './form.ts'
import { resourceProblems, type Resource } from './official.ts'

const KUBERNETES = join(DEPLOY, 'kubernetes')

type Pod = {
  readonly containers: readonly { readonly image: string }[]
  readonly volumes: readonly { readonly configMap?: { readonly name: string } }[]
}

/** What kustomize makes of a folder. */
const built = (folder: string): readonly Resource[] => {
  const { stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], {
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  })
  expect(stderr).toBe('')
  return parseAllDocuments(stdout, { version: '1.1' }).map((document) => document.toJS() as Resource)
}

/** Images of the containers of Dormouse, and names of configurations that pods use and that exist. */
const used = (resources: readonly Resource[]) => {
  const pods = resources.flatMap((resource) =>
    resource.kind === 'Deployment'
      ? [(resource as Resource & { spec: { template: { spec: Pod } } }).spec.template.spec]
      : [],
  )
  const maps = resources.filter(({ kind }) => kind === 'ConfigMap') as (Resource & {
    metadata: { name: string }
  })[]
  return {
    images: pods.flatMap(({ containers }) => containers.map(({ image }) => image)),
    configurations: pods.flatMap(({ volumes }) => volumes.flatMap(({ configMap }) => configMap?.name ?? [])),
    existing: maps.map(({ metadata }) => metadata.name),
  }
}

const temporaryFolder = (): Disposable & { readonly path: string } => {
  const path = mkdtempSync(join(tmpdir(), 'dormouse-kustomize-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** The kustomization in the README that names `resource`, for a folder. */
function exampleWith(resource: string, folder: string): string {
  const examples = readFileSync(join(DEPLOY, 'README.md'), 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)
  const texts = [...examples].map(([, text = '']) => text)
  const example = texts.find((text) => text.includes(resource)) ?? ''
  return example.replaceAll('dormouse/config/deploy', relative(folder, DEPLOY))
}

/** A Deployment of an application. */
const application = (name: string, labels: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels },
  spec: {
    selector: { matchLabels: { app: name } },
    replicas: 1,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        securityContext: { fsGroup: 1000 },
        containers: [{ name, image: name }],
        volumes: [{ name: 'own', emptyDir: {} }],
      },
    },
  },
})

// Debian has no kubectl that knows components: without one these are skipped, also with CI=true
describe.skipIf(!isInstalled('kubectl'))('kubectl kustomize', () => {
  /** The annotation in which `kubectl apply` keeps what it applied, bytes. Source: validation of annotations in Kubernetes. */
  const MOST_ANNOTATION = 256 * 1024

  const version = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string })
    .version

  const expectSound = async (resources: readonly Resource[]) => {
    expect((await Promise.all(resources.map(resourceProblems))).flat()).toEqual([])
    for (const resource of resources) expect(JSON.stringify(resource).length).toBeLessThan(MOST_ANNOTATION)
  }

  test('makes a pod of its own of the base', async () => {
    const resources = built(join(KUBERNETES, 'base'))
    await expectSound(resources)
    const { images, configurations, existing } = used(resources)
    expect(images).toEqual([`dormouse:${version}`])
    expect(configurations).toEqual(existing)
    expect(resources.map(({ kind }) => kind).toSorted()).toEqual([
      'ConfigMap',
      'Deployment',
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'ServiceAccount',
    ])
  })

  test('makes the PodMonitor, the rules and a small enough ConfigMap for each board', async () => {
    const resources = built(join(KUBERNETES, 'monitoring'))
    await expectSound(resources)
    expect(resources.filter(({ kind }) => kind === 'ConfigMap')).toHaveLength(BOARDS.length)
  })

  test('makes what the README says of a kustomization of your own', async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, 'kustomization.yaml'), exampleWith('kubernetes/base', folder.path))
    writeFileSync(join(folder.path, 'dormouse.yaml'), 'mode: observe')
    const resources = built(folder.path)
    await expectSound(resources)
    const { images, configurations } = used(resources)
    expect(images).toEqual([`your-registry.example/dormouse:${version}`])
    expect(resources).toContainEqual(
      expect.objectContaining({
        data: { 'dormouse.yaml': 'mode: observe' },
        metadata: expect.objectContaining({ name: configurations[0], namespace: 'dormouse' }) as object,
      }),
    )
  })

  test('adds a container to the Deployment of an application that asks for it, and to no other', async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, 'with.yaml'), stringify(application('with', { dormouse: 'sidecar' })))
    writeFileSync(join(folder.path, 'without.yaml'), stringify(application('without', {})))
    writeFileSync(
      join(folder.path, 'kustomization.yaml'),
      stringify({
        resources: ['with.yaml', 'without.yaml'],
        ...(parse(exampleWith('kubernetes/sidecar', folder.path)) as object),
      }),
    )
    writeFileSync(join(folder.path, 'dormouse.yaml'), 'mode: observe')
    const resources = built(folder.path)
    await expectSound(resources)
    const { images, configurations, existing } = used(resources)
    expect(images).toEqual([`your-registry.example/dormouse:${version}`, 'with', 'without'])
    expect(configurations).toEqual(existing)
    expect(resources).toContainEqual(
      expect.objectContaining({ kind: 'ConfigMap', data: { 'dormouse.yaml': 'mode: observe' } }),
    )
    expect(resources).toContainEqual(application('without', {}))
    const before = application('with', { dormouse: 'sidecar' })
    expect(resources).toContainEqual({
      ...before,
      spec: {
        ...before.spec,
        strategy: { type: 'Recreate' },
        template: {
          metadata: { labels: { app: 'with', dormouse: 'daemon' } },
          spec: {
            ...before.spec.template.spec,
            containers: [
              expect.objectContaining({ name: 'dormouse' }),
              ...before.spec.template.spec.containers,
            ],
            volumes: expect.arrayContaining(before.spec.template.spec.volumes) as object,
          },
        },
      },
    })
  })
})
