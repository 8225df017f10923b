import { expect, test } from 'vitest'
import { cu, millis, ratio, seconds } from '../../../src/model/units.ts'
import { savingText } from '../../../src/outputs/text/amounts.ts'
import { medianWakeLatency } from '../../../src/outputs/text/recommendation-json.ts'
import {
  recommendationLines,
  recommendationSummary,
  recommendationTitle,
  settingText,
  stateText,
  groundsText,
} from '../../../src/outputs/text/recommendation-text.ts'
import type { Recommendation } from '../../../src/model/policy/recommendation.ts'
import { at } from '../../support/build.ts'
import {
  amounts,
  decodedRecommendation,
  recommendation,
  sizingRecommendation,
} from '../../support/recommendations.ts'

const DAY = 86_400

const dismissal = (over: Partial<NonNullable<Recommendation['dismissedBefore']>>) => ({
  id: 'ep-one.delay.0',
  to: { delay: seconds(300) },
  saving: amounts(4, 5, 6),
  at: at(-DAY),
  until: undefined,
  reason: 'tests run at night',
  by: 'ann',
  ...over,
})

test('settings', () => {
  expect(settingText({ delay_seconds: 'never' })).toBe('autosuspend off')
  expect(settingText({ delay_seconds: 300 })).toBe('300 s')
  expect(settingText({ min_cu: 0.25, max_cu: 2 })).toBe('0.25–2 CU')
  expect(settingText({ min_cu: 1, max_cu: 1 })).toBe('1 CU')
  expect(settingText({ pooler_enabled: true })).toBe('pooler on')
})

test('one recommendation in words', () => {
  const one = decodedRecommendation()
  expect(recommendationSummary(one, 'USD')).toBe(
    'autosuspend off → 300 s: saves 12.25 USD in 30 days (9.50 USD to 14.00 USD); confidence medium',
  )
  expect(recommendationLines(one, 'USD')).toEqual([
    'wakes a day: 0 before, 4.5 after; half of the wakes of its region take at most 1 s',
    'each suspension cuts 2 idle sessions of clients',
    'applying it restarts nothing',
    'rests on 14 days from 2025-12-22 to 2026-01-05: activity followed 98 % of the time, 273 gaps, 0.25 CU while awake at 0.106 USD a CU-hour',
    'not 60 s, because it wakes more often: it saves 13.00 USD in 30 days (12.00 USD to 14.00 USD), 0.75 USD more, 9 wakes a day',
    'not 600 s, because it saves less: it saves 11.00 USD in 30 days (10.00 USD to 12.00 USD), 1.25 USD less, 4.2 wakes a day',
    'not 3600 s, because it saves less: it saves 7.00 USD in 30 days (6.00 USD to 8.00 USD), 5.25 USD less, 3 wakes a day',
    '1 other setting lost by more',
    'open since 2026-01-05T00:00:00Z',
  ])
})

test('an alternative that saves as much is not said to save less', () => {
  const one = decodedRecommendation()
  const [first] = one.alternatives
  if (!first) throw new Error('an alternative is missing')
  const equal = {
    ...first,
    because: 'dearer' as const,
    saving_micros_per_30_days: one.saving_micros_per_30_days,
  }
  expect(recommendationLines({ ...one, alternatives: [equal] }, 'USD')).toContainEqual(
    expect.stringMatching(/because it saves no more: it saves 12\.25 USD in 30 days .*, as much, /),
  )
})

test.each<[string, NonNullable<Recommendation['dismissedBefore']>, string]>([
  [
    'its end has come, and the setting is another',
    dismissal({ until: at(0), to: { delay: seconds(600) } }),
    'the dismissal has ended; recommended setting 600 s → 300 s; likely saving in 30 days 5.00 USD → 12.25 USD',
  ],
  ['its saving has doubled', dismissal({ until: at(DAY) }), 'likely saving in 30 days 5.00 USD → 12.25 USD'],
  [
    'its end has come, and all else is as it was',
    dismissal({ until: at(0), saving: recommendation().saving }),
    'the dismissal has ended',
  ],
])('one that was dismissed before says so, and what changed: %s', (_, dismissedBefore, changed) => {
  const lines = recommendationLines(decodedRecommendation({ dismissedBefore }), 'USD')
  const until = dismissedBefore.until === at(0) ? '2026-01-05' : '2026-01-06'
  expect(lines.slice(-3)).toEqual([
    `ep-one.delay.0 was dismissed by ann at 2026-01-04T00:00:00Z until ${until}T00:00:00Z: tests run at night`,
    `since then: ${changed}`,
    'open since 2026-01-05T00:00:00Z',
  ])
})

