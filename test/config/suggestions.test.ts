import { expect, test } from 'vitest'
import { nearestWord } from '../../src/config/suggestions.ts'

const KEYS = ['interval', 'max_age', 'api_key_file', 'api_key_env', 'mode']

test.each([
  ['intervall', 'interval'],
  ['interva', 'interval'],
  ['maxage', 'max_age'],
  ['api_key', 'api_key_env'],
  ['api_key_fil', 'api_key_file'],
  ['mdoe', undefined],
  ['mod', 'mode'],
  ['colour', undefined],
  ['x', undefined],
])('the known key nearest to %s is %s', (word, known) => {
  expect(nearestWord(word, KEYS)).toBe(known)
})
