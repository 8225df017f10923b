// Only names of the IANA database are accepted: they say where they hold.
import { failed, ok, type Result } from '../std/result.ts'

/** Abbreviation → names it probably stands for: most have several, and `EST` of the database never has summer time. */
const LIKELY_NAMES: Readonly<Record<string, readonly string[]>> = {
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

export const UTC = 'UTC'

const EXAMPLE = 'expected an IANA name such as Europe/Berlin'

/** Accepts `UTC` and IANA names, also `Etc/GMT+5`, five hours *behind* UTC. Others are refused with those probably meant. */
export function resolveZoneName(name: string): Result<string, string> {
  if (name === UTC) return ok(UTC)
  const current = name.includes('/') ? canonical(name) : undefined
  // an old name such as Asia/Calcutta stays; upper and lower case follow the database
  if (current !== undefined) return ok(current.toLowerCase() === name.toLowerCase() ? current : name)
  if (/^(UTC|GMT)?[+-]?\d/i.test(name))
    return failed(`${name} is a fixed offset, which ignores summer time: ${EXAMPLE}`)
  const likely = likelyNames(name)
  return failed(likely.length === 0 ? EXAMPLE : `expected an IANA name, did you mean ${joinWithOr(likely)}?`)
}

function likelyNames(name: string) {
  const listed = LIKELY_NAMES[name.toUpperCase()]
  if (listed) return listed
  const current = canonical(name)
  return current === undefined ? zonesOfCity(name) : [current]
}

function canonical(name: string) {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Zones with the last part of `name`: `berlin`, `Sao Paulo`, `Europe/New York`. */
const zonesOfCity = (name: string) =>
  Intl.supportedValuesOf('timeZone').filter((zone) => cityOf(zone) === cityOf(name))

const cityOf = (name: string) => (name.split('/').at(-1) ?? '').trim().replaceAll(' ', '_').toLowerCase()

const joinWithOr = (names: readonly string[]) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
