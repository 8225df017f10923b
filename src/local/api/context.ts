import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Clock } from '../clock.ts'
import type { Settings } from '../control/events.ts'
import type { Plane } from '../control/plane.ts'
import type { PgSettings } from '../control/project.ts'
import type { Log } from '../log.ts'
import type { Random } from '../random.ts'
import type { Account } from '../setup/identity.ts'
import type { KeyStore } from '../state/keys.ts'
import type { Store } from '../state/store.ts'
import type { BehaviourSwitches } from '../engine/behaviour-switches.ts'
import type { Truth } from '../engine/truth.ts'

/** What the routes work with. */
export type Api = {
  readonly plane: Plane
  readonly keys: KeyStore
  readonly store: Store
  readonly settings: () => Settings
  readonly switches: BehaviourSwitches
  /** What a server has against these settings, naming them; undefined when it takes them. */
  readonly checkSettings: (settings: PgSettings) => Promise<string | undefined>
  readonly account: Account
  readonly pgVersion: number
  readonly proxyPort: number
  readonly monitoringPassword: string
  /** Computes are named `ep-….SUFFIX`; clients verify them with the certificate in that file. */
  readonly host: {
    readonly suffix: string
    readonly certificateFile: string
    /** Records name a compute by a loopback address of its own instead. */
    readonly loopback: boolean
  }
  /** Where a call comes from: an IP address, empty when it is gone already. */
  readonly addressOf: (call: Call) => string
  readonly truth: (at: number) => Truth
  /** Looks again at when things are due, after the behaviour changed. */
  readonly look: () => void
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export type Env = { Bindings: HttpBindings; Variables: { requestId: string } }

export type Call = Context<Env>
