// The section `budgets`. `buildBudgets` resolves the names of accounts and windows.
import { z } from 'zod'
import { periodOf, type PeriodRule } from '../../calendar/period.ts'
import { partsInside, partsOutside, type Window } from '../../calendar/window.ts'
import { parseDays } from '../../calendar/window-text.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Budget, BudgetLimit } from '../../model/policy/budget.ts'
import { matchesEverything, type Selector } from '../../model/policy/selector.ts'
import { cuMillis, instant, millis } from '../../model/units.ts'
import { selectorShape } from './selector.ts'
import { unknownNameText } from '../suggestions.ts'
import { parseMoney } from '../units.ts'
import { zoneSchema } from './zone.ts'

const exempt = z.strictObject(selectorShape)

const LIMIT = 'expected an amount above 0 and its unit, such as 200 USD, 500 cu_hours or 100 awake_hours'

const limit = z.string(LIMIT).transform((text, context): BudgetLimit => {
  const parsed = parseLimit(text)
  if (parsed) return parsed
  context.addIssue(`${LIMIT}, got ${text}`)
  return z.NEVER
})

/** `200 USD`, `0.5 cu_hours`, `100 awake_hours`; undefined for anything else, 0 included. */
function parseLimit(text: string): BudgetLimit | undefined {
  const [number = '', unit = '', ...more] = text.trim().split(/\s+/)
  const amount = parseMoney(number)
  if (!amount || more.length > 0 || !/^[\p{L}\p{Sc}][\p{L}\p{Sc}_]*$/u.test(unit)) return undefined
  const inMillis = (amount * 3.6).toFixed(0)
  if (unit === 'cu_hours') return { unit, amount: cuMillis(Number(inMillis)) }
  if (unit === 'awake_hours') return { unit, amount: millis(Number(inMillis)) }
  return { unit: 'money', amount, currency: unit }
}

/** Holds for a part that fits, whatever is wrong beside it: all problems are told at once. */
const whenObject = ({ value }: { value: unknown }): boolean => typeof value === 'object' && value !== null

const MONTH_DAY = 'expected a day of the month, 1 to 31; the last one where a month has no such day'

const budget = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/, 'expected 1 to 40 of the characters a-z 0-9 -')
      .describe('Labels everything that belongs to the budget. Renaming it begins its counting anew.'),
    scope: z
      .strictObject({
        account: z.string().optional().describe('The account; may be left out where there is only one.'),
        ...selectorShape,
      })
      .prefault({})
      .describe('Which computes count: those that fit everything given here.'),
    exempt: z
      .union([exempt, z.array(exempt)])
      .optional()
      .describe('Computes that count and are never acted upon.'),
    limit: limit.describe('What may be spent in one period: 200 USD, 500 cu_hours or 100 awake_hours.'),
    per: z
      .enum(['day', 'week', 'month', 'window'])
      .prefault('month')
      .describe('The period; window is from one opening of the window under in to the next.'),
    zone: zoneSchema.optional().describe('Where days begin, in place of timezone.'),
    anchor: z
      .union([z.int(MONTH_DAY).min(1, MONTH_DAY).max(31, MONTH_DAY), z.string()], MONTH_DAY)
      .optional()
      .describe('The day of the month or of the week that the period begins with; 1 and Mon when absent.'),
    in: z.string().optional().describe('Only what is spent inside this window counts.'),
    outside: z.string().optional().describe('Only what is spent outside this window counts.'),
    team: z
      .string()
      .min(1)
      .optional()
      .describe('Whose it is; that of its computes, where all have one, when absent.'),
    mode: z
      .enum(['soft', 'hard'])
      .prefault('soft')
      .describe('soft: tell. hard: act, where policies allow it.'),
  })
  .refine((given) => given.in === undefined || given.outside === undefined, {
    error: 'expected at most one of in and outside',
    when: whenObject,
  })
  .refine(({ per, in: window }) => per !== 'window' || window !== undefined, {
    error: 'per window needs a window under in',
    when: whenObject,
  })
  .refine(({ mode, scope }) => mode === 'soft' || !matchesEverything(scope), {
    error:
      'expected soft: a budget of a whole account only tells, so name projects, branches, computes or a type',
    path: ['mode'],
  })
  .transform((given, context) => {
    const anchor = anchorOf(given)
    if (typeof anchor === 'number') return { ...given, anchor }
    context.addIssue({ code: 'custom', path: ['anchor'], message: anchor })
    return z.NEVER
  })

