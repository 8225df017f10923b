import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { BOARDS, boardFileOf } from '../../dashboards/boards/boards.ts'
import { alertName, RULE_GROUPS } from '../../dashboards/rules/rules.ts'
import { ROOT } from '../support/generate.ts'
import { DEPLOY, formProblems, IMAGE, type Form } from './form.ts'
import { resourceProblems, type Resource } from './official.ts'

const KUBERNETES = join(DEPLOY, 'kubernetes')

type Port = { readonly name: string; readonly containerPort: number }
type Probe = { readonly httpGet: { readonly path: string; readonly port: string } }
type Container = {
  readonly name: string
  readonly command: readonly string[]
  readonly env?: readonly { readonly name: string; readonly valueFrom: object }[]
  readonly ports: readonly Port[]
  readonly startupProbe: Probe
  readonly livenessProbe: Probe
  readonly readinessProbe?: Probe
  readonly resources: Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}
type SecretFiles = { readonly optional?: boolean; readonly items: readonly { readonly path: string }[] }
type Volume = {
  readonly name: string
  readonly configMap?: { readonly name: string }
  readonly projected?: { readonly sources: readonly { readonly secret: SecretFiles }[] }
  readonly persistentVolumeClaim?: object
}
type Pod = {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> }
  readonly spec: { readonly containers: readonly Container[]; readonly volumes: readonly Volume[] }
}
type Deployment = Resource & { readonly spec: { readonly template: Pod } }

const textOf = (path: string): string => readFileSync(join(KUBERNETES, path), 'utf8')

/** As Kubernetes reads YAML, where `0400` and `yes` differ from newer versions. */
const read = (text: string): unknown => parse(text, { version: '1.1' })

/** The container of Dormouse in a pod, by the text of its Deployment and of its configuration, and of what must reach it. */
function formOf(deployment: string, config: string): Form {
  const { spec } = (read(deployment) as Deployment).spec.template
  const container = spec.containers.find(({ name }) => name === 'dormouse')
  if (!container) throw new Error('expected a container dormouse')
  const { ports, command, env = [], startupProbe, livenessProbe, readinessProbe, volumeMounts } = container
  const mounts = volumeMounts.map(({ name, mountPath }) => ({
    mountPath,
    volume: spec.volumes.find((volume) => volume.name === name),
  }))
  const probes = [startupProbe, livenessProbe, ...(readinessProbe ? [readinessProbe] : [])]
  const named = [...probes.map(({ httpGet }) => httpGet.port), ...portsFromOutside()]
  return {
    config,
    command,
    variables: env.map(({ name }) => name),
    files: mounts.flatMap(({ mountPath, volume }) => [
      ...(volume?.configMap ? [join(mountPath, 'dormouse.yaml')] : []),
      ...(volume?.projected?.sources ?? []).flatMap(({ secret }) =>
        secret.items.map(({ path }) => join(mountPath, path)),
      ),
    ]),
    folders: mounts.flatMap(({ mountPath, volume }) => (volume?.persistentVolumeClaim ? [mountPath] : [])),
    ports: named.map((name) => ports.find((port) => port.name === name)?.containerPort ?? NaN),
    paths: [...probes.map(({ httpGet }) => httpGet.path), ...endpoints().map(({ path }) => path)],
  }
}

type PodMonitor = {
  readonly spec: {
    readonly selector: { readonly matchLabels: object }
    readonly podMetricsEndpoints: readonly {
      readonly port: string
      readonly path: string
      readonly relabelings: readonly object[]
    }[]
  }
}
const podMonitor = () => read(textOf('monitoring/pod-monitor.yaml')) as PodMonitor
const endpoints = () => podMonitor().spec.podMetricsEndpoints

type NetworkPolicy = {
  readonly spec: { readonly ingress: readonly { readonly ports: readonly { readonly port: string }[] }[] }
}
/** Names of ports that the PodMonitor and the NetworkPolicy use. */
const portsFromOutside = (): readonly string[] => [
  ...endpoints().map(({ port }) => port),
  ...(read(textOf('base/network-policy.yaml')) as NetworkPolicy).spec.ingress.flatMap(({ ports }) =>
    ports.map(({ port }) => port),
  ),
]

const FORMS = [
  ['a pod of its own', 'base/deployment.yaml', 'base/dormouse.yaml'],
  ['a sidecar', 'sidecar/container.yaml', 'sidecar/dormouse.yaml'],
] as const

