// The compute that a client names, in its host name or the start-up option `options`.

/** A compute, or its pooler. */
export type Target = Readonly<{ endpointId: string; pooled: boolean }>

const POOLER = '-pooler'

/** `ep-…` is the compute itself, `ep-…-pooler` its pooler. */
export const targetOf = (name: string): Target =>
  name.endsWith(POOLER)
    ? { endpointId: name.slice(0, -POOLER.length), pooled: true }
    : { endpointId: name, pooled: false }

/** Target of a host name `ep-….SUFFIX`; undefined for others. */
export function targetOfHost(host: string | undefined, suffix: string): Target | undefined {
  if (!host?.endsWith(`.${suffix}`)) return undefined
  const name = host.slice(0, -suffix.length - 1)
  return /^ep-[a-z0-9-]{1,57}$/.test(name) ? targetOf(name) : undefined
}

/** The compute named, and the parameters for its server. */
export type Route = Readonly<{ endpointId: string | undefined; parameters: ReadonlyMap<string, string> }>

/** Takes `endpoint=ep-…` out of the start-up option `options`. */
export function routeOf(parameters: ReadonlyMap<string, string>): Route {
  const words = wordsOf(parameters.get('options') ?? '')
  const endpointId = words.map(endpointIn).findLast((name) => name !== undefined)
  if (endpointId === undefined) return { endpointId: undefined, parameters }
  const others = words.filter((word) => endpointIn(word) === undefined)
  const rest = new Map([...parameters].filter(([name]) => name !== 'options'))
  if (others.length > 0) rest.set('options', others.join(' '))
  return { endpointId, parameters: rest }
}

/** A backslash escapes the next character, also a space; it stays. */
const wordsOf = (options: string) => options.match(/(?:\\[^]|[^\s\\])+/g) ?? []

/** Accepts `%3D`, too: some clients pass on a URI's option without decoding it. */
const endpointIn = (word: string) => /^endpoint(?:=|%3D)([a-z0-9-]{1,60})$/i.exec(word)?.[1]?.toLowerCase()
