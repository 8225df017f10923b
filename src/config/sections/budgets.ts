import { array, enum as oneOf, int, NEVER, strictObject, string, union, type z } from 'zod'
import { createPeriodLookup, periodOf, type PeriodRule } from '../../calendar/period.ts'
import { partsInside, partsOutside, type Window } from '../../calendar/window.ts'
import { parseDays } from '../../calendar/window-text.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Budget, BudgetLimit } from '../../model/policy/budget.ts'
import { matchesEverything, type Selector } from '../../model/policy/selector.ts'
import { cuMillis, instant, millis } from '../../model/units.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { repeatedName, unknownNameText } from '../suggestions.ts'
import { labelSchema, ofObject, optionalText, parsed, selectorShape, zoneSchema } from '../parts.ts'
import { parseMoney } from '../units.ts'

const exempt = strictObject(selectorShape)
const LIMIT = 'expected an amount above 0 and its unit, such as 200 USD, 500 cu_hours or 100 awake_hours'

/** Characters of a limit; a longer text may be a secret in the wrong place. */
const MAX_SHOWN = 20

/** `200 USD`, `0.5 cu_hours`, `100 awake_hours`; 0 is refused. */
function parseLimit(text: string): Result<BudgetLimit, string> {
  const [number = '', unit = '', ...more] = text.trim().split(/\s+/)
  const amount = parseMoney(number)
  if (!amount || more.length > 0 || !/^[\p{L}\p{Sc}][\p{L}\p{Sc}_]*$/u.test(unit))
    return failed(text.length > MAX_SHOWN ? LIMIT : `${LIMIT}, got ${text}`)
  const inMillis = Number((amount * 3.6).toFixed(0))
  if (unit === 'cu_hours') return ok({ unit, amount: cuMillis(inMillis) })
  if (unit === 'awake_hours') return ok({ unit, amount: millis(inMillis) })
  return ok({ unit: 'money', amount, currency: unit })
}

const MONTH_DAY = 'expected a day of the month, 1 to 31; the last one where a month has no such day'

const budget = strictObject({
  name: labelSchema.describe(
    'Labels everything that belongs to the budget. A renamed budget is counted anew.',
  ),
  scope: strictObject({
    account: string().optional().describe('The account; may be left out where there is only one.'),
    ...selectorShape,
  })
    .prefault({})
    .describe('Which computes count: those that fit everything given here.'),
  exempt: union([exempt, array(exempt)])
    .optional()
    .describe('Computes that count but are never changed because of the budget.'),
  limit: string(LIMIT)
    .transform(parsed(parseLimit))
    .describe('What may be spent in one period: 200 USD, 500 cu_hours or 100 awake_hours.'),
  per: oneOf(['day', 'week', 'month', 'window'])
    .prefault('month')
    .describe('The period; window: from one opening of the window under in to the next.'),
  zone: zoneSchema.optional().describe('The time zone of its days, in place of timezone.'),
  anchor: union([int(MONTH_DAY).min(1, MONTH_DAY).max(31, MONTH_DAY), string()], MONTH_DAY)
    .optional()
    .describe('The day of the month or of the week that the period begins with; by default 1 and Mon.'),
  in: string().optional().describe('Only what is spent inside this window counts.'),
  outside: string().optional().describe('Only what is spent outside this window counts.'),
  team: optionalText.describe(
    'The team that answers for it; by default the team of its computes, if they have only one.',
  ),
  mode: oneOf(['soft', 'hard'])
    .prefault('soft')
    .describe(
      'What is changed where policies allow it, besides notifications. soft: at 80 % of the limit, delays go to autosuspend.floor. hard: at 100 %, largest sizes also go to the smallest or to sizing.min. All of it is put back at the start of the next period.',
    ),
})
  .refine(
    (given) => given.in === undefined || given.outside === undefined,
    ofObject('expected at most one of in and outside'),
  )
  .refine(
    ({ per, in: window }) => per !== 'window' || window !== undefined,
    ofObject('per window needs a window under in'),
  )
  .refine(({ mode, scope }) => mode === 'soft' || !matchesEverything(scope), {
    error:
      'expected soft: a budget of a whole account only tells, so name projects, branches, computes or a type',
    path: ['mode'],
  })
  .transform((given, context) => {
    const anchor = anchorOf(given.per, given.anchor)
    if (typeof anchor === 'number') return { ...given, anchor }
    context.addIssue({ code: 'custom', path: ['anchor'], message: anchor })
    return NEVER
  })

