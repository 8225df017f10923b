// A malicious service and a daemon that observes it beside a well-behaved account.
import { describe, expect, test } from 'vitest'
import { CATALOGUE, PREFIX } from '../../src/outputs/metrics/catalogue.ts'
import { testWith } from '../support/tiers.ts'
import { attack, checkedByPromtool, type Damage } from './attack.ts'
import { CONTENT_MODES } from './content-modes.ts'
import { HTTP_MODES } from './http-modes.ts'
import type { ModeName } from './service.ts'

/**
 * Work before an answer, as a share of the work of a start (0.6 to 0.9 s of CPU where the shares were measured, so that machines of any
 * speed have the same bound). Largest shares seen: 0.43 with 2000 computes of one project, whose answer is one task of the event loop, 0.22
 * with several attacks in the half second after the first look, else 0.1.
 */
const LARGEST_SHARE = 0.7

/** Bounds that hold whatever the service answers; `normal` is the daemon beside a service that behaves. */
function expectBounded(damage: Damage, normal: Pick<Damage, 'rss'>): void {
  const { rss, health, stop, exit, store, log, passes, computes, claimed, metrics, logged } = damage
  // what well-formed computes that are awake take, in MiB: a service may have them
  const fleet = { memory: claimed * 0.05, store: claimed * 0.005, log: claimed * 0.0005 }
  expect(rss).toBeLessThanOrEqual(2 * normal.rss + fleet.memory)
  expect(health).toBeLessThanOrEqual(LARGEST_SHARE)
  expect([exit, stop <= 10]).toEqual([0, true])
  expect([store <= 20 + fleet.store, log <= 1 + fleet.log]).toEqual([true, true])
  expect({ passes, computes }).toEqual({ passes: 1, computes: 3 })
  expect(foreignLines(metrics)).toEqual([])
  expect(checkedByPromtool(metrics)).toBe('')
  expect(logged).not.toContain('canary-')
}

const NAMES = new Set(Object.keys(CATALOGUE).map((key) => PREFIX + key))
const SAMPLE =
  /^(\w+?)(?:_bucket|_sum|_count)?(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*\})? [-+.\dInfNaEe]+$/

/** Lines of the text format that no family of the catalogue or of the process has. */
const foreignLines = (metrics: string): readonly string[] =>
  metrics.split('\n').filter((line) => {
    if (line === '' || /^# (HELP|TYPE) (dormouse|process|nodejs)_/.test(line)) return false
    const [, name = ''] = SAMPLE.exec(line) ?? []
    return !NAMES.has(name) && !/^(process|nodejs)_/.test(name)
  })

testWith('promtool')('a service that does several things at once costs little', async () => {
  const damage = await attack(['several at once'], { seconds: 0.5 })
  expectBounded(damage, { rss: 200 })
})

/** Modes that claim many computes or projects, for each of which the bounds of memory and disk are wider: beside them others could hide. */
const CLAIMING = [
  'several at once',
  'projects without end',
  'more than asked',
  'many computes',
  'duplicate ids',
  'foreign projects',
  'new problems',
] as const satisfies readonly ModeName[]

/** Of the others so many are accounts of one daemon: a start costs more than an attack. */
const TOGETHER = 9

/** Computes of the normal account. */
const FEW = 3

const others = (Object.keys({ ...CONTENT_MODES, ...HTTP_MODES }) as ModeName[]).filter(
  (mode) => !CLAIMING.some((one) => one === mode),
)
const groups = Array.from({ length: Math.ceil(others.length / TOGETHER) }, (_, index) => ({
  modes: others.slice(index * TOGETHER, (index + 1) * TOGETHER),
}))

describe('services whose modes are', () => {
  const seconds = 1
  let normal: Promise<Damage> | undefined
  const attacked = async (modes: readonly ModeName[]): Promise<Damage> => {
    normal ??= attack(['normal'], { seconds })
    const damage = await attack(modes, { seconds })
    expectBounded(damage, await normal)
    return damage
  }
  test.each(CLAIMING)('%s', async (mode) => {
    await attacked([mode])
  })
  test.each(groups)('$modes', async ({ modes }) => {
    const { claimed } = await attacked(modes)
    expect(claimed).toBeLessThanOrEqual(FEW * modes.length)
  })
})
