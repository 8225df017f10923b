// Counts what a listener answers, by the pattern of the route: paths hold names, of which there are any number.
import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { SelfMetrics } from '../../outputs/metrics/self.ts'
import type { Clock } from '../../model/ports/clock.ts'

export const recordRequests =
  ({ self, clock }: { readonly self: SelfMetrics; readonly clock: Clock }): MiddlewareHandler =>
  async (context, next) => {
    const begun = clock.monotonic()
    await next()
    // Only what applies to all paths matches one that is nowhere.
    const route = routePath(context, -1)
    self.answered({
      route: route === '/*' ? 'none' : route,
      code: String(context.res.status),
      seconds: clock.monotonic() - begun,
    })
  }