test('a smaller maximum names the budget that asks for it', () => {
  const detail = { kind: 'budget', name: 'dev' } as const
  expect(recommendationLines(decodedRecommendation({ ...sizingRecommendation(), detail }), 'USD')[0]).toBe(
    'the budget dev asks for the smaller maximum: its limit is spent, or forecast to be',
  )
})

/** What lines say of it before its effects. */
const defaultsLinesOf = (to: Recommendation['to'], keeps: object, atOnce: number) => {
  const ref = { account: 'main', projectId: 'project-one' }
  const detail = { kind: 'defaults', lives: 90, atOnce, ...keeps } as const
  const lines = recommendationLines(decodedRecommendation({ ref, kind: 'defaults', to, detail }), 'USD')
  return lines.slice(
    0,
    lines.findIndex((line) => line.startsWith('wakes a day')),
  )
}

test('defaults say what they are judged by, what they change at once, and why a setting stays', () => {
  const sizing = { min: cu(0.25), max: cu(2) }
  expect(defaultsLinesOf({ delay: seconds(60), sizing }, {}, 1)).toEqual([
    'judged by 90 deleted computes: new ones have this delay and size unless they are made with another',
    'another default delay changes 1 existing compute at once: those without a delay of their own',
    'existing computes keep their sizes',
  ])
  expect(defaultsLinesOf({ delay: seconds(60) }, { keeps: { sizing: 'no-readings' } }, 0)).toEqual([
    'judged by 90 deleted computes: new ones have this delay unless they are made with another',
    'the default size stays: too few readings inside Postgres',
  ])
  expect(defaultsLinesOf({ sizing }, { keeps: { delay: 'plan-fixed' } }, 0)).toEqual([
    'judged by 90 deleted computes: new ones have this size unless they are made with another',
    'existing computes keep their sizes',
    'the default delay stays: the service plan allows nothing else',
  ])
})

test('a larger size for the file cache says what the cache answers', () => {
  const detail = { kind: 'cache', hitRatio: ratio(0.9712), target: ratio(0.99) } as const
  expect(recommendationLines(decodedRecommendation({ ...sizingRecommendation(), detail }), 'USD')[0]).toBe(
    'the file cache is full and answers 97.12 % of the accesses, less than 99 %',
  )
})

test('the setting now is no alternative in words', () => {
  const [first] = recommendation().alternatives
  const now = first && { ...first, to: { delay: 'never' as const } }
  expect(
    recommendationLines(decodedRecommendation({ alternatives: now ? [now] : [] }), 'USD').join('\n'),
  ).not.toContain('not autosuspend')
})

test('the request is printed as sent, without a secret', () => {
  expect(decodedRecommendation().curl).toBe(
    `curl -X PATCH 'https://service.example/api/v2/projects/project-one/endpoints/ep-one' -H "Authorization: Bearer $DORMOUSE_API_KEY" -H 'Content-Type: application/json' --data '{"endpoint":{"suspend_timeout_seconds":300}}'`,
  )
  const quoted = decodedRecommendation({
    ref: { ...recommendation().ref, endpointId: "it's" },
    kind: 'refresh',
    to: {},
  })
  expect(quoted.curl).toBe(
    String.raw`curl -X POST 'https://service.example/api/v2/projects/project-one/endpoints/it'\''s/restart' -H "Authorization: Bearer $DORMOUSE_API_KEY"`,
  )
  expect(decodedRecommendation({ kind: 'unused', to: {} })).toMatchObject({ request: null, curl: null })
})

test('what costs more says so first', () => {
  const sizing = {
    kind: 'sizing',
    from: { sizing: { min: cu(0.25), max: cu(2) } },
    to: { sizing: { min: cu(0.25), max: cu(4) } },
    restarts: true,
    saving: amounts(-5, -3, -1),
  } as const
  const one = decodedRecommendation(sizing)
  expect(recommendationSummary(one, 'USD')).toBe(
    'costs 3.00 USD more in 30 days (1.00 USD to 5.00 USD): 0.25–2 CU → 0.25–4 CU; confidence medium',
  )
  const effect = { ...one.effect, wakes_per_day: { before: 64.4, after: 1.2 } }
  expect(recommendationSummary({ ...one, effect }, 'USD')).toMatch(
    /^costs 3.00 USD more in 30 days \(1.00 USD to 5.00 USD\) and avoids 63.2 wakes a day: /,
  )
  expect(recommendationLines(one, 'USD')).toContain('applying it restarts the compute')
  expect(savingText(amounts(0, 0, 0), 'USD')).toBe('saves no money')
})

