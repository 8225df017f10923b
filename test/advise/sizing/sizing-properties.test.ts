import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AdviseInput } from '../../../src/advise/input.ts'
import { adviseSizing } from '../../../src/advise/sizing/advise-sizing.ts'
import { scaleStep } from '../../../src/advise/sizing/autoscaler.ts'
import { replayedSize } from '../../../src/advise/sizing/load-seen.ts'
import { rangeTo } from '../../../src/advise/sizing/range.ts'
import type { PresetName } from '../../../src/model/service/sizes.ts'
import { planLimits, SERVICE_PLANS } from '../../../src/model/policy/plan-limits.ts'
import { largestCu, smallestCu, type Sizing } from '../../../src/model/service/compute.ts'
import { createPreset, sizeAtLeast } from '../../../src/model/service/sizes.ts'
import { cu, cuMillis } from '../../../src/model/units.ts'
import { check } from '../../support/property.ts'
import { awakeDays, bucket, fixed, hoursOf, sizedInput, stepsOf } from './build.ts'

const presets = fc.constantFrom<PresetName>('interface', '2026-03')

/** A compute that its plan allows, with load, peaks and utilisation of any kind. */
const inputs = fc
  .tuple(presets, fc.constantFrom(...SERVICE_PLANS), fc.nat(), fc.nat(), fc.boolean())
  .chain(([name, plan, first, second, isRange]) => {
    const preset = createPreset(name)
    const limits = planLimits(name, plan)
    if (!limits) throw new Error('a known plan')
    const allowed = preset.sizes.filter((size) => size <= limits.largestFixed)
    const [a, b] = [allowed[first % allowed.length] ?? cu(1), allowed[second % allowed.length] ?? cu(1)]
    const [min, max] = [cu(Math.min(a, b)), cu(Math.max(a, b))]
    const fits = limits.hasRanges && max <= limits.largestInRange && max - min <= limits.widestRange
    const sizing: Sizing = isRange && fits && min < max ? { min, max } : { fixed: max }
    return fc
      .record({
        loads: fc.array(fc.double({ min: 0, max: largestCu(sizing), noNaN: true }), {
          minLength: 1,
          maxLength: 20,
        }),
        days: fc.nat(14),
        peak: fc.nat(5000),
        used: fc.nat(100),
        isAlways: fc.boolean(),
        isOverBudget: fc.boolean(),
      })
      .map(({ loads, days, peak, used, isAlways, isOverBudget }): AdviseInput =>
        sizedInput(
          sizing,
          {
            preset,
            plan: limits,
            steps: [bucket((30 - days) * 86_400, { load: loads[0] ?? 0 }), ...stepsOf(loads)],
            hours: hoursOf(days, peak),
            utilisation: { used: cuMillis(used), capacity: cuMillis(100) },
            days: awakeDays(30, isAlways ? 86_400 : 20_000),
            ...(isOverBudget && { overBudget: 'dev' }),
          },
          { used: 300, limit: 700 },
        ),
      )
  })

const proposals = inputs.map((input) => ({ input, proposal: adviseSizing(input) }))

/** Checks what is proposed; at least one case in ten has a proposal. */
function checkProposals(
  judge: (input: AdviseInput, proposal: Extract<ReturnType<typeof adviseSizing>, { ref: unknown }>) => void,
) {
  let [cases, proposed] = [0, 0]
  check(
    fc.property(proposals, ({ input, proposal }) => {
      cases += 1
      if (!('ref' in proposal)) return
      proposed += 1
      judge(input, proposal)
    }),
    400,
  )
  expect(proposed).toBeGreaterThan(cases / 10)
}

test('what is proposed is allowed by the plan, and so is every alternative', () => {
  checkProposals(({ plan, preset }, { to, alternatives }) => {
    for (const { sizing } of [to, ...alternatives.map((other) => other.to)]) {
      if (!plan || !sizing) throw new Error('a plan and a sizing')
      const [min, max] = [smallestCu(sizing), largestCu(sizing)]
      expect(preset.sizes).toContain(min)
      expect(preset.sizes).toContain(max)
      expect(min).toBeLessThanOrEqual(max)
      expect(max).toBeLessThanOrEqual(min === max ? plan.largestFixed : plan.largestInRange)
      expect(min === max || plan.hasRanges).toBe(true)
      expect(max - min).toBeLessThanOrEqual(plan.widestRange)
    }
  })
})

