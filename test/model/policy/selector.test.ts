import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  matchesGlob,
  matchesSelector,
  matchesEverything,
  type Selector,
} from '../../../src/model/policy/selector.ts'
import { computeOf } from '../../ledger/budgets/build.ts'
import { check } from '../../support/property.ts'

describe('a selector', () => {
  const target = computeOf('ep-a', { projectName: 'preview-17', name: 'reports', branchId: 'br-main-1' })
  test.each<[string, Selector, boolean]>([
    ['of nothing fits all', {}, true],
    ['of a project by id', { project: ['project-ep-a'] }, true],
    ['of a project by name', { project: ['preview-*'] }, true],
    ['of another project', { project: ['production'] }, false],
    ['of one of several projects', { project: ['production', 'preview-??'] }, true],
    ['of no project', { project: [] }, false],
    ['of a branch', { branch: ['br-main-*'] }, true],
    ['of a compute by id', { compute: ['ep-a'] }, true],
    ['of a compute by name', { compute: ['report?'] }, true],
    ['of a type', { type: 'read_only' }, false],
    ['of several things needs all of them', { project: ['preview-*'], type: 'read_only' }, false],
  ])('%s', (_, selector, expected) => {
    expect(matchesSelector(selector, target)).toBe(expected)
  })

  test('does not find a name in what has none', () => {
    expect(matchesSelector({ compute: ['*'] }, { ...target, name: undefined })).toBe(true)
    expect(matchesSelector({ compute: ['undefined'] }, { ...target, name: undefined })).toBe(false)
  })

  test.each<[Selector, boolean]>([
    [{}, true],
    [{ project: ['a', '**'], compute: ['*'] }, true],
    [{ project: ['?*'] }, true],
    [{ project: ['*?*'], branch: ['br-*'], compute: ['ep-?*'] }, true],
    [{ compute: ['e*'] }, true],
    [{ project: ['a*'] }, false],
    [{ project: ['ep-*'] }, false],
    [{ project: ['???'] }, false],
    [{ compute: ['ep-a*'] }, false],
    [{ compute: ['br-*'] }, false],
    [{ type: 'read_write' }, false],
    [{ branch: [] }, false],
  ])('%j selects all: %s', (selector, expected) => {
    expect(matchesEverything(selector)).toBe(expected)
  })
})

const letters = (alphabet: string) =>
  fc.array(fc.constantFrom(...alphabet.split('')), { maxLength: 10 }).map((list) => list.join(''))

test('a pattern fits what the regular expression of it fits', () => {
  check(
    fc.property(letters('ab*?.'), letters('ab.'), (pattern, text) => {
      const expression = pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')
      expect(matchesGlob(pattern, text)).toBe(new RegExp(`^${expression}$`).test(text))
    }),
    5000,
  )
})

test('a pattern of many stars ends', () => {
  expect(matchesGlob(`${'a*'.repeat(500)}b`, 'a'.repeat(5000))).toBe(false)
})
