// Which hosts of the service's records Dormouse connects to, and names to Prometheus. The service writes the record, so its host is a claim.

/** Names and IP addresses. A name stands for all names below it, `localhost` also for the addresses 127.x.x.x. */
export type AllowedHosts = readonly string[]

export const HOST_NOT_ALLOWED = 'host-not-allowed: the host of its record is not in reading.hosts'

const MAX_HOST_LENGTH = 253
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/
const THIS_MACHINE = 'localhost'

/** Labels of the default domain: `neon.tech` for `console.neon.tech`. */
const DOMAIN_LABELS = 2

/** At most 253 characters in labels of 1 to 63 `a-z0-9-`. */
export const isHostName = (text: string): boolean =>
  text.length <= MAX_HOST_LENGTH && text.split('.').every((label) => LABEL.test(label))

const isLoopbackAddress = (host: string): boolean => IPV4.test(host) && host.startsWith('127.')

export const isHostAllowed = (host: string, allowed: AllowedHosts): boolean =>
  isHostName(host) &&
  allowed.some(
    (name) =>
      host === name ||
      (!IPV4.test(name) && host.endsWith(`.${name}`)) ||
      (name === THIS_MACHINE && isLoopbackAddress(host)),
  )

/** Domain of the service's own address; only this machine where the service is on it. */
export function defaultHosts(baseUrl: string): AllowedHosts {
  const { hostname } = new URL(baseUrl)
  const isHere = hostname === '[::1]' || isHostAllowed(hostname, [THIS_MACHINE])
  if (isHere) return [THIS_MACHINE]
  return [IPV4.test(hostname) ? hostname : hostname.split('.').slice(-DOMAIN_LABELS).join('.')]
}
