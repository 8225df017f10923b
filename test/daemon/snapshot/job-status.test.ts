import { expect, test } from 'vitest'
import { jobStatus, type JobRuns } from '../../../src/daemon/snapshot/job-status.ts'
import { seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'

const run = (begun: number, took: number) => ({ begunAt: at(begun), took: seconds(took) })
const runsOf = (changed: Partial<JobRuns> = {}): JobRuns => ({
  interval: seconds(60),
  last: run(120, 5),
  failures: 0,
  succeeded: run(120, 5),
  since: at(0),
  ...changed,
})

test('a success is due an interval after the last one, and may be three intervals late', () => {
  expect(jobStatus('pass', [runsOf()])).toEqual({
    name: 'pass',
    lastSuccessAt: at(125),
    nextRunAt: at(180),
    deadlineAt: at(180 + 5 + 180),
  })
})

test('failures delay the next run as in the loop, and never the deadline', () => {
  const failing = [1, 2, 3, 4, 5, 9].map((failures) =>
    jobStatus('pass', [runsOf({ failures, last: run(180, 1) })]),
  )
  expect(failing.map((job) => job?.nextRunAt)).toEqual([240, 300, 420, 660, 660, 660].map(at))
  expect(new Set(failing.map((job) => job?.deadlineAt))).toEqual(new Set([at(365)]))
})

test('a run that takes longer than its interval has as much more time', () => {
  const slow = run(120, 136)
  expect(jobStatus('pass', [runsOf({ last: slow, succeeded: slow })])).toMatchObject({
    nextRunAt: at(300),
    deadlineAt: at(300 + 136 + 408),
  })
})

test('without any success the deadline counts from the start', () => {
  const never = runsOf({ succeeded: undefined, failures: 2 })
  expect(jobStatus('pass', [never])).toMatchObject({ lastSuccessAt: undefined, deadlineAt: at(240) })
})

test('the status is that of the account furthest behind', () => {
  const behind = runsOf({ succeeded: run(60, 5) })
  expect(jobStatus('pass', [runsOf(), behind, runsOf()])).toMatchObject({
    lastSuccessAt: at(65),
    deadlineAt: at(305),
  })
  expect(jobStatus('pass', [runsOf(), runsOf({ succeeded: undefined })])?.lastSuccessAt).toBeUndefined()
  expect(jobStatus('pass', [])).toBeUndefined()
})