test('parts of gaps are rounded in JSON, and add up to a whole number of gaps', () => {
  const gaps = [
    { low: seconds(42.9999999999), high: seconds(60), count: 1 / 3 },
    { low: seconds(60), high: seconds(91), count: 2 / 3 },
  ]
  const one = decodedRecommendation({ grounds: { ...recommendation().grounds, gaps } })
  expect(one.grounds.gaps).toEqual([
    [43, 60, 0.333333],
    [60, 91, 0.666667],
  ])
  expect(groundsText(one, 'USD')).toContain(', 1 gap,')
})

test('kinds without a setting', () => {
  const none = { from: {}, to: {} }
  const culprit = { cause: 'clients', application: 'cron', user: 'app', database: 'main' } as never
  const titleOf = (detail: Exclude<Recommendation['detail'] & {}, { kind: 'budget' | 'cache' }>) =>
    recommendationTitle(decodedRecommendation({ ...none, kind: detail.kind, detail }))
  expect(titleOf({ kind: 'awake-for-nothing', culprit, period: seconds(240), fix: 'move-job' })).toBe(
    'run the job less often, or outside of the database: clients (cron / app / main), every 4 min',
  )
  expect(titleOf({ kind: 'unused', what: 'replica', since: undefined })).toBe(
    'delete the replica if nobody needs it: nobody read from it',
  )
  expect(titleOf({ kind: 'refresh', startedAt: at(0.543), ridesWith: undefined })).toBe(
    'restart it for the updates of the service: it runs since 2026-01-05T00:00:00Z',
  )
  expect(titleOf({ kind: 'refresh', startedAt: undefined, ridesWith: 'sizing' })).toBe(
    'with the size, start it anew for the updates of the service',
  )
})

test.each<[Recommendation['life'], string]>([
  [
    { state: 'implemented', at: at(0.543), realised: undefined },
    'implemented at 2026-01-05T00:00:00Z; what it really saves is known 28 days later',
  ],
  [
    { state: 'implemented', at: at(0), realised: amounts(1, 2, 3) },
    'implemented at 2026-01-05T00:00:00Z; really saves 2.00 USD in 30 days (1.00 USD to 3.00 USD)',
  ],
  [
    { state: 'superseded', at: at(0.543), by: 'ep-one.delay.2' },
    'superseded at 2026-01-05T00:00:00Z by ep-one.delay.2',
  ],
  [
    { state: 'withdrawn', at: at(0.999), because: 'deleted' },
    'withdrawn at 2026-01-05T00:00:00Z: the compute was deleted',
  ],
  [
    { state: 'dismissed', at: at(0.001), until: at(60.5), reason: 'demo next week', by: 'ann' },
    'dismissed by ann at 2026-01-05T00:00:00Z until 2026-01-05T00:01:00Z: demo next week',
  ],
  [{ state: 'open' }, 'open since 2026-01-05T00:00:00Z'],
])('state %#, to the second', (life, text) => {
  expect(stateText(decodedRecommendation({ life, openedAt: at(0.5) }), 'USD')).toBe(text)
})

test.each([
  [0.5, 'rests on 12 h from'],
  [10 / 86_400, 'rests on 10 s from'],
  [1, 'rests on 1 day from'],
])('grounds of %d days', (days, text) => {
  const { grounds } = decodedRecommendation({})
  expect(groundsText({ grounds: { ...grounds, days } }, 'USD')).toContain(text)
})

test('wake latency: the bucket that has the median', () => {
  const histogram = { regionId: 'here', count: 3, sum: millis(2500), upTo: { 500: 1, 1000: 2 } }
  expect(medianWakeLatency([histogram], 'here')).toBe(1)
  expect(medianWakeLatency([histogram], 'there')).toBeUndefined()
  expect(medianWakeLatency([{ ...histogram, upTo: {} }], 'here')).toBeUndefined()
})
