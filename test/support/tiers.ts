// When tests run. `npm test` runs the short form of what takes long, and skips what needs a program that is missing; with `CI=true`
// everything runs.
import { constants, setPriority } from 'node:os'
import { test } from 'vitest'
import { isInstalled, type Program } from './programs.ts'

const isFull = process.env['CI'] === 'true'

/** The size of a test: `full` with `CI=true`, else `short`. */
export const bySize = <Size>(full: Size, short: Size): Size => (isFull ? full : short)

/** Splits cases into those that always run, one of `every`, and the others, for `longTest`. */
export const splitCases = <Case>(
  cases: readonly Case[],
  every: number,
): readonly [short: Case[], others: Case[]] => [
  cases.filter((_, index) => index % every === 0),
  cases.filter((_, index) => index % every !== 0),
]

/** A test that runs with `CI=true` only. Elsewhere it is skipped and counted. */
export const longTest: typeof test = isFull ? test : (test.skip as typeof test)

/** `test`, skipped where one of `programs` is missing. With `CI=true` it runs nevertheless, and fails. */
export const testWith = (...programs: readonly Program[]): typeof test =>
  isFull || programs.every(isInstalled) ? test : (test.skip as typeof test)

/**
 * Gives this process, and what it starts, the time that other processes leave: for work that takes long beside tests that mostly wait. Only
 * in a file with a worker to itself.
 */
export const runInBackground = (): void => setPriority(constants.priority.PRIORITY_LOW)
