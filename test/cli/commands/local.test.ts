import { expect, test } from 'vitest'
import { dormouse, words } from '../local-cli.ts'

test.each([
  ['--past 60', /--past.*Expected a length of time/s],
  ['--past yesterday', /--past.*Expected a length of time/s],
  ['--past 0d', /--past.*Expected a length of time/s],
  ['--past 12h', /--past.*from 1d to 180d/s],
  ['--past 1000d', /--past.*from 1d to 180d/s],
  ['--past 60d --projects many', /--projects.*Expected a whole number/s],
  ['--past 60d --seed x', /--seed.*Expected a whole number/s],
  ['--past 60d --cu 2', /--cu and --delay do not go with --past/],
  ['--past 60d --delay 60s', /--cu and --delay do not go with --past/],
  [
    '--delay 30s',
    /^dormouse: --delay: expected -1 \(never\), 0 \(default\) or 60 to 604800 seconds, got 30\n$/,
  ],
  ['--cu 3.3', /^dormouse: --cu: expected one of 0.25, .*, got 3.3\n$/],
  ['--plan free --cu 2', /^dormouse: --cu: the free plan allows at most 0.25 CU, got 2\n$/],
])('local %s is not understood, and starts nothing', async (options, message) => {
  const ended = await dormouse(words(`local ${options}`))
  expect([ended.code, ended.out]).toEqual([2, ''])
  expect(ended.err).toMatch(message)
})
