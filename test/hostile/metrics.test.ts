// Whatever a malicious service or Postgres says, /metrics has only lines that the catalogue describes.
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NotRead, Reading } from '../../src/model/observation.ts'
import { clientsQuery } from '../../src/observe/reading/clients-query.ts'
import { serverReading } from '../../src/observe/reading/readings.ts'
import { LIMITS_QUERY, USAGE_QUERY, WORKERS_QUERY } from '../../src/observe/reading/server-query.ts'
import type { PartQuery } from '../../src/observe/reading/batched-query.ts'
import { CATALOGUE, FAMILY_KEYS } from '../../src/outputs/metrics/catalogue.ts'
import { createSampleCollector, createSampleMemory } from '../../src/outputs/metrics/exposition/samples.ts'
import { attempt, reading } from '../support/build.ts'
import { bodyText, FACTS, partsOf, renderAll } from '../support/exposed.ts'
import { busySnapshot, TAKEN } from '../support/fleet-snapshot.ts'
import { HOSTILE } from '../support/hostile-names.ts'
import { check } from '../support/property.ts'
import { testWith } from '../support/tiers.ts'
import { foreignLines } from './foreign-lines.ts'
import { honestRows } from './postgres-modes.ts'

const FORMATS = ['text', 'openmetrics'] as const

/** Series that are written twice, for which Prometheus refuses the scrape. */
function repeatedSeries(body: string): readonly string[] {
  const series = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const names = series.map((line) => line.slice(0, line.lastIndexOf(' ')))
  return names.filter((name, index) => names.indexOf(name) !== index)
}

const LINE = '1\ndormouse_compute_connections{project_id="victim",endpoint_id="ep-victim"} 99999'
const anyText = fc.oneof(
  fc.constantFrom(...HOSTILE, LINE, 'a"} 1\ndormouse_up 1\n#', '# HELP x y\n', '\\', '"'),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\r', '{', '}', ' ', '1', '#') }),
  fc.constantFrom('\uD800', '\uDFFF', '\uFFFD'),
)
/** Also what is no number, as a forged row has it before it is decoded. */
const anyValue = fc.oneof(
  fc.double(),
  anyText,
  fc.constantFrom(Number.NaN, Infinity, -Infinity, null, [1], {}, true),
)

test('no label and no value writes a line of its own', () => {
  const sample = fc.record({ key: fc.constantFrom(...FAMILY_KEYS), text: anyText, value: anyValue })
  check(
    fc.property(fc.array(sample, { maxLength: 20 }), fc.constantFrom(...FORMATS), (samples, format) => {
      const { put, samples: collected } = createSampleCollector(new Set(FAMILY_KEYS), createSampleMemory())
      for (const { key, text, value } of samples) {
        const { labels, type } = CATALOGUE[key]
        const line = type === 'histogram' ? ['sum'] : []
        put(key, [...labels.map(() => text), ...line], value as number)
      }
      const body = bodyText(renderAll(collected()), format)
      expect(foreignLines(body, format)).toEqual([])
      expect(repeatedSeries(body)).toEqual([])
    }),
    400,
  )
})

test('two halves of characters are one label, whose series is written once', () => {
  const { put, samples } = createSampleCollector(new Set(FAMILY_KEYS), createSampleMemory())
  for (const half of ['\uD800', '\uDFFF', '\uFFFD']) put('operation_failures_total', [half], 1)
  const body = bodyText(renderAll(samples()))
  expect(body).toContain('dormouse_operation_failures_total{')
  expect(repeatedSeries(body)).toEqual([])
})

/** An honest row in which some fields are replaced by anything. */
const forgedRow = (part: string) =>
  fc.record(
    Object.fromEntries(
      Object.entries(honestRows()[part] ?? {}).map(([field, honest]) => [
        field,
        fc.oneof({ weight: 12, arbitrary: fc.constant(honest as unknown) }, anyValue, fc.jsonValue()),
      ]),
    ),
  )

const decodedOr = <Row>({ row }: PartQuery<Row>, value: unknown): Row | NotRead => {
  const decoded = row.safeParse(value)
  return decoded.success ? decoded.data : { missing: 'not what a row is' }
}

/** Undefined where the rows are no reading. */
function readingOf(rows: Readonly<Record<string, unknown>>): Reading | undefined {
  const limits = decodedOr(LIMITS_QUERY, rows['limits'])
  if ('missing' in limits) return undefined
  return reading(
    serverReading({
      limits,
      clients: decodedOr(clientsQuery([]), rows['clients']),
      workers: decodedOr(WORKERS_QUERY, rows['workers']),
      use: decodedOr(USAGE_QUERY, rows['use']),
    }),
  )
}

const rows = fc.record(Object.fromEntries(Object.keys(honestRows()).map((part) => [part, forgedRow(part)])))
const world = fc.record({ rows, names: fc.array(anyText, { minLength: 5, maxLength: 5 }) })

/** The exposition after a service and a server said `forged`. */
function exposed({ rows: forged, names }: { rows: Record<string, unknown>; names: string[] }) {
  const [name = '', region = '', type = '', branch = '', platform = ''] = names
  const read = readingOf(forged)
  const snapshot = busySnapshot(2, {
    project: () => ({ name, regionId: region, platformId: platform }),
    compute: () => ({ name, host: name, regionId: region, branchId: branch, type: type as 'read_write' }),
    ...(read && {
      readings: [300, 10].map((ago) =>
        attempt(TAKEN - ago, {
          ref: { account: 'main', projectId: 'project-0', endpointId: 'ep-0' },
          result: { kind: 'read', reading: read },
        }),
      ),
    }),
  })
  return partsOf(snapshot, FACTS)
}

test('no word of a service and no row of a server is a line of its own', () => {
  check(
    fc.property(world, fc.constantFrom(...FORMATS), (said, format) => {
      expect(foreignLines(bodyText(exposed(said), format), format)).toEqual([])
    }),
    120,
  )
})

testWith('promtool')('promtool accepts the metrics of malicious names', () => {
  for (const said of fc.sample(world, { numRuns: 6, seed: 7 })) {
    const checked = spawnSync('promtool', ['check', 'metrics'], {
      input: bodyText(exposed(said)),
      encoding: 'utf8',
    })
    expect({ status: checked.status, out: checked.stderr + checked.stdout }).toEqual({ status: 0, out: '' })
  }
})
