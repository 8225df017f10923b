// One seed: where and when it is, its computes, and what its policies say.
import type { Random } from '../../../src/model/ports/clock.ts'
import { seeded } from '../seeded.ts'
import { drawBusyLife, drawLife, pick, type Life } from './lives.ts'

/** Local hours `[from, to)` on every day. */
export type Hours = Readonly<{ from: number; to: number }>

export type RestartMoment = 'idle' | 'natural' | 'quiet' | 'window'

/** What the policy of one project says of restarts, as the judge reads it. */
export type Rules = Readonly<{
  mode: 'approve' | 'apply'
  levers: readonly ('delay' | 'sizing')[]
  when: readonly RestartMoment[]
  /** Of `quiet` and `window`; empty without them. */
  windows: readonly Hours[]
  deny: readonly Hours[]
}>

export type World = Readonly<{
  seed: number
  days: number
  zone: string
  /** ms. */
  start: number
  lives: readonly Life[]
  /** Of the project with the same number. */
  rules: readonly Rules[]
  /** Hours in which nothing is changed; undefined: none. */
  freeze: Hours | undefined
  /** Of the first two projects, from each opening of a window to the next; undefined: none. */
  budget: Readonly<{ mode: 'soft' | 'hard'; awakeHours: number; windows: readonly Hours[] }> | undefined
}>

export const COMPUTES = 3

/** Zones with their changes of daylight saving in 2026, the day before. */
const PLACES: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ['UTC', '2026-01-12T00:00:00Z'],
  ['Europe/Berlin', '2026-03-28T12:00:00Z'],
  ['Europe/Berlin', '2026-10-24T12:00:00Z'],
  ['America/St_Johns', '2026-03-07T18:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T03:00:00Z'],
  ['Pacific/Chatham', '2026-09-26T02:00:00Z'],
]

export function drawWorld(seed: number, days: number): World {
  const random = seeded(seed)
  const [zone, date] = pick(random, PLACES)
  const start = Date.parse(date) + 60_000 * Math.floor(600 * random.unit())
  const draw = () => drawLife(random, start, { days })
  const lives = [draw(), drawBusyLife(random, start, days), draw()] as const
  const rules = [
    drawRules(random, 'window'),
    drawRules(random, 'deny'),
    drawRules(random, 'approve'),
  ] as const
  // some never sleep, so that a window closes while a change waits
  const frozenFrom = Math.floor(24 * random.unit())
  const isSleepless = random.unit() < 0.6
  return {
    seed,
    days,
    zone,
    start,
    lives: isSleepless ? lives.with(0, { ...lives[0], delay: -1 }) : lives,
    rules: isSleepless ? rules.with(0, { ...rules[0], levers: ['sizing'] }) : rules,
    freeze: random.unit() < 0.7 ? { from: frozenFrom, to: frozenFrom + 1 } : undefined,
    budget: drawBudget(seeded(seed + 5_000_000)),
  }
}

/** Every second seed has one: what it changes leaves fewer restarts for recommendations. */
function drawBudget(random: Random): World['budget'] {
  const first = Math.floor(4 * random.unit())
  const windows = [0, 6, 12, 18].map((hours) => ({ from: first + hours, to: first + hours + 2 }))
  const mode = random.unit() < 0.5 ? 'soft' : 'hard'
  const awakeHours = 0.1 + 0.7 * random.unit()
  return random.unit() < 0.5 ? { mode, awakeHours, windows } : undefined
}

const AT_ANY_TIME: readonly [readonly RestartMoment[], ...(readonly RestartMoment[])[]] = [
  ['idle'],
  ['natural'],
]
/** Twice the one under which a compute that never sleeps waits for longer than a window. */
const IN_WINDOWS: typeof AT_ANY_TIME = [
  ['quiet'],
  ['quiet'],
  ['window'],
  ['quiet', 'window'],
  ['natural', 'window'],
]

function drawRules(random: Random, kind: 'window' | 'deny' | 'approve'): Rules {
  const first = Math.floor(4 * random.unit())
  // several short ones a day
  const windows = [0, 4, 8, 12, 16, 20].map((hours) => ({ from: first + hours, to: first + hours + 1 }))
  const when = pick<readonly RestartMoment[]>(random, kind === 'deny' ? AT_ANY_TIME : IN_WINDOWS)
  const rules = { mode: 'apply', levers: ['delay', 'sizing'], when, windows, deny: [] } as const
  if (kind === 'window') return rules
  return kind === 'deny'
    ? { ...rules, levers: ['sizing'], windows: [], deny: windows }
    : { ...rules, mode: 'approve' }
}
