// The exit of every text that others wrote: what events, status, metrics, pages, reports and the store show of a sweep has passed here.
import type { Sweep } from '../../model/observation.ts'
import type { Ports } from '../../model/ports/ports.ts'

/** Keys of texts that others chose. Ids and hosts stay, because they are asked for again. */
const TEXTS: ReadonlySet<string> = new Set([
  'name',
  'where',
  'message',
  'missing',
  'application',
  'user',
  'database',
])

/** Without known secrets; an unchanged part stays the same object, as caches go by identity. */
export const redactSweep = (sweep: Sweep, { redact }: Pick<Ports, 'redact'>): Sweep => ({
  ...sweep,
  projects: withoutSecrets(sweep.projects, redact),
  looks: withoutSecrets(sweep.looks, redact),
  readings: withoutSecrets(sweep.readings, redact),
  problems: withoutSecrets(sweep.problems, redact),
})

function withoutSecrets<Part>(part: Part, redact: Ports['redact']): Part {
  if (typeof part !== 'object' || part === null) return part
  const shown = Object.entries(part).map(([key, inner]: [string, unknown]) => {
    const isText = typeof inner === 'string' && TEXTS.has(key)
    return [key, isText ? redact(inner) : withoutSecrets(inner, redact)] as const
  })
  if (shown.every(([key, inner]) => inner === Reflect.get(part, key))) return part
  return (Array.isArray(part) ? shown.map(([, inner]) => inner) : Object.fromEntries(shown)) as Part
}
