// Windows out of text, and intervals as text.
import { parseCron } from '../../src/calendar/cron.ts'
import { oneOffRecurrence, type Recurrence } from '../../src/calendar/window.ts'
import { parseDate, parseLocalDateTime } from '../../src/calendar/local-time.ts'
import { createWindow, type Window } from '../../src/calendar/window.ts'
import { parseWeekly } from '../../src/calendar/window-text.ts'
import type { Result } from '../../src/std/result.ts'
import { toIso } from '../../src/model/time.ts'
import { millis, type Interval } from '../../src/model/units.ts'
import { zoneOf } from '../support/zones.ts'

export function value<Value>(result: Result<Value, unknown> | undefined): Value {
  if (!result?.ok) throw new Error(`refused: ${JSON.stringify(result?.error)}`)
  return result.value
}

const need = <Value>(given: Value | undefined): Value => {
  if (given === undefined) throw new Error('no such day')
  return given
}

export const weekly = (text: string, zone = 'Europe/Berlin', except: readonly string[] = []): Recurrence => ({
  kind: 'weekly',
  ...value(parseWeekly(text)),
  except: new Set(except.map((date) => need(parseDate(date)))),
  zone: zoneOf(zone),
})

export const cron = (text: string, hours: number, zone = 'Europe/Berlin'): Recurrence => ({
  kind: 'cron',
  cron: value(parseCron(text)),
  duration: millis(hours * 3_600_000),
  except: new Set(),
  zone: zoneOf(zone),
})

export const fromTo = (from: string, to: string, zone = 'Europe/Berlin'): Recurrence =>
  oneOffRecurrence(zoneOf(zone), { from: need(parseLocalDateTime(from)), to: need(parseLocalDateTime(to)) })

export const windowOf = (...rules: readonly Recurrence[]): Window => createWindow(rules)

export const shown = (one: Interval | undefined): string | undefined =>
  one && `${toIso(one.from)} ${toIso(one.to)}`
