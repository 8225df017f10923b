// Months of operations, as the service tells them, in the daemon's own account: the past of the local service is the truth.
import { expect, test } from 'vitest'
import {
  EMPTY_EVIDENCE,
  addLook,
  addOperations,
  addOperationsRead,
} from '../../src/ledger/evidence/evidence.ts'
import { deriveTimeline } from '../../src/ledger/evidence/intervals.ts'
import { endpointWire, operationWire } from '../../src/local/api/wire/records.ts'
import type { UseRecord } from '../../src/local/control/usage/usage.ts'
import { type GeneratedProject, generateProjects } from '../../src/local/history/generate.ts'
import type { Compute } from '../../src/model/service/compute.ts'
import type { AwakeInterval, Edge } from '../../src/model/ledger/evidence.ts'
import type { Operation } from '../../src/model/service/operation.ts'
import type { Result } from '../../src/std/result.ts'
import { instant, seconds } from '../../src/model/units.ts'
import { decodeComputes, decodeOperations } from '../../src/service/wire/decode.ts'
import { NOW, past } from '../local/history/build.ts'

const now = instant(NOW)

function all<Item>(
  read: Result<{ readonly items: readonly Item[]; readonly problems: readonly string[] }, unknown>,
): readonly Item[] {
  if (!read.ok) throw new Error(String(read.error))
  expect(read.value.problems).toEqual([])
  return read.value.items
}

const computesOf = ({ project }: GeneratedProject): readonly Compute[] => {
  const view = { now: NOW, lag: 5000, suffix: 'localhost', loopback: false }
  const endpoints = project.computes.map((compute) => endpointWire(project.id, compute, view))
  return all(decodeComputes({ endpoints }))
}

/** What the list of operations and one look at the compute tell. */
function awakeBy(operations: readonly Operation[], compute: Compute): readonly AwakeInterval[] {
  const its = operations.filter(({ endpointId }) => endpointId === compute.endpointId)
  const told = addOperations(EMPTY_EVIDENCE, its)
  const look = { compute, askedAt: now, answeredAt: now, askedOn: seconds(0) }
  const evidence = addLook(addOperationsRead(told, { operations: its, operationsLost: false }, now), look)
  return deriveTimeline(evidence, { settledUntil: instant(0), partlySettled: undefined }, now).intervals
}

type Awake = { readonly from: number; readonly to: number | undefined }

/** Where the compute was awake at whatever size: a new size begins a new interval of the truth. */
function awakeIn(use: UseRecord | undefined): readonly Awake[] {
  const intervals: readonly Awake[] = [
    ...(use?.intervals ?? []),
    ...(use?.open ? [{ from: use.open.from, to: undefined }] : []),
  ]
  const begins = intervals.filter(({ from }, at) => intervals[at - 1]?.to !== from)
  const ends = intervals.filter(({ to }, at) => to === undefined || intervals[at + 1]?.from !== to)
  return begins.map(({ from }, at) => ({ from, to: ends[at]?.to }))
}

const holds = ({ earliest, latest }: Edge, at: number): boolean => earliest <= at && at <= latest

/** Whether the account dates both ends of an interval truly, or knows that it goes on. */
const isTrue = (told: AwakeInterval | undefined, { from, to }: Awake): boolean =>
  told !== undefined &&
  holds(told.from, from) &&
  (told.to === undefined || to === undefined ? told.to === to : holds(told.to, to))

test('every awake interval of a month is told, and each of its ends lies where the account says', () => {
  let intervals = 0
  for (const one of generateProjects(past())) {
    const operations = all(decodeOperations({ operations: one.operations.map(operationWire) }))
    for (const compute of computesOf(one)) {
      const truth = awakeIn(one.uses.find(({ endpointId }) => endpointId === compute.endpointId))
      const told = awakeBy(operations, compute)
      expect(told.length).toBe(truth.length)
      expect(truth.filter((awake, at) => !isTrue(told[at], awake))).toEqual([])
      intervals += truth.length
    }
  }
  expect(intervals).toBeGreaterThan(1000)
})
