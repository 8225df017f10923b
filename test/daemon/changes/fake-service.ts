// One compute of a service without time, with what was sent to it.
import type { Service } from '../../../src/model/ports/service.ts'
import type { Compute, Sizing } from '../../../src/model/service/compute.ts'
import { cu } from '../../../src/model/units.ts'
import { ok } from '../../../src/std/result.ts'
import { compute } from '../../support/build.ts'
import { UNASKED } from '../../support/unasked.ts'

/** Of 1 CU, idle. */
export function fakeService(over: Partial<Compute> = {}) {
  let sizing: Sizing = { fixed: cu(1) }
  const sent: unknown[] = []
  const looks: string[] = []
  const at: Service['at'] = () => ({
    ...UNASKED,
    at,
    listComputes: async (projectId) => {
      looks.push(projectId)
      return ok({ items: [compute({ sizing, ...over })], problems: [] })
    },
    listOperations: async () => ok({ items: [], problems: [] }),
    updateCompute: async (_project, _compute, settings) => {
      sent.push(settings)
      sizing = settings.sizing ?? sizing
      return ok({ compute: compute({ sizing }), operations: [] })
    },
  })
  return { service: at('apply'), sent, looks }
}
