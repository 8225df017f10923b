// Which names of zones are taken: those of the IANA database, which say where they hold.
import { failed, ok, type Result } from '../std/result.ts'

/** Several countries use most of these, and `EST` of the database never has summer time: what was probably meant. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  ACST: ['Australia/Adelaide', 'Australia/Darwin'],
  AEDT: ['Australia/Sydney'],
  AEST: ['Australia/Sydney', 'Australia/Brisbane'],
  AKST: ['America/Anchorage'],
  ART: ['America/Argentina/Buenos_Aires'],
  AST: ['America/Halifax', 'America/Puerto_Rico', 'Asia/Riyadh'],
  AWST: ['Australia/Perth'],
  BRT: ['America/Sao_Paulo'],
  BST: ['Europe/London', 'Asia/Dhaka'],
  CDT: ['America/Chicago', 'America/Havana'],
  CEST: ['Europe/Berlin', 'Europe/Paris'],
  CET: ['Europe/Berlin', 'Europe/Paris'],
  CST: ['America/Chicago', 'Asia/Shanghai', 'America/Havana'],
  CST6CDT: ['America/Chicago'],
  EAT: ['Africa/Nairobi'],
  EDT: ['America/New_York'],
  EEST: ['Europe/Helsinki', 'Europe/Athens'],
  EET: ['Europe/Helsinki', 'Europe/Athens'],
  EST: ['America/New_York', 'America/Panama'],
  EST5EDT: ['America/New_York'],
  GMT: ['UTC', 'Europe/London'],
  HKT: ['Asia/Hong_Kong'],
  HST: ['Pacific/Honolulu'],
  ICT: ['Asia/Bangkok'],
  IST: ['Asia/Kolkata', 'Europe/Dublin', 'Asia/Jerusalem'],
  JST: ['Asia/Tokyo'],
  KST: ['Asia/Seoul'],
  MDT: ['America/Denver'],
  MET: ['Europe/Berlin', 'Europe/Paris'],
  MEZ: ['Europe/Berlin', 'Europe/Vienna', 'Europe/Zurich'],
  MSK: ['Europe/Moscow'],
  MST: ['America/Denver', 'America/Phoenix'],
  MST7MDT: ['America/Denver'],
  NZDT: ['Pacific/Auckland'],
  NZST: ['Pacific/Auckland'],
  PDT: ['America/Los_Angeles'],
  PKT: ['Asia/Karachi'],
  PST: ['America/Los_Angeles', 'Asia/Manila'],
  PST8PDT: ['America/Los_Angeles'],
  SAST: ['Africa/Johannesburg'],
  SGT: ['Asia/Singapore'],
  WAT: ['Africa/Lagos'],
  WEST: ['Europe/Lisbon'],
  WET: ['Europe/Lisbon'],
  WIB: ['Asia/Jakarta'],
  Z: ['UTC'],
}

const EXAMPLE = 'expected an IANA name such as Europe/Berlin'

/**
 * A name of the form `Area/City` that is in the IANA database, or `UTC`. Names without an area are abbreviations and old
 * names of countries; each is refused with what was probably meant. `Etc/GMT+5` is five hours *behind* UTC, and taken.
 */
export function resolveZoneName(name: string): Result<string, string> {
  const current = name.includes('/') || name === 'UTC' ? canonical(name) : undefined
  // an old name such as Asia/Calcutta stays as it is written; of letters the database has the last word
  if (current !== undefined) return ok(current.toLowerCase() === name.toLowerCase() ? current : name)
  if (/^(UTC|GMT)?[+-]?\d/i.test(name))
    return failed(`${name} is a fixed offset, which ignores summer time: ${EXAMPLE}`)
  const meant = meantBy(name)
  return failed(meant.length === 0 ? EXAMPLE : `expected an IANA name, did you mean ${either(meant)}?`)
}

function meantBy(name: string): readonly string[] {
  const known = MEANT[name.toUpperCase()]
  if (known) return known
  const current = canonical(name)
  return current === undefined ? placesCalled(name) : [current]
}

/** The name that `name` stands for; undefined when there is no such zone. */
function canonical(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Zones whose last part is `name`: `berlin`, `Sao Paulo`, `Europe/New York`. */
const placesCalled = (name: string): readonly string[] =>
  Intl.supportedValuesOf('timeZone').filter((zone) => placeOf(zone) === placeOf(name))

const placeOf = (name: string): string =>
  (name.split('/').at(-1) ?? '').trim().replaceAll(' ', '_').toLowerCase()

const either = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
