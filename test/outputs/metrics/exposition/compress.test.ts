import { spawnSync } from 'node:child_process'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compressPrefix, finishCompressed } from '../../../../src/outputs/metrics/exposition/compress.ts'
import { checkSlowly } from '../../../support/property.ts'
import { testWith } from '../../../support/tiers.ts'

const bytes = fc.uint8Array({ maxLength: 3000 }).map((array) => Buffer.from(array))

test('one compressed prefix serves several bodies, and each decompresses completely', () =>
  checkSlowly(
    fc.asyncProperty(fc.array(bytes), bytes, bytes, async (parts, one, other) => {
      const begun = await compressPrefix(parts)
      for (const last of [one, other]) {
        const body = await finishCompressed(begun, last)
        expect(gunzipSync(Buffer.concat(body))).toEqual(Buffer.concat([...parts, last]))
        expect(body[0]).toBe(begun.bytes)
      }
    }),
    100,
  ))

testWith('gzip')('it is one member, as gzip itself says', async () => {
  const begun = await compressPrefix([Buffer.from('a'.repeat(100_000))])
  const body = Buffer.concat(await finishCompressed(begun, Buffer.from('end')))
  const { status, stdout } = spawnSync('gzip', ['--decompress', '--stdout', '--quiet'], { input: body })
  expect(status).toBe(0)
  expect(stdout.length).toBe(100_003)
  // the magic number of a second member would have to follow the trailer of the first
  expect(body.indexOf(Buffer.from([0x1f, 0x8b, 8]), 1)).toBe(-1)
})