/** Or the problem with it. */
function anchorOf(per: string, anchor: number | string | undefined): number | string {
  if (per === 'month') return typeof anchor === 'string' ? MONTH_DAY : (anchor ?? 1)
  if (per !== 'week') return anchor === undefined ? 0 : `a period of a ${per} has no anchor`
  const days = parseDays(String(anchor ?? 'Mon'))
  const [day, ...more] = days.ok ? days.value : []
  return day === undefined || more.length > 0 ? 'expected the day that a week begins with, such as Mon' : day
}

export const budgetsSchema = array(budget, 'expected a list of budgets')

type Entry = z.output<typeof budget>

type BudgetContext = Readonly<{
  timezone: Zone
  windows: ReadonlyMap<string, Window>
  /** Account → currency, undefined while its prices are unknown. */
  currencies: ReadonlyMap<string, string | undefined>
}>

export function buildBudgets(entries: readonly Entry[], context: BudgetContext) {
  return {
    budgets: entries.map((entry) => budgetOf(entry, context)),
    problems: entries.flatMap((entry, index) => [
      ...repeatedName('budgets', entries, index),
      ...[...accountProblems(entry, context), ...windowProblems(entry, context)].map(
        (problem) => `budgets[${index}].${problem}`,
      ),
    ]),
  }
}

function accountProblems(entry: Entry, context: BudgetContext) {
  const names = [...context.currencies.keys()]
  const account = accountOf(entry, context)
  if (account === undefined)
    return entry.scope.account === undefined
      ? [`scope.account: is missing: expected one of ${names.join(', ')}`]
      : [`scope.account: ${unknownNameText('account', entry.scope.account, names)}`]
  const currency = context.currencies.get(account)
  const { limit: allowed } = entry
  if (allowed.unit !== 'money' || currency === undefined || currency === allowed.currency) return []
  return [`limit: expected ${currency}, the currency of account ${account}, got ${allowed.currency}`]
}

function windowProblems(entry: Entry, context: BudgetContext) {
  const names = [...context.windows.keys()]
  const unknown = (['in', 'outside'] as const).flatMap((key) => {
    const name = entry[key]
    return name === undefined || names.includes(name)
      ? []
      : [`${key}: ${unknownNameText('window', name, names)}`]
  })
  if (unknown.length > 0 || hasPeriods(ruleOf(entry, context))) return unknown
  return [`in: ${entry.in} ${NO_PERIODS}`]
}

const accountOf = ({ scope: { account } }: Entry, { currencies }: BudgetContext) => {
  if (account !== undefined) return currencies.has(account) ? account : undefined
  const [only, ...more] = currencies.keys()
  return more.length === 0 ? only : undefined
}

const NO_PERIODS =
  'does not open again and again, with time in between: expected a window that does, to count per window'

/** A window that opens again and again does so around any instant. */
const hasPeriods = (rule: PeriodRule) => rule.per !== 'window' || periodOf(rule, instant(0)) !== undefined

function ruleOf({ per, anchor, ...entry }: Entry, { timezone, windows }: BudgetContext): PeriodRule {
  const zone = entry.zone ?? timezone
  if (per === 'day') return { per, zone }
  if (per !== 'window') return { per, zone, anchor }
  const window = windows.get(entry.in ?? '')
  return window ? { per, window } : { per: 'day', zone }
}

function budgetOf(entry: Entry, context: BudgetContext): Budget {
  const { limit, per } = entry
  const { account: _, ...scope } = entry.scope
  const rule = ruleOf(entry, context)
  const zone = entry.zone ?? context.timezone
  const inside = context.windows.get(entry.in ?? '')
  const outside = context.windows.get(entry.outside ?? '')
  return {
    name: entry.name,
    account: accountOf(entry, context) ?? '',
    scope,
    exempt: [entry.exempt ?? []].flat() satisfies readonly Selector[],
    limit,
    team: entry.team,
    mode: entry.mode,
    per,
    // dates of a window are no part of it: what was counted must not be lost when a holiday is added
    definition: JSON.stringify([scope, limit.unit, per, zone.name, entry.anchor, entry.in, entry.outside]),
    periodAt: createPeriodLookup(rule),
    wallAt: zone.wallAt,
    countedIn(from, to) {
      if (inside) return partsInside(inside, from, to)
      return outside ? partsOutside(outside, from, to) : [{ from, to }]
    },
  }
}
