// Every recommendation is accepted by a service of its plan. The local service has its own reading of what plans allow.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { advise } from '../../src/advise/advise.ts'
import type { AdviseInput } from '../../src/advise/input.ts'
import { DEFAULT_ADVICE_POLICY } from '../../src/model/policy/advice-policy.ts'
import { planLimits } from '../../src/model/policy/plan-limits.ts'
import type { Proposal } from '../../src/model/policy/recommendation.ts'
import { requestOf } from '../../src/model/service/change-request.ts'
import type { AutosuspendDelay, Sizing } from '../../src/model/service/compute.ts'
import { createPreset, type PresetName } from '../../src/model/service/sizes.ts'
import { instant, seconds } from '../../src/model/units.ts'
import { at } from '../support/build.ts'
import { idsOf, startSimulated, type Simulated } from '../support/simulated-service.ts'
import { gapsOf, HOURLY } from './delay/delay-input.ts'
import { fixed, hoursOf, range, sizedInput, stepsOf } from './sizing/build.ts'

const PLANS = ['free', 'launch', 'scale', 'unknown'] as const
const PRESETS: readonly PresetName[] = ['interface', '2026-03']
const DELAYS: readonly AutosuspendDelay[] = ['never', seconds(300), seconds(900)]
const SIZINGS: readonly Sizing[] = [fixed(2), fixed(4), range(0.5, 8)]

/** Evaluated then, seconds. */
const NOW = 30 * 86_400

/** Ten days of gaps up to now, and a day or more of load, CU. */
const history = (lengthOf: Parameters<typeof gapsOf>[0], load: number, days = 1) => ({
  gaps: gapsOf(lengthOf).map((gap) => ({ ...gap, from: instant(gap.from + NOW * 1000) })),
  steps: stepsOf(Array.from({ length: 288 * days }, () => load)),
  hours: hoursOf(days, 20),
})

/** MiB: nearly nothing of a cache that is large. */
const CACHE = { used: 100, limit: 12_000 }

const DEAR_WAKES = { ...DEFAULT_ADVICE_POLICY, wakeCost: seconds(3600) }

/** What asks for shorter and longer delays, and for smaller and larger sizes. */
const HISTORIES: readonly Partial<AdviseInput>[] = [
  { ...history(HOURLY, 0.1, 8), policy: DEFAULT_ADVICE_POLICY },
  { ...history(() => 1200, 1, 8), policy: DEAR_WAKES },
  { ...history(() => 120, 8), policy: DEFAULT_ADVICE_POLICY },
]

const CASES = HISTORIES.flatMap((past) =>
  SIZINGS.flatMap((sizing) => DELAYS.map((delay) => ({ past, sizing, delay }))),
)

type Case = (typeof CASES)[number]

function inputOf({ past, sizing, delay }: Case, number: number): AdviseInput {
  const ref = { account: 'main', ...idsOf(number) }
  const input = sizedInput(sizing, past, CACHE)
  const { compute } = input.entry
  const record = { ...compute, autosuspendDelay: delay, lastActive: at(NOW - 60) }
  return {
    ...input,
    entry: { ...input.entry, ref, observedAt: at(NOW), compute: record },
    settings: [{ ref, since: at(0), delay, sizing }],
    now: at(NOW),
  }
}

describe.each(PRESETS.flatMap((preset) => PLANS.map((plan) => [plan, preset] as const)))(
  'on plan %s of preset %s',
  (plan, preset) => {
    const limits = planLimits(preset, plan)
    const changes = CASES.flatMap((one, number) =>
      advise({ ...inputOf(one, number), preset: createPreset(preset), plan: limits }).proposals.filter(
        ({ kind }) => kind === 'delay' || kind === 'sizing',
      ),
    )
    let service: Simulated
    let now = Date.UTC(2026, 5, 1)
    beforeAll(async () => {
      service = await startSimulated({
        projects: CASES.map(({ delay, sizing }, number) => ({
          name: `compute-${number}`,
          suspendTimeoutSeconds: delay === 'never' ? -1 : delay,
          ...('fixed' in sizing ? { cu: sizing.fixed } : { cu: sizing.min, maxCu: sizing.max }),
        })),
        preset,
        plan: plan === 'unknown' ? 'free' : plan,
        clock: { now: () => now, after: () => () => undefined, sleep: () => Promise.resolve() },
      })
    })
    afterAll(() => service.stop())

    async function send(proposal: Proposal) {
      // operations of the request before have ended
      now += 3_600_000
      const request = requestOf(proposal)
      const answer = await service.fetch(
        new Request(`${service.baseUrl}${request?.path}`, {
          method: request?.method ?? '',
          headers: { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' },
          body: JSON.stringify(request?.body),
        }),
      )
      return { ...proposal.to, status: answer.status, message: answer.ok ? '' : await answer.text() }
    }

    test('each recommended delay and size is accepted', async () => {
      for (const proposal of changes)
        // oxlint-disable-next-line no-await-in-loop -- one change after the other
        expect(await send(proposal)).toEqual({ ...proposal.to, status: 200, message: '' })
    })

    test('what is recommended depends on the plan', () => {
      const delays = new Set(changes.flatMap(({ to }) => to.delay ?? []))
      const expected = {
        free: preset === 'interface' ? [60, 1200] : [300],
        launch: preset === 'interface' ? [60, 1200] : [300, 'never'],
        scale: [60, 1200],
        unknown: [],
      }
      expect([...delays]).toEqual(expected[plan])
      const hasSizes = changes.some(({ to }) => to.sizing)
      expect(hasSizes).toBe(plan !== 'unknown')
    })
  },
)