test('without a week of peaks no proposal has fewer connections than today', () => {
  checkProposals((input, { to }) => {
    const { preset, entry, hours, needs } = input
    const days = hours.length
    if (!to.sizing || days * 86_400 >= needs.minPeaks) return
    expect(preset.maxConnections(to.sizing)).toBeGreaterThanOrEqual(
      preset.maxConnections(entry.compute.sizing),
    )
  })
})

test('with fewer connections than today there is room for the peak', () => {
  checkProposals(({ preset, entry, hours }, { to }) => {
    if (!to.sizing) throw new Error('a sizing')
    const [limit, now] = [to.sizing, entry.compute.sizing].map((sizing) => preset.maxConnections(sizing))
    const peak = Math.max(0, ...hours.map(({ connections }) => connections?.all.max ?? 0))
    const isKept = (limit ?? 0) >= (now ?? 0)
    expect(isKept || 1.25 * peak <= 0.8 * (limit ?? 0)).toBe(true)
  })
})

test('a maximum below that of today is above the peak by a quarter, and rests on a week', () => {
  let lowered = 0
  checkProposals((input, { to, detail, grounds }) => {
    const now = largestCu(input.entry.compute.sizing)
    if (!to.sizing || !input.plan?.hasRanges || largestCu(to.sizing) >= now) return
    lowered += 1
    const peak = Math.max(...input.steps.map(({ use }) => (use ? use.activeTime / use.over : 0)))
    expect(largestCu(to.sizing)).toBeGreaterThanOrEqual(sizeAtLeast(input.preset.sizes, 1.25 * peak))
    expect(grounds.to - grounds.from).toBeGreaterThanOrEqual(input.needs.minPeaks * 1000)
    expect(detail).toEqual({ kind: 'budget', name: input.overBudget })
  })
  expect(lowered).toBeGreaterThan(0)
})

test('bounds are in order, a range saves at most what its minimum saves, and only a larger maximum may cost more', () => {
  checkProposals(({ entry }, { to, saving, spend, grounds }) => {
    const now = entry.compute.sizing
    if (!to.sizing) throw new Error('a sizing')
    expect(saving.low).toBeLessThanOrEqual(saving.likely)
    expect(saving.likely).toBeLessThanOrEqual(saving.high)
    expect(grounds.cu.low).toBeLessThanOrEqual(grounds.cu.likely)
    expect(grounds.cu.likely).toBeLessThanOrEqual(grounds.cu.high)
    const atMinimum = spend.high * (1 - smallestCu(to.sizing) / largestCu(now))
    expect(saving.high).toBeLessThanOrEqual(Math.max(0, atMinimum) + 1)
    expect(largestCu(to.sizing) > largestCu(now) || saving.low >= 0).toBe(true)
  })
})

test('more load never makes a minimum lower, nor a saving larger at its lower end', () => {
  check(
    fc.property(
      fc.array(fc.double({ min: 0, max: 4, noNaN: true }), { minLength: 1, maxLength: 12 }),
      fc.double({ min: 1, max: 2, noNaN: true }),
      (loads, factor) => {
        const [less, more] = [loads, loads.map((load) => Math.min(3.7, load * factor))].map((one) =>
          adviseSizing(sizedInput(fixed(4), { steps: stepsOf(one.map((load) => Math.min(3.7, load))) })),
        )
        if (!less || !more || !('ref' in more)) return
        if (!('ref' in less)) throw new Error('less load has no proposal')
        expect(more.saving.low).toBeLessThanOrEqual(less.saving.low)
        expect(more.to).toEqual(less.to)
      },
    ),
  )
})

test('a range up to the size of today costs at most as much, and throttles no demand that the size holds', () => {
  const { sizes } = createPreset('2026-03')
  check(
    fc.property(
      fc.array(fc.double({ min: 0, max: 8, noNaN: true }), { minLength: 1, maxLength: 30 }),
      fc.constantFrom(...sizes.filter((size) => size <= 8)),
      (loads, least) => {
        const sizing = rangeTo(cu(8), { sizes, largest: cu(16), widest: cu(8), least })
        expect(replayedSize(loads, sizing, sizes).cu).toBeLessThanOrEqual(8)
        for (const load of loads) expect(scaleStep(load, { sizing, sizes }, undefined).throttled).toBe(0)
      },
    ),
  )
})
