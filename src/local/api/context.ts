import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { Clock } from '../clock.ts'
import type { Settings } from '../control/events.ts'
import type { Plane } from '../control/plane.ts'
import type { SettingsCheck } from '../compute/check-settings.ts'
import type { Log } from '../log.ts'
import type { Random } from '../random.ts'
import type { Account } from '../setup/identity.ts'
import type { KeyStore } from '../state/keys.ts'
import type { Store } from '../state/store.ts'
import type { BehaviourSwitches } from '../engine/behaviour-switches.ts'
import type { Truth } from '../engine/truth.ts'

export type Api = {
  readonly plane: Plane
  readonly keys: KeyStore
  readonly store: Store
  readonly settings: () => Settings
  readonly switches: BehaviourSwitches
  readonly checkSettings: SettingsCheck
  readonly account: Account
  readonly pgVersion: number
  readonly proxyPort: number
  readonly monitoringPassword: string
  /** Host names of computes are `ep-….SUFFIX`; clients verify them with this certificate. */
  readonly host: {
    readonly suffix: string
    readonly certificateFile: string
    /** Records then show a loopback address of the compute instead of its host name. */
    readonly loopback: boolean
  }
  /** IP address of the client; empty when the connection is closed. */
  readonly addressOf: (call: Call) => string
  readonly truth: (at: number) => Truth
  /** Applies what is due and sets the timers anew, for a change of the behaviour. */
  readonly applyDue: () => void
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export type Env = { Bindings: HttpBindings; Variables: { requestId: string } }

export type Call = Context<Env>

export type AddRoutes = (app: Hono<Env>, api: Api) => void
