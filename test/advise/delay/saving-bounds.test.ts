import fc from 'fast-check'
import { expect, test } from 'vitest'
import { adviseDelay } from '../../../src/advise/delay/advise-delay.ts'
import type { AutosuspendDelay } from '../../../src/model/service/compute.ts'
import { seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { ALWAYS_ON, delayInput, gapsOfDays } from './delay-input.ts'

test('no stated saving leaves what any use allows', () => {
  const delays = fc.constantFrom(seconds(60), seconds(300), seconds(1800), 'never' as const)
  const lengths = fc.array(fc.integer({ min: 60, max: 7200 }), { maxLength: 20 })
  const asked = fc.record({
    delay: delays,
    wakeCost: fc.constantFrom(60, 300, 3600),
    days: fc.array(lengths, { minLength: 3, maxLength: 12 }),
  })
  let proposals = 0
  fc.assert(
    fc.property(asked, ({ delay, wakeCost, days }) => {
      const policy = { ...delayInput().policy, wakeCost: seconds(wakeCost) }
      const record = { lastActive: at(-30), autosuspendDelay: delay }
      const advice = adviseDelay(delayInput({ gaps: gapsOfDays(days), policy }, record))
      if ('because' in advice) return
      proposals += 1
      for (const { to, saving } of [advice, ...advice.alternatives]) {
        const [least, most] = rank(to.delay) < rank(delay) ? [0, ALWAYS_ON] : [-ALWAYS_ON, 0]
        expect(saving.low).toBeGreaterThanOrEqual(least)
        expect(saving.high).toBeLessThanOrEqual(most)
        expect(saving.low).toBeLessThanOrEqual(saving.likely)
        expect(saving.likely).toBeLessThanOrEqual(saving.high)
      }
      const { saving, spend, confidence } = advice
      expect(saving.high).toBeLessThanOrEqual(spend.high)
      expect(confidence === 'low' || saving.low > 0 || saving.high < 0).toBe(true)
    }),
  )
  expect(proposals).toBeGreaterThan(10)
})

const rank = (delay: AutosuspendDelay = 'never') => (delay === 'never' ? Infinity : delay)
