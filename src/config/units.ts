import { number, string, union } from 'zod'
import { fromIso } from '../model/time.ts'
import { micros, seconds, type Instant, type Micros, type Seconds } from '../model/units.ts'
import { isLoopbackHost } from '../std/unencrypted.ts'

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/
const SECONDS_PER = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }

/** `500ms`, `60s`, `5m`, `1h`, `7d`; undefined for anything else. */
export function parseDuration(text: string): Seconds | undefined {
  const [, amount, unit] = DURATION.exec(text) ?? []
  if (amount === undefined || unit === undefined) return undefined
  return seconds(Number(amount) * SECONDS_PER[unit as keyof typeof SECONDS_PER])
}

/** The shortest: `5m`, not `300s`. */
export function durationText(span: Seconds): string {
  if (span === 0) return '0s'
  if (span < 1) return `${Math.round(span * 1000)}ms`
  const units = (['d', 'h', 'm'] as const).filter((unit) => span % SECONDS_PER[unit] === 0)
  const [unit = 's'] = units
  return `${span / SECONDS_PER[unit]}${unit}`
}

const NO_DURATION = 'expected a length of time such as 500ms, 60s, 5m, 1h or 7d'

/** `min` and `max` are allowed. */
export function durationSchema({ min, max }: Readonly<{ min?: string; max: string }>) {
  const least = parseDuration(min ?? '') ?? 0
  const most = parseDuration(max) ?? 0
  const allowed = min === undefined ? `at most ${max}` : `${min} to ${max}`
  return string(NO_DURATION)
    .regex(DURATION, { error: NO_DURATION, abort: true })
    .refine((text) => (parseDuration(text) ?? 0) >= least && (parseDuration(text) ?? 0) <= most, {
      error: `expected a length of time of ${allowed}`,
    })
    .transform((text) => parseDuration(text) ?? seconds(0))
}

const AMOUNT = /^\d{1,9}(\.\d{1,6})?$/

/** `0.106` → 106,000 micros, by its digits, so that no binary fraction is rounded. */
export function parseMoney(text: string): Micros | undefined {
  if (!AMOUNT.test(text)) return undefined
  const [whole = '', fraction = ''] = text.split('.')
  return micros(Number(whole + fraction.padEnd(6, '0')))
}

const NO_AMOUNT = 'expected an amount of at least 0 with at most 6 decimals, such as 0.106'

/** A number or a text. */
export const moneySchema = union([number(), string()], NO_AMOUNT)
  .refine((amount) => parseMoney(String(amount)) !== undefined, NO_AMOUNT)
  .meta({ examples: [0.106] })
  .transform((amount) => parseMoney(String(amount)) ?? micros(0))

type HostAndPort = Readonly<{ host: string; port: number }>

/** `127.0.0.1:9478`, `localhost:0`, `[::1]:9478`. The host comes without brackets. */
export function parseAddress(text: string): HostAndPort | undefined {
  const [, six, other, port] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? []
  const host = six ?? other
  if (host === undefined || port === undefined || Number(port) > 65_535) return undefined
  return { host, port: Number(port) }
}

export const addressText = ({ host, port }: HostAndPort): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

const NO_ADDRESS = 'expected host:port with a port of 0 to 65535, an IPv6 host in brackets'

/** Port 0 takes any free one. */
export const addressSchema = string(NO_ADDRESS)
  .refine((text) => parseAddress(text) !== undefined, NO_ADDRESS)
  .transform((text) => parseAddress(text) ?? { host: '', port: 0 })

export const isLoopback = ({ host }: HostAndPort): boolean => isLoopbackHost(host)

/** Beginning of `2026-03-01` in UTC. */
export const parseDay = (text: string): Instant | undefined =>
  /^\d{4}-\d\d-\d\d$/.test(text) ? fromIso(`${text}T00:00:00Z`) : undefined
