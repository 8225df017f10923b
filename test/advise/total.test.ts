import { expect, test } from 'vitest'
import { computeSaving, totalSaving } from '../../src/advise/total.ts'
import { amounts, recommendation } from '../support/recommendations.ts'

const ref = (endpointId: string) => ({ account: 'main', projectId: 'project-one', endpointId })

test('a single recommendation saves what it says', () => {
  const one = recommendation({ saving: amounts(9.5, 12.25, 25) })
  expect(totalSaving([one])).toEqual(one.saving)
  expect(totalSaving([])).toEqual(amounts(0, 0, 0))
})

test('a second one on the same compute saves its share of the rest', () => {
  const spend = amounts(20, 20, 20)
  const half = { spend, saving: amounts(8, 10, 12) }
  const quarter = { spend, saving: amounts(4, 5, 6) }
  expect(computeSaving([half, quarter])).toEqual(amounts(10.4, 12.5, 14.4))
  expect(computeSaving([quarter, half])).toEqual(amounts(10.4, 12.5, 14.4))
})

test('what costs more reduces the total, and savings are never larger than the spend', () => {
  const spend = amounts(20, 20, 20)
  const all = { spend, saving: amounts(15, 20, 30) }
  const dearer = { spend, saving: amounts(-4, -4, -4) }
  expect(computeSaving([all, dearer])).toEqual(amounts(14, 20, 20))
})

test('without spend the savings add up', () => {
  const spend = amounts(0, 0, 0)
  const one = { spend, saving: amounts(-1, -1, -1) }
  expect(computeSaving([one, one])).toEqual(amounts(-2, -2, -2))
})

test('computes add up', () => {
  const one = recommendation({ ref: ref('ep-one'), saving: amounts(1, 2, 3) })
  const two = recommendation({ ref: ref('ep-two'), saving: amounts(10, 20, 30) })
  expect(totalSaving([one, two])).toEqual(amounts(11, 22, 33))
})
