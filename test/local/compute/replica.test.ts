import { expect, test } from 'vitest'
import { parsePosition } from '../../../src/local/compute/replica.ts'

test.each([
  ['0/0', 0n],
  ['0/3000060', 0x3000060n],
  ['16/B374D848', 0x16b374d848n],
  ['FFFFFFFF/FFFFFFFF', 2n ** 64n - 1n],
])('position %s', (text, position) => {
  expect(parsePosition(text)).toBe(position)
})
