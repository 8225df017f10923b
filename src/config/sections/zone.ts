import { string } from 'zod'
import { createZone } from '../../calendar/zone.ts'
import { failed } from '../../std/result.ts'
import { parsed } from '../parts.ts'
import { nearestWord } from '../suggestions.ts'

/** A misspelt name is answered with the nearest. */
export const zoneSchema = string('expected an IANA name such as Europe/Berlin').transform(
  parsed((name) => {
    const zone = createZone(name)
    if (zone.ok) return zone
    const near = name.includes('/') ? nearestWord(name, Intl.supportedValuesOf('timeZone')) : undefined
    return near === undefined ? zone : failed(`expected an IANA name, did you mean ${near}?`)
  }),
)
