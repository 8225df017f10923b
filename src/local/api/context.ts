import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Clock } from '../clock.ts'
import type { Settings } from '../control/events.ts'
import type { Engine } from '../engine.ts'
import type { Log } from '../log.ts'
import type { Random } from '../random.ts'
import type { KeyStore } from '../state/keys.ts'
import type { ProjectStore } from '../state/projects.ts'
import type { Truth } from '../truth.ts'

/** What the routes work with. */
export type Api = {
  readonly engine: Engine
  readonly keys: KeyStore
  readonly store: ProjectStore
  readonly settings: Settings
  /** UUID of the account, creator of everything. */
  readonly accountId: string
  readonly pgVersion: number
  readonly proxyPort: number
  readonly truth: (at: number) => Truth
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export type Env = { Bindings: HttpBindings; Variables: { requestId: string } }

export type Call = Context<Env>
