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
