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

export type Api = Readonly<{
  plane: Plane
  keys: KeyStore
  store: Store
  settings: () => Settings
  switches: BehaviourSwitches
  checkSettings: SettingsCheck
  account: Account
  pgVersion: number
  proxyPort: number
  monitoringPassword: string
  /** Computes are `ep-….SUFFIX`; clients verify them with this certificate. */
  host: Readonly<{
    suffix: string
    certificateFile: string
    /** Records show a loopback address instead of the host name. */
    loopback: boolean
  }>
  /** IP address of the client; empty once it has disconnected. */
  addressOf: (call: Call) => string
  truth: (at: number) => Truth
  /** Applies what is due and sets the timers anew, around a change of behaviour. */
  applyDue: () => void
  clock: Clock
  random: Random
  log: Log
}>

export type Env = { Bindings: HttpBindings; Variables: { requestId: string } }

export type Call = Context<Env>

export type AddRoutes = (app: Hono<Env>, api: Api) => void
