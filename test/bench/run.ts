// Benchmarks: npm run bench -- NAME [--minutes N] [--warm] [--policies] [--to FOLDER] [--traces FOLDER] [--series N] [--show N] [--levers delay,warm]. Each prints one table and one line of JSON; goals are printed, not asserted.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { advice } from './advice/advice.ts'
import { awake } from './awake.ts'
import { changes } from './changes.ts'
import { fleet } from './fleet/fleet.ts'
import { fleetPolicies } from './fleet/policies.ts'
import { footprint } from './footprint/footprint.ts'
import { forecast } from './forecast.ts'
import { ledger } from './ledger.ts'
import { observer } from './observer/observer.ts'
import { outputs } from './outputs/outputs.ts'
import { page } from './page/page.ts'
import { promises } from './advice/promises.ts'
import { delayPolicies, type BenchLevers } from './policy.ts'
import { scrape } from './scrape/scrape.ts'
import { sizing } from './sizing.ts'
import { stationaryAdvice } from './advice/stationary.ts'
import { store } from './store.ts'
import { wake } from './wake.ts'

/** What a benchmark found. Rows: what was measured, its value with unit, and the goal where there is one. */
export type Figures = {
  readonly rows: readonly (readonly [what: string, value: string, goal: string])[]
  readonly json: Readonly<Record<string, number>>
}

/** Recorded activity and load. */
const TRACES = new URL('../data/traces', import.meta.url).pathname

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string' },
    warm: { type: 'boolean' },
    policies: { type: 'boolean' },
    to: { type: 'string' },
    traces: { type: 'string' },
    series: { type: 'string' },
    show: { type: 'string' },
    levers: { type: 'string' },
  },
})

/** `minutes`: how long it is to measure, where it has a length; `isWarm`: whether the daemon begins with what it would know after a day. */
const BENCHES: Readonly<Record<string, (minutes?: number, isWarm?: boolean) => Promise<Figures>>> = {
  advice: () =>
    advice({
      traces: values.traces ?? TRACES,
      series: values.series === undefined ? undefined : Number(values.series),
      show: Number(values.show ?? 0),
    }),
  awake,
  changes,
  fleet: (minutes, isWarm) => (values.policies === true ? fleetPolicies(minutes) : fleet(minutes, isWarm)),
  footprint,
  forecast: () => forecast(values.traces),
  ledger,
  observer,
  outputs: () => outputs(values.to ?? join(tmpdir(), 'dormouse-outputs')),
  page,
  promises: () =>
    promises({
      traces: values.traces ?? TRACES,
      series: values.series === undefined ? undefined : Number(values.series),
    }),
  policy: () => delayPolicies(values.traces ?? TRACES, leversOf(values.levers)),
  scrape,
  sizing: () => sizing(values.traces ?? TRACES),
  stationary: stationaryAdvice,
  store,
  wake,
}

function leversOf(text = 'delay'): BenchLevers {
  if (text === 'delay' || text === 'delay,warm') return text
  throw new Error(`--levers: expected delay or delay,warm, got ${text}`)
}

const names = positionals.length > 0 ? positionals : Object.keys(BENCHES)
for (const name of names) {
  const bench = BENCHES[name]
  if (!bench) throw new Error(`no benchmark "${name}"; there is ${Object.keys(BENCHES).join(', ')}`)
  const { rows, json } = await bench(
    values.minutes === undefined ? undefined : Number(values.minutes),
    values.warm,
  )
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) console.log(row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
  const rounded = Object.entries(json).map(([key, value]) => [key, Number(value.toFixed(4))])
  console.log(JSON.stringify({ bench: name, ...Object.fromEntries(rounded) }))
}
