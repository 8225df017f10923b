// Awake intervals derived from months of operations, compared with the generated history of the local service.
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

function itemsOf<Item>(
  read: Result<{ readonly items: readonly Item[]; readonly problems: readonly string[] }, unknown>,
): readonly Item[] {
  if (!read.ok) throw new Error(String(read.error))
  expect(read.value.problems).toEqual([])
  return read.value.items
}

const computesOf = ({ project }: GeneratedProject): readonly Compute[] => {
  const view = { now: NOW, lag: 5000, suffix: 'localhost', loopback: false }
  const endpoints = project.computes.map((compute) => endpointWire(project.id, compute, view))
  return itemsOf(decodeComputes({ endpoints }))
}

/** Awake intervals derived from the list of operations and one look at the compute. */
function awakeBy(operations: readonly Operation[], compute: Compute): readonly AwakeInterval[] {
  const its = operations.filter(({ endpointId }) => endpointId === compute.endpointId)
  const listed = addOperations(EMPTY_EVIDENCE, its)
  const look = { compute, askedAt: now, answeredAt: now, askedOn: seconds(0) }
  const evidence = addLook(addOperationsRead(listed, { operations: its, operationsLost: false }, now), look)
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

/** True where the ledger's bounds contain both ends of a real interval, or both say that it continues. */
const isTrue = (derived: AwakeInterval | undefined, { from, to }: Awake): boolean =>
  derived !== undefined &&
  holds(derived.from, from) &&
  (derived.to === undefined || to === undefined ? derived.to === to : holds(derived.to, to))

test('every awake interval of a month is told, and each of its ends lies where the account says', () => {
  let intervals = 0
  for (const one of generateProjects(past())) {
    const operations = itemsOf(decodeOperations({ operations: one.operations.map(operationWire) }))
    for (const compute of computesOf(one)) {
      const truth = awakeIn(one.uses.find(({ endpointId }) => endpointId === compute.endpointId))
      const derived = awakeBy(operations, compute)
      expect(derived.length).toBe(truth.length)
      expect(truth.filter((awake, at) => !isTrue(derived[at], awake))).toEqual([])
      intervals += truth.length
    }
  }
  expect(intervals).toBeGreaterThan(1000)
})
