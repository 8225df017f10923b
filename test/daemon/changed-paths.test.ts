import { expect, test } from 'vitest'
import { changedPaths } from '../../src/daemon/reload.ts'

test.each([
  ['nothing', { a: [1, { b: 'c' }] }, { a: [1, { b: 'c' }] }, []],
  ['a value', { log: { level: 'info' } }, { log: { level: 'warn' } }, ['log.level']],
  ['a value in a list', { a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 1 }, { b: 3 }] }, ['a[1].b']],
  ['what is new', {}, { owners: [] }, ['owners']],
  ['what is gone', { a: { b: 1, c: 2 } }, { a: { c: 2 } }, ['a.b']],
  ['a list that is longer', { a: [1] }, { a: [1, 2] }, ['a[1]']],
  ['another kind', { a: [] }, { a: {} }, ['a']],
  ['a text that was keys', { a: { b: 1 } }, { a: 'b' }, ['a']],
  ['several', { a: 1, b: 1, c: 1 }, { a: 2, b: 1, c: 2 }, ['a', 'c']],
])('%s', (_, before, after, paths) => {
  expect(changedPaths(before, after)).toEqual(paths)
})