/** The day of the month or week that the period begins with, or what is wrong with it. */
function anchorOf({
  per,
  anchor,
}: {
  readonly per: string
  readonly anchor?: number | string | undefined
}): number | string {
  if (per === 'month') return typeof anchor === 'string' ? MONTH_DAY : (anchor ?? 1)
  if (per !== 'week') return anchor === undefined ? 0 : `a period of a ${per} has no anchor`
  const days = parseDays(String(anchor ?? 'Mon'))
  const [day, ...more] = days.ok ? days.value : []
  return day === undefined || more.length > 0 ? 'expected the day that a week begins with, such as Mon' : day
}

export const budgetsSchema = z.array(budget, 'expected a list of budgets')

type Entry = z.output<typeof budget>

type Known = {
  readonly timezone: Zone
  readonly windows: ReadonlyMap<string, Window>
  /** Name of each account → label of its money, where that is known. */
  readonly currencies: ReadonlyMap<string, string | undefined>
}

export type BuiltBudgets = { readonly budgets: readonly Budget[]; readonly problems: readonly string[] }

/** The budgets in the order of the file, and everything that is wrong with them. */
export function buildBudgets(entries: readonly Entry[], known: Known): BuiltBudgets {
  return {
    budgets: entries.map((entry) => budgetOf(entry, known)),
    problems: entries.flatMap((entry, index) => {
      const first = entries.findIndex(({ name }) => name === entry.name)
      const repeated = first === index ? [] : [`name: ${entry.name} is the name of budgets[${first}], too`]
      return [...repeated, ...problemsOf(entry, known)].map((problem) => `budgets[${index}].${problem}`)
    }),
  }
}

const problemsOf = (entry: Entry, known: Known): string[] => [
  ...accountProblems(entry, known),
  ...windowProblems(entry, known),
]

function accountProblems(entry: Entry, known: Known): string[] {
  const { account } = entry.scope
  const accounts = [...known.currencies.keys()]
  const found = accountOf(entry, known)
  if (found === undefined)
    return account === undefined
      ? [`scope.account: is missing: expected one of ${accounts.join(', ')}`]
      : [`scope.account: ${unknownNameText('account', account, accounts)}`]
  const { limit: planned } = entry
  const currency = known.currencies.get(found)
  if (planned.unit !== 'money' || currency === undefined || currency === planned.currency) return []
  return [`limit: expected ${currency}, the currency of account ${found}, got ${planned.currency}`]
}

function windowProblems(entry: Entry, known: Known): string[] {
  const names = [...known.windows.keys()]
  const unknown = (['in', 'outside'] as const).flatMap((key) => {
    const name = entry[key]
    return name === undefined || names.includes(name)
      ? []
      : [`${key}: ${unknownNameText('window', name, names)}`]
  })
  if (unknown.length > 0 || hasPeriods(ruleOf(entry, known))) return unknown
  return [`in: ${entry.in} ${NO_PERIODS}`]
}

const accountOf = ({ scope: { account } }: Entry, { currencies }: Known): string | undefined => {
  if (account !== undefined) return currencies.has(account) ? account : undefined
  const [only, ...more] = currencies.keys()
  return more.length === 0 ? only : undefined
}

const NO_PERIODS =
  'does not open again and again, with time in between: expected a window that does, to count per window'

/** Any instant will do for what comes again and again. */
const hasPeriods = (rule: PeriodRule): boolean =>
  rule.per !== 'window' || periodOf(rule, instant(0)) !== undefined

function ruleOf({ per, anchor, ...entry }: Entry, { timezone, windows }: Known): PeriodRule {
  const own = entry.zone ?? timezone
  if (per === 'day') return { per, zone: own }
  if (per !== 'window') return { per, zone: own, anchor }
  const window = windows.get(entry.in ?? '')
  return window ? { per, window } : { per: 'day', zone: own }
}

function budgetOf(entry: Entry, known: Known): Budget {
  const { account: _, ...scope } = entry.scope
  const rule = ruleOf(entry, known)
  const own = (entry.zone ?? known.timezone).name
  const within = known.windows.get(entry.in ?? '')
  const beside = known.windows.get(entry.outside ?? '')
  return {
    name: entry.name,
    account: accountOf(entry, known) ?? '',
    scope,
    exempt: [entry.exempt ?? []].flat() satisfies readonly Selector[],
    limit: entry.limit,
    team: entry.team,
    mode: entry.mode,
    per: entry.per,
    // another calendar for a window is no other budget: what was counted is not thrown away for a holiday
    definition: JSON.stringify([
      scope,
      entry.limit.unit,
      entry.per,
      own,
      entry.anchor,
      entry.in,
      entry.outside,
    ]),
    periodAt: (at) => periodOf(rule, at),
    wallAt: (entry.zone ?? known.timezone).wallAt,
    countedIn(from, to) {
      if (within) return partsInside(within, from, to)
      return beside ? partsOutside(beside, from, to) : [{ from, to }]
    },
  }
}