const deployments = FORMS.map(([, deployment]) => read(textOf(deployment)) as Deployment)

/** Every resource by its path; the patch of the sidecar lacks only a selector, which the application's Deployment has. */
const RESOURCES = globSync('**/*.yaml', { cwd: KUBERNETES })
  .map((path) => [path, read(textOf(path)) as Resource] as const)
  .filter(([, { kind }]) => kind !== undefined && kind !== 'Kustomization' && kind !== 'Component')

test.each(RESOURCES)('%s is what the schema of its kind allows', async (path, resource) => {
  const { spec, ...rest } = resource as Resource & { spec?: object }
  const whole = path.startsWith('sidecar/') ? { ...rest, spec: { selector: {}, ...spec } } : resource
  expect(await resourceProblems(whole)).toEqual([])
})

test.each([
  ['a key that no kind has', 'livenessProbe:', 'livenesProbe:', 'unknown key'],
  ['a wrong type', 'replicas: 1', 'replicas: one', 'must be'],
  ['a key of another place', 'fsGroup: 65532', 'readOnlyRootFilesystem: true', 'unknown key'],
])('the schema refuses %s', async (_, shipped, wrong, problem) => {
  const text = textOf('base/deployment.yaml')
  expect(text).toContain(shipped)
  const problems = await resourceProblems(read(text.replace(shipped, wrong)) as Resource)
  expect(problems.join('\n')).toContain(problem)
})

describe.each(FORMS)('%s', (_, deployment, config) => {
  test('has only settings that the program knows', () => {
    expect(formProblems(formOf(textOf(deployment), textOf(config)))).toEqual([])
  })

  test.each([
    ['another port', 'containerPort: 9477', 'containerPort: 9478'],
    ['a port without a name', 'name: telemetry', 'name: metrics'],
    ['another path of health', '/-/healthy', '/-/alive'],
    ['another file', '--config, /etc/dormouse/', '--config, /etc/'],
    ['another command', 'run, --config', 'start, --config'],
    ['another place of the volume', 'mountPath: /var/lib/dormouse', 'mountPath: /data'],
  ])('%s is noticed', (__, shipped, wrong) => {
    const text = textOf(deployment)
    expect(text).toContain(shipped)
    expect(formProblems(formOf(text.replace(shipped, wrong), textOf(config)))).not.toEqual([])
  })

  test.each([
    ['another port', '0.0.0.0:9477', '0.0.0.0:9478'],
    ['the loopback', '0.0.0.0:9477', '127.0.0.1:9477'],
    ['another folder', '/var/lib/dormouse/data', '/tmp/store'],
    ['an unknown key', 'store:', 'stores:'],
    ['a plan of nobody', 'base_url: https', 'base_url: ftp'],
  ])('%s in the configuration is noticed', (__, shipped, wrong) => {
    const text = textOf(config)
    expect(text).toContain(shipped)
    expect(formProblems(formOf(textOf(deployment), text.replace(shipped, wrong)))).not.toEqual([])
  })

  test('keeps its data in the volume of the image', () => {
    expect(formOf(textOf(deployment), textOf(config)).folders).toEqual(IMAGE?.volumes)
  })

  test('runs without rights', () => {
    const [user, group] = IMAGE?.user?.split(':') ?? []
    const { spec } = (read(textOf(deployment)) as Deployment).spec.template
    const container = spec.containers.find(({ name }) => name === 'dormouse')
    const { securityContext } = spec as { securityContext?: object }
    expect({ ...securityContext, ...(container as { securityContext?: object }).securityContext }).toEqual({
      runAsNonRoot: true,
      runAsUser: Number(user),
      runAsGroup: Number(group),
      // the group of a sidecar's volume is the application's matter
      ...(deployment === FORMS[0][1]
        ? { fsGroup: Number(group), fsGroupChangePolicy: 'OnRootMismatch' }
        : {}),
      seccompProfile: { type: 'RuntimeDefault' },
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })
})

test('a pod of its own has no token of the cluster, and its account no rights', () => {
  const { template } = (read(textOf('base/deployment.yaml')) as Deployment).spec
  expect(template.spec).toMatchObject({
    serviceAccountName: 'dormouse',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
  })
  expect(read(textOf('base/service-account.yaml'))).toMatchObject({ automountServiceAccountToken: false })
  expect(RESOURCES.map(([, { kind }]) => kind).filter((kind) => /Role|Binding/.test(kind))).toEqual([])
})

test('only Prometheus reaches a pod of its own, and only at telemetry; it reaches names, HTTPS and Postgres', () => {
  const { spec } = read(textOf('base/network-policy.yaml')) as { spec: object }
  const { metadata } = (read(textOf('base/deployment.yaml')) as Deployment).spec.template
  expect(spec).toEqual({
    podSelector: { matchLabels: { 'app.kubernetes.io/name': metadata.labels['app.kubernetes.io/name'] } },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      {
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
        ports: [{ protocol: 'TCP', port: 'telemetry' }],
      },
    ],
    egress: [
      {
        ports: [{ protocol: 'UDP', port: 53 }, ...[53, 443, 5432].map((port) => ({ protocol: 'TCP', port }))],
      },
    ],
  })
})

/** Dormouse works without readings, and a pod does not start while a key is missing that is not optional. */
const optional = (key = '') => (key === 'postgres-password' ? { optional: true } : {})

test('both forms take from the Secret what the README puts into it, the password if it is there, and the claim that exists', () => {
  const command = /create secret generic (\w+) (.*)$/m.exec(readFileSync(join(DEPLOY, 'README.md'), 'utf8'))
  const keys = [...(command?.[2] ?? '').matchAll(/--from-file=(\S+)/g)].map(([, key]) => key)
  const [own, sidecar] = deployments.map(({ spec }) => spec.template.spec)
  const name = command?.[1]
  expect(own?.volumes.flatMap(({ projected }) => projected ?? [])).toEqual([
    {
      defaultMode: 0o400,
      sources: keys.map((key) => ({ secret: { name, ...optional(key), items: [{ key, path: key }] } })),
    },
  ])
  expect(sidecar?.containers[0]?.env?.map(({ valueFrom }) => valueFrom)).toEqual(
    keys.map((key) => ({ secretKeyRef: { name, key, ...optional(key) } })),
  )
  const { metadata } = read(textOf('storage/volume-claim.yaml')) as { metadata: { name: string } }
  for (const pod of [own, sidecar])
    expect(pod?.volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim ?? [])).toEqual([
      { claimName: metadata.name },
    ])
})

