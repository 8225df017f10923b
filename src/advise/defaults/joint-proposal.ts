// Defaults of a project as one proposal: a delay, a range, or both.
//
// A shorter delay saves awake time at the size of now; a range then saves the difference of the sizes in the awake time that is left.
import { duration } from '../../ledger/interval-math.ts'
import { addBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type {
  Alternative,
  Effect,
  Grounds,
  Proposal,
  RecommendationDetail,
  Setting,
  Withheld,
} from '../../model/policy/recommendation.ts'
import { isSameSizing, largestCu, smallestCu, type Sizing } from '../../model/service/compute.ts'
import { DAY, micros, type Micros } from '../../model/units.ts'
import { settingKey, settingRank } from '../hysteresis.ts'
import { confidenceOf } from '../interval.ts'
import { NO_EFFECT, NO_MONEY } from '../propose.ts'
import { dearerSizings, sizesUnder, sizingEffect, sizingSaving, sizingSpend } from '../sizing/pricing.ts'
import { defaultDelayOf } from './default-delay.ts'
import { awakeUnder, type DefaultRange } from './default-range.ts'
import type { DefaultsInput } from './input.ts'
import { hadSize, judgedSince, livesSince } from './lives.ts'

/** Either may be withheld, not both. */
type Judged = Readonly<{ delay: Proposal | Withheld; range: DefaultRange | Withheld }>

/** What is recommended: at least one of them. */
type Parts = Readonly<{ input: DefaultsInput; delay: Proposal | undefined; range: DefaultRange | undefined }>

export function jointProposal(input: DefaultsInput, judged: Judged): Proposal {
  const delay = 'ref' in judged.delay ? judged.delay : undefined
  const range = 'priced' in judged.range ? judged.range : undefined
  const parts: Parts = { input, delay, range }
  const to: Setting = { ...delay?.to, ...(range && { sizing: range.to }) }
  const spend = spendOf(parts)
  const saving = savingOf(parts, to, spend)
  const grounds = groundsOf(parts)
  return {
    ref: input.ref,
    kind: 'defaults',
    from: { ...delay?.from, ...(range && { sizing: range.priced.sizing }) },
    to,
    restarts: false,
    spend,
    saving,
    effect: effectOf(parts, to),
    confidence: confidenceOf(grounds.days, saving),
    grounds,
    alternatives: otherSettings(parts, to).map((other): Alternative => ({
      to: other,
      saving: savingOf(parts, other, spend),
      effect: effectOf(parts, other),
      because: delayFigures(parts, other)?.because ?? 'dearer',
    })),
    detail: detailOf(input, judged, range),
  }
}

function detailOf(
  input: DefaultsInput,
  { delay, range }: Judged,
  found: DefaultRange | undefined,
): RecommendationDetail {
  const { sizing } = found?.priced ?? {}
  const lives = livesSince(input, judgedSince(input)).filter(
    (life) => ('ref' in delay && life.restsOnDelay) || (sizing !== undefined && hadSize(life, sizing)),
  )
  const keeps = {
    ...('because' in delay && { delay: delay.because }),
    ...('because' in range && { sizing: range.because }),
  }
  return {
    kind: 'defaults',
    lives: lives.length,
    // another default size is in force on no existing compute
    atOnce: 'ref' in delay ? input.atOnce : 0,
    ...(Object.keys(keeps).length > 0 && { keeps }),
  }
}

/** Spend of the computes on which the recommendation rests. */
function spendOf({ input, delay, range }: Parts): Bounds<Micros> {
  if (!range) return delay?.spend ?? NO_MONEY
  if (!delay) return sizingSpend(range.priced, awakeUnder(range, input, undefined))
  const others = range.lives.filter(({ restsOnDelay }) => !restsOnDelay)
  const ofOthers = sizingSpend(range.priced, awakeUnder({ ...range, lives: others }, input, undefined))
  return addBounds(delay.spend, ofOthers, micros)
}

/** At most the spend. A field that `setting` does not have stays as it is. */
function savingOf(parts: Parts, setting: Setting, spend: Bounds<Micros>): Bounds<Micros> {
  const { input, range } = parts
  const ofDelay = delayFigures(parts, setting)?.saving ?? NO_MONEY
  if (!range || !setting.sizing) return ofDelay
  const change = { from: defaultDelayOf(input), to: setting.delay ?? defaultDelayOf(input) }
  const ofSize = sizingSaving(range.priced, setting.sizing, awakeUnder(range, input, change))
  const { low, likely, high } = addBounds(ofDelay, ofSize, micros)
  return { low, likely, high: micros(Math.min(high, spend.high)) }
}

/** Undefined where the delay stays as it is. */
function delayFigures(
  { delay }: Parts,
  setting: Setting,
): (Pick<Alternative, 'saving' | 'effect'> & { readonly because?: Alternative['because'] }) | undefined {
  if (!delay || setting.delay === undefined) return undefined
  const isSame = ({ to }: { to: Setting }) => to.delay === setting.delay
  return isSame(delay) ? { saving: delay.saving, effect: delay.effect } : delay.alternatives.find(isSame)
}

function effectOf(parts: Parts, setting: Setting): Effect {
  const { range } = parts
  const ofDelay = delayFigures(parts, setting)?.effect ?? NO_EFFECT
  if (!range || !setting.sizing) return ofDelay
  const { connections, throttled } = sizingEffect(range.priced, setting.sizing)
  return { ...ofDelay, connections, ...(throttled !== undefined && { throttled }) }
}

function groundsOf({ delay, range }: Parts): Grounds {
  const cu = range && { cu: sizesUnder(range.priced, range.to) }
  if (delay) return { ...delay.grounds, ...cu }
  if (!range) throw new Error('neither a delay nor a range is recommended')
  const { interval, covered, priced } = range
  return {
    ...interval,
    days: duration(interval) / DAY,
    followed: covered,
    cu: sizesUnder(priced, range.to),
    perCuHour: priced.perCuHour,
    gaps: [],
  }
}

/** Other delays with the same range, other ranges with the same delay, the delay alone, and what an open recommendation names; by value. */
function otherSettings(parts: Parts, to: Setting): readonly Setting[] {
  const { delay, range, input } = parts
  const sizes: readonly Sizing[] = range ? dearerSizings(range.priced, { to: range.to, because: 'dear' }) : []
  const open = input.previous.flatMap((row) => (row.life.state === 'open' ? [row.to] : []))
  const all = [
    ...(delay?.alternatives ?? []).map((other) => ({ ...to, ...other.to })),
    ...sizes.map((sizing) => ({ ...to, sizing })),
    ...(delay && range ? [delay.to] : []),
    ...open.filter((setting) => isAllowed(parts, setting)),
  ]
  const byKey = new Map(all.map((setting) => [settingKey(setting), setting]))
  byKey.delete(settingKey(to))
  return [...byKey.values()].toSorted((a, b) => settingRank(a) - settingRank(b))
}

/** Whether the figures of `setting` are known, and its range is one that may be recommended. */
function isAllowed(parts: Parts, { delay, sizing }: Setting): boolean {
  const hasDelay = delay === undefined || delayFigures(parts, { delay }) !== undefined
  if (!sizing) return hasDelay
  const { range } = parts
  if (!range) return false
  const { limits, sizing: now } = range.priced
  const isWithin = smallestCu(sizing) >= limits.least && largestCu(sizing) === largestCu(now)
  return hasDelay && isWithin && !isSameSizing(sizing, now)
}
