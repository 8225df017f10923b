// Every call of a port at which a process may end, with every fault of the first two requests.
import { describe, expect, test } from 'vitest'
import { afterAnswer } from '../../../src/apply/answers.ts'
import { nextStep } from '../../../src/apply/next-step.ts'
import type { ApplyMachine } from '../../../src/daemon/changes/apply-loop-options.ts'
import { cu, seconds } from '../../../src/model/units.ts'
import { bySize } from '../../support/tiers.ts'
import { FAULTS } from './faulty-service.ts'
import { live, type Life, type Outcome, type Variant } from './world.ts'

const SAFE: Variant = { settle: seconds(120) }
/** Sends again what was not answered. */
const BLIND: ApplyMachine = {
  nextStep,
  afterAnswer: (state, given) => {
    const next = afterAnswer(state, given)
    if (next.at !== 'applying') return next
    const { approvedBy, attempt } = state
    return { at: 'scheduled', approvedBy, notBefore: given.now, attempts: attempt }
  },
}

const numbers = (length: number): readonly number[] => Array.from({ length }, (_, index) => index)

/** A process ends at most after so many calls of ports; one that works on calls more. */
const CALLS = 40

const livesOf = (kind: Life['kind']): readonly Life[] =>
  FAULTS.flatMap((first) =>
    FAULTS.flatMap((second) =>
      numbers(CALLS + 1).flatMap((crash): Life[] => [
        { kind, faults: [first, second], crashes: crash === CALLS ? [] : [crash] },
        { kind, faults: [first, second], crashes: [crash, (7 * crash) % CALLS] },
      ]),
    ),
  )
/** Those that restart a compute. */
const RESTARTING: readonly Life[] = [...livesOf('sizing'), ...livesOf('restart')]

/** Spread over all: an odd step meets each crash and each fault. */
const sample = (count: number, lives = RESTARTING): readonly Life[] => {
  const step = Math.max(1, Math.floor(lives.length / count)) | 1
  return lives.filter((_, index) => index % step === 0)
}

type LifeAndOutcome = Readonly<{ life: Life; outcome: Outcome }>

async function liveAll(chosen: readonly Life[], variant: Variant): Promise<readonly LifeAndOutcome[]> {
  const outcomes: LifeAndOutcome[] = []
  for (const life of chosen) {
    // oxlint-disable-next-line no-await-in-loop -- each on its own virtual clock
    outcomes.push({ life, outcome: await live(life, variant) })
  }
  return outcomes
}

/** Sends again though somebody else has set another value. */
const OVERWRITING: ApplyMachine = {
  afterAnswer,
  nextStep: (input, now) => {
    const step = nextStep(input, now)
    if (step.do !== 'record' || step.state.at !== 'superseded' || input.change.state.at !== 'applying')
      return step
    const { approvedBy, attempt } = input.change.state
    const change = { ...input.change, before: { sizing: { fixed: cu(2) } } }
    const state = { at: 'scheduled', approvedBy, notBefore: now, attempts: attempt } as const
    return nextStep({ ...input, change: { ...change, state } }, now)
  },
}

/** A person comes so many seconds after the start: before, during and after the requests of a life. */
const ARRIVALS = [1, 30, 60, 125, 190, 300]

const withPerson = (chosen: readonly Life[]): readonly Life[] =>
  chosen
    .filter(({ kind }) => kind !== 'restart')
    .map((life, index) => ({ ...life, personAt: ARRIVALS[index % ARRIVALS.length] ?? 1 }))

const overwritten = (outcomes: readonly LifeAndOutcome[]) =>
  outcomes.filter(({ outcome }) => isOverwritten(outcome))

/** Lives until one shows what is searched for. */
async function isFound(
  chosen: readonly Life[],
  variant: Variant,
  isWrong: (outcome: Outcome) => boolean,
): Promise<boolean> {
  for (const life of chosen) {
    // oxlint-disable-next-line no-await-in-loop -- each on its own virtual clock
    if (isWrong(await live(life, variant))) return true
  }
  return false
}

const isTwice = ({ effects }: Outcome): boolean => effects > 1
const isOverwritten = ({ overwrites }: Outcome): boolean => overwrites > 0

const twice = (outcomes: readonly LifeAndOutcome[]) => outcomes.filter(({ outcome }) => isTwice(outcome))

describe('lives of a change', () => {
  test.each<[string, readonly Life[]]>([
    ['a size or a restart', sample(bySize(2500, 300))],
    ['defaults of a project', sample(bySize(300, 20), livesOf('defaults'))],
  ])('%s: each ends, and took effect at most once; once where it is done', async (_, chosen) => {
    const outcomes = await liveAll(chosen, SAFE)
    expect(outcomes.filter(({ outcome }) => !outcome.hasEnded)).toEqual([])
    expect(outcomes.filter(({ outcome }) => outcome.tallied !== 1)).toEqual([])
    expect(twice(outcomes)).toEqual([])
    const notOnce = outcomes.filter(
      ({ outcome: { change, effects } }) => change.state.at === 'done' && effects !== 1,
    )
    expect(notOnce).toEqual([])
    const ends = new Set(outcomes.map(({ outcome }) => outcome.change.state.at))
    expect([...ends]).toEqual(['done'])
  })

  test('sending again what was not answered is found', async () => {
    expect(await isFound(sample(600), { ...SAFE, machine: BLIND }, isTwice)).toBe(true)
  })

  test('sending again what may still land is found', async () => {
    expect(await isFound(sample(600), { settle: seconds(0) }, isTwice)).toBe(true)
  })

  test.each<[string, readonly Life[]]>([
    ['a size', sample(bySize(600, 40))],
    ['defaults of a project', sample(bySize(100, 10), livesOf('defaults'))],
  ])('%s: no value of a person is overwritten, whatever ends or fails', async (_, chosen) => {
    const outcomes = await liveAll(withPerson(chosen), SAFE)
    expect(overwritten(outcomes)).toEqual([])
    expect(twice(outcomes)).toEqual([])
    expect(outcomes.filter(({ outcome }) => !outcome.hasEnded)).toEqual([])
  })

  test('a value of a person that is overwritten is found', async () => {
    expect(await isFound(withPerson(sample(600)), { ...SAFE, machine: OVERWRITING }, isOverwritten)).toBe(
      true,
    )
  })

  test.each(FAULTS)('a value that a person set while a request was open stays: %s', async (fault) => {
    const { change, size, hasEnded } = await live(
      { kind: 'sizing', faults: [fault, 'none'], crashes: [], personAt: 60 },
      SAFE,
    )
    expect(hasEnded).toBe(true)
    // a late request was written before the person came: nothing can call it back
    const isLate = fault === 'late'
    expect(size).toBe(isLate ? 0.25 : 2)
    expect(change.state.at).toBe(['not sent', 'lost before', 'busy'].includes(fault) ? 'superseded' : 'done')
  })
})
