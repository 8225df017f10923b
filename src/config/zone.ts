// The places in the configuration file that name a zone.
import { z } from 'zod'
import { createZone, type Zone } from '../calendar/zone.ts'

/** An IANA name. */
export const zone = z
  .string('expected an IANA name such as Europe/Berlin')
  .transform((name, context): Zone => {
    const created = createZone(name)
    if (created.ok) return created.value
    context.addIssue(created.error)
    return z.NEVER
  })
