import { expect, test } from 'vitest'
import { fileCacheMiB, isSupported, maxConnectionsOf } from '../../../../src/local/control/sizing/sizes.ts'

test.each([
  [0.25, 112, 819],
  [0.5, 225, 1638],
  [1, 450, 3276],
  [2, 901, 6553],
  [3, 1351, 9830],
  [4, 1802, 13107],
  [5, 2253, 16384],
  [6, 2703, 19660],
  [7, 3154, 22937],
  [8, 3604, 26214],
  [9, 4000, 29491],
  [10, 4000, 32768],
])('%d CU: %d connections, %d MiB of file cache', (cu, connections, cache) => {
  const fixed = { minCu: cu, maxCu: cu }
  const rules = { connectionsBasis: 'min', preset: 'interface' } as const
  const found = [isSupported(cu, 'interface'), maxConnectionsOf(fixed, rules), fileCacheMiB(cu, 'interface')]
  expect(found).toEqual([true, connections, cache])
})

test.each([
  [0.25, 104, 698],
  [0.5, 209, 1536],
  [1, 419, 3072],
  [2, 839, 6144],
  [3, 1258, 9216],
  [4, 1678, 12288],
  [5, 2098, 15360],
  [6, 2517, 18432],
  [7, 2937, 21504],
  [8, 3357, 24576],
  [9, 4000, 27648],
  [56, 4000, 172_032],
])('%d CU by the documents: %d connections, %d MiB of file cache', (cu, connections, cache) => {
  const preset = '2026-03'
  const rules = { connectionsBasis: 'min(max, 8×min)', preset } as const
  const found = [
    isSupported(cu, preset),
    maxConnectionsOf({ minCu: cu, maxCu: cu }, rules),
    fileCacheMiB(cu, preset),
  ]
  expect(found).toEqual([true, connections, cache])
})

test.each([
  ['min', 112],
  ['min(max, 8×min)', 901],
] as const)('a range counts for its connections as %s', (connectionsBasis, connections) => {
  expect(maxConnectionsOf({ minCu: 0.25, maxCu: 10 }, { connectionsBasis, preset: 'interface' })).toBe(
    connections,
  )
})

test.each([0, 0.1, 0.75, 1.5, 11, -1, Number.NaN])('%d CU is not offered', (cu) => {
  expect(isSupported(cu, 'interface')).toBe(false)
})
