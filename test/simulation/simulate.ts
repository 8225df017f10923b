// `npm run simulate`: the real daemon against the local service on virtual time, with faults, crashes and people, judged by the truth of
// the service.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { isBrokenRule, type BrokenRule } from './changes/broken-rules.ts'
import { catchRule, jobsOf, RULES, startProcesses, type CaughtRule } from './changes/run-seeds.ts'
import type { SeedResult } from './changes/run-seed.ts'
import { problemsOf, summarise, type Summary } from './changes/summary.ts'

const HELP = `npm run simulate -- [--seeds N] [--days D] [--seed FIRST] [--broken RULE|all] [--json]

Lives of computes under the real daemon: each seed draws computes that are 35 days old, their clients, people, faults and crashes.
  --seeds N      how many, by default 20
  --days D       how long each lives, by default 1
  --seed FIRST   the first; by default it is drawn, and printed
  --broken RULE  runs the same seeds with a broken rule until one catches it: all, or one of
                 ${RULES.join(', ')}
  --json         prints one object
Exit codes: 0 all invariants held and enough was seen, 1 otherwise, 2 wrong usage.`

type Options = Readonly<{
  seeds: number
  days: number
  first: number
  rules: readonly BrokenRule[] | undefined
  isJson: boolean
}>

/** Seeds that are drawn are below it: short enough to type. */
const MAX_SEED = 1_000_000

/** @throws with a line for the person who typed it */
function optionsOf(words: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...words],
    options: {
      seeds: { type: 'string', default: '20' },
      days: { type: 'string', default: '1' },
      seed: { type: 'string' },
      broken: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  return {
    seeds: wholeNumber('seeds', values.seeds),
    days: wholeNumber('days', values.days),
    first: values.seed === undefined ? randomInt(1, MAX_SEED) : wholeNumber('seed', values.seed),
    rules: rulesOf(values.broken),
    isJson: values.json,
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name}: expected a whole number from 1, got ${text}`)
  return Number(text)
}

function rulesOf(name: string | undefined): readonly BrokenRule[] | undefined {
  if (name === undefined) return undefined
  if (name === 'all') return RULES
  if (!isBrokenRule(name))
    throw new Error(`--broken: expected all or one of ${RULES.join(', ')}, got ${name}`)
  return [name]
}

async function simulate({ seeds, days, first, rules }: Options) {
  using processes = startProcesses()
  const results = await processes.run(jobsOf({ first, seeds, days }))
  const caught: CaughtRule[] = []
  for (const rule of rules ?? []) {
    // oxlint-disable-next-line no-await-in-loop -- each with all processes
    const one = await catchRule(processes, { first, seeds, days }, rule)
    caught.push(one)
    console.error(`${rule}: ${one.caught ? `caught by seed ${one.seed}, ${one.invariant}` : 'not caught'}`)
  }
  return { results, summary: summarise(results, { first, days, ...(rules && { rules: caught }) }) }
}

/** With the newest events before it. */
const violationText = ({ seed, violation }: SeedResult): string | undefined =>
  violation &&
  [
    `seed ${seed}: ${violation.invariant}: ${violation.detail}`,
    ...violation.last.map((line) => `  ${line}`),
    `again: npm run simulate -- --seeds 1 --seed ${seed}`,
  ].join('\n')

const textOf = (summary: Summary): string =>
  Object.entries(summary)
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join('\n')

async function main(words: readonly string[]): Promise<number> {
  let options: Options | 'help'
  try {
    options = optionsOf(words)
  } catch (err) {
    console.error(err instanceof Error ? err.message : err)
    return 2
  }
  if (options === 'help') {
    console.log(HELP)
    return 0
  }
  console.error(`seeds ${options.first} to ${options.first + options.seeds - 1}, ${options.days} days each`)
  const { results, summary } = await simulate(options)
  for (const text of results.map(violationText)) if (text !== undefined) console.error(text)
  console.log(options.isJson ? JSON.stringify(summary) : textOf(summary))
  const problems = problemsOf(summary)
  for (const problem of problems) console.error(problem)
  return problems.length === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
