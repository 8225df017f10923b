import { expect, test } from 'vitest'
import { createCompressedExposition } from '../../../src/daemon/snapshot/exposition.ts'
import type { RenderedFamily } from '../../../src/outputs/metrics/exposition/body.ts'
import { compressPrefix } from '../../../src/outputs/metrics/exposition/compress.ts'
import type { ExpositionFormat } from '../../../src/outputs/metrics/exposition/format.ts'
import { seconds } from '../../../src/model/units.ts'

const age = (value: number): RenderedFamily => ({
  name: 'dormouse_age_seconds',
  help: 'Age.',
  type: 'gauge',
  blocks: [Buffer.from(`dormouse_age_seconds ${value}\n`)],
})

/** In which formats something was compressed since the last question. */
function counted() {
  const made: ExpositionFormat[] = []
  const exposition = createCompressedExposition((parts) => {
    made.push(parts.join('').includes('# UNIT') ? 'openmetrics' : 'text')
    return compressPrefix(parts)
  })
  return { exposition, made: () => made.splice(0) }
}

test('only formats scraped within five minutes are compressed in advance', async () => {
  const { exposition, made } = counted()
  await exposition.publish([age(1)], seconds(0))
  expect(made()).toEqual([])
  await exposition.prefix('openmetrics', seconds(10))
  await exposition.prefix('openmetrics', seconds(20))
  await exposition.prefix('text', seconds(30))
  expect(made()).toEqual(['openmetrics', 'text'])
  for (let now = 60; now <= 320; now += 60) {
    // oxlint-disable-next-line no-await-in-loop -- one state after the other
    await exposition.publish([age(now)], seconds(now))
    expect(made()).toEqual(['openmetrics', 'text'])
    // oxlint-disable-next-line no-await-in-loop
    await exposition.prefix('text', seconds(now))
    expect(made()).toEqual([])
  }
  await exposition.publish([age(320)], seconds(320))
  expect(made()).toEqual(['openmetrics', 'text'])
  await exposition.publish([age(321)], seconds(321))
  expect(made()).toEqual(['text'])
  await exposition.prefix('openmetrics', seconds(900))
  await exposition.publish([age(901)], seconds(901))
  expect(made()).toEqual(['openmetrics', 'openmetrics'])
})

test('families are published once they are compressed, and not at all when that fails', async () => {
  const gate = Promise.withResolvers<void>()
  let [held, broken] = [false, false]
  const exposition = createCompressedExposition(async (parts) => {
    if (held) await gate.promise
    if (broken) throw new Error('no room')
    return compressPrefix(parts)
  })
  await exposition.publish([age(1)], seconds(0))
  await exposition.prefix('text', seconds(1))
  held = true
  const showing = exposition.publish([age(2)], seconds(2))
  expect(exposition.families()).toEqual([age(1)])
  gate.resolve()
  await showing
  expect(exposition.families()).toEqual([age(2)])
  broken = true
  await expect(exposition.publish([age(3)], seconds(3))).rejects.toThrow('no room')
  expect(exposition.families()).toEqual([age(2)])
})
