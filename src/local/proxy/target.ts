/** What a client named: a compute, or the pooler in front of it. */
export type Target = { readonly endpointId: string; readonly pooled: boolean }

const POOLER = '-pooler'

/** `ep-…` is the compute itself, `ep-…-pooler` its pooler. */
export const targetOf = (name: string): Target =>
  name.endsWith(POOLER)
    ? { endpointId: name.slice(0, -POOLER.length), pooled: true }
    : { endpointId: name, pooled: false }

/** The target of a host name `ep-….SUFFIX`; undefined for any other name. */
export function targetOfHost(host: string | undefined, suffix: string): Target | undefined {
  if (!host?.endsWith(`.${suffix}`)) return undefined
  const name = host.slice(0, -suffix.length - 1)
  return /^ep-[a-z0-9-]{1,57}$/.test(name) ? targetOf(name) : undefined
}

/** Which compute a client wants, and the parameters its server is to see. */
export type Route = {
  readonly endpointId: string | undefined
  readonly parameters: ReadonlyMap<string, string>
}

/** Takes `endpoint=ep-…` out of the start-up option `options`; what else is in there goes on to the server. */
export function routeOf(parameters: ReadonlyMap<string, string>): Route {
  const words = wordsOf(parameters.get('options') ?? '')
  const wanted = words.map(endpointIn).findLast((endpointId) => endpointId !== undefined)
  if (wanted === undefined) return { endpointId: undefined, parameters }
  const others = words.filter((word) => endpointIn(word) === undefined)
  const rest = new Map([...parameters].filter(([name]) => name !== 'options'))
  if (others.length > 0) rest.set('options', others.join(' '))
  return { endpointId: wanted, parameters: rest }
}

/** Words between spaces; a backslash keeps the next character, spaces included, and stays for the server to see. */
const wordsOf = (options: string): string[] => options.match(/(?:\\[^]|[^\s\\])+/g) ?? []

/** `endpoint=ep-…`, the sign also as `%3D`: some clients pass a URI's option on without decoding it. */
const endpointIn = (word: string): string | undefined =>
  /^endpoint(?:=|%3D)([a-z0-9-]{1,60})$/i.exec(word)?.[1]?.toLowerCase()
