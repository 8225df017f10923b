// The configuration, read again when somebody asks for it.
import type { Hono } from 'hono'
import type { Reload } from '../../reload.ts'
import { problemBody } from '../problem.ts'

export type ReloadSource = {
  /** Undefined where there is no file to read. */
  readonly reload?: (() => Promise<ReturnType<Reload>>) | undefined
}

export function reloadRoute(app: Hono, { reload }: ReloadSource): void {
  if (!reload) return
  app.post('/-/reload', async (context) => {
    const taken = await reload()
    if (taken.ok) return context.json({ changed: taken.value })
    const { error } = taken
    return context.json(
      { ...problemBody(`nothing was taken over: ${error.join('; ')}`), problems: error },
      400,
    )
  })
}