test('a secret that the configuration names and nobody mounts is noticed', () => {
  const [, deployment, config] = FORMS[0]
  const text = textOf(deployment).replace('path: api-key', 'path: key')
  expect(formProblems(formOf(text, textOf(config)))).toEqual([
    'the configuration names /run/secrets/dormouse/api-key: no such file',
  ])
})

test('a variable that nothing reads, and one that is missing, are noticed', () => {
  const [, deployment, config] = FORMS[1]
  const text = textOf(deployment).replace('name: DORMOUSE_API_KEY', 'name: DORMOUSE_KEY')
  expect(formProblems(formOf(text, textOf(config)))).toEqual([
    'the configuration names DORMOUSE_API_KEY: it is not set',
    'nothing reads the variable DORMOUSE_KEY',
  ])
})

test('a sidecar takes no part in the readiness of the application, and shows nothing to it', () => {
  const [, deployment, config] = FORMS[1]
  expect(textOf(deployment)).not.toMatch(/^ +readinessProbe:/m)
  expect(parse(textOf(config))).toMatchObject({ server: { open: false } })
})

test('the PodMonitor finds both forms under the job that the rules are about', () => {
  const { selector, podMetricsEndpoints } = podMonitor().spec
  for (const { spec } of deployments)
    expect(spec.template.metadata.labels).toMatchObject(selector.matchLabels)
  const job = /up\{job="(\w+)"\}/.exec(textOf('monitoring/prometheus-rule.yaml'))?.[1]
  expect(podMetricsEndpoints.map(({ relabelings }) => relabelings)).toEqual([
    [{ action: 'replace', targetLabel: 'job', replacement: job }],
  ])
})

test('the PrometheusRule has every alert, the ConfigMaps every board', () => {
  const names = [...textOf('monitoring/prometheus-rule.yaml').matchAll(/alert: (\w+)/g)].map(
    ([, name]) => name,
  )
  expect(names).toEqual(RULE_GROUPS.flatMap(({ rules }) => rules.map(alertName)))
  const { configMapGenerator } = read(readFileSync(join(ROOT, 'dashboards/kustomization.yaml'), 'utf8')) as {
    configMapGenerator: { files: string[] }[]
  }
  expect(configMapGenerator.flatMap(({ files }) => files)).toEqual(
    BOARDS.map((board) => basename(boardFileOf(board))),
  )
})
