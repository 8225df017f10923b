import { z } from 'zod'
import { createZone, type Zone } from '../../calendar/zone.ts'
import { nearestWord } from '../suggestions.ts'

/** Zone of an IANA name; a misspelt one is answered with the nearest. */
export const zoneSchema = z
  .string('expected an IANA name such as Europe/Berlin')
  .transform((name, context): Zone => {
    const created = createZone(name)
    if (created.ok) return created.value
    const near = name.includes('/') ? nearestWord(name, Intl.supportedValuesOf('timeZone')) : undefined
    context.addIssue(near === undefined ? created.error : `expected an IANA name, did you mean ${near}?`)
    return z.NEVER
  })
