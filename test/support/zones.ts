import { createZone, type Zone } from '../../src/calendar/zone.ts'
import { instant, type Instant } from '../../src/model/units.ts'

export function zoneOf(name: string): Zone {
  const zone = createZone(name)
  if (!zone.ok) throw new Error(zone.error)
  return zone.value
}

export const at = (iso: string): Instant => instant(Date.parse(iso))
