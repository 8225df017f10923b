// The configuration of a seed's daemon, read as from a file.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadWithSource, type Config } from '../../../src/config/load.ts'
import { memoryFolder } from '../../support/folder.ts'
import { environmentOf } from '../../support/secrets.ts'
import type { Hours, Rules, World } from './world.ts'

export const ACCOUNT = 'main'
/** Requests to it stay in this process. */
export const SERVICE_URL = 'https://service.test/api/v2'
const KEY_VARIABLE = 'SIMULATED_KEY'

/** @throws where it is not valid */
export function configOf(world: World, apiKey: string): Config {
  const folder = memoryFolder('dormouse-simulation-')
  try {
    const file = join(folder, 'dormouse.yaml')
    writeFileSync(file, textOf(world, join(folder, 'data')))
    const loaded = loadWithSource(file, environmentOf({ [KEY_VARIABLE]: apiKey }))
    if (!loaded.ok) throw new Error(loaded.error.join('\n'))
    return loaded.value.config
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Keys of `brakes` and `advice` have their defaults. */
const textOf = ({ zone, rules, freeze, budget }: World, store: string): string => `
timezone: ${zone}
accounts: [{ name: ${ACCOUNT}, base_url: '${SERVICE_URL}', api_key_env: ${KEY_VARIABLE}, plan: scale, dsn: 'postgresql://dormouse@{host}/app' }]
store: { folder: '${store}' }
reading: { mode: light, hosts: [localhost], sslmode: disable, role: dormouse }
report: { min_saving: 0 }
windows:${rules.map(windowsText).join('')}
  frozen: ${windowText(freeze ? [freeze] : ANY_HOURS)}
  counted: ${windowText(budget?.windows ?? ANY_HOURS)}
budgets: [${budget ? budgetText(budget) : ''}]
changes: { freeze: [${freeze ? 'frozen' : ''}] }
policies:${rules.map(policyText).join('')}
`

const budgetText = ({ mode, awakeHours }: NonNullable<World['budget']>): string =>
  `{ name: first-two, scope: { project: ['local-000000', 'local-000001'] }, mode: ${mode}, limit: ${awakeHours.toFixed(2)} awake_hours, per: window, in: counted }`

const windowsText = ({ windows, deny }: Rules, index: number): string => `
  open-${index}: ${windowText(windows.length > 0 ? windows : ANY_HOURS)}
  closed-${index}: ${windowText(deny.length > 0 ? deny : ANY_HOURS)}`

/** Of a window that no policy names. */
const ANY_HOURS: readonly Hours[] = [{ from: 0, to: 1 }]

const windowText = (hours: readonly Hours[]): string =>
  `[${hours.map(({ from, to }) => `"Mon-Sun ${clockText(from)}-${clockText(to)}"`).join(', ')}]`

const clockText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

function policyText({ mode, levers, when, windows, deny }: Rules, index: number): string {
  const allowed = windows.length > 0 ? `, windows: [open-${index}]` : ''
  const denied = deny.length > 0 ? `, deny: [closed-${index}]` : ''
  return `
  - match: { project: 'local-00000${index}' }
    mode: ${mode}
    levers: [${levers.join(', ')}]
    sizing: { min: 0.25 }
    restart: { when: [${when.join(', ')}]${allowed}${denied}, close_early: 5m }`
}
