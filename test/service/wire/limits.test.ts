// Bounds of what the service may say: lengths of texts, sizes of numbers, items of lists.
import { describe, expect, test } from 'vitest'
import { compute, computeModel, operation, project } from '../records.ts'
import {
  decodeCompute,
  decodeComputes,
  decodeOperations,
  decodeProject,
  decodeProjects,
} from '../../../src/service/wire/decode.ts'

describe('a text of the service', () => {
  test('has an end', () => {
    const name = decodeProject({ project: { ...project, name: 'n'.repeat(1_000_000) } })
    expect(name).toMatchObject({ value: { name: `${'n'.repeat(255)}…` } })
  })

  test.each([
    ['id', `ep-${'x'.repeat(62)}`, 'an id of at most 64 characters'],
    ['created_at', '1999-12-31T23:59:59Z', 'a time since 2000'],
    ['created_at', `2026-01-05T10:00:00.${'0'.repeat(50)}Z`, 'Too big'],
    ['autoscaling_limit_max_cu', 1e300, 'Too big'],
    ['suspend_timeout_seconds', 1e300, 'Too big'],
  ])('as %s has bounds', (field, value, problem) => {
    const decoded = decodeCompute({ endpoint: { ...compute, [field]: value } })
    expect(decoded.ok ? [] : decoded.error).toEqual([expect.stringContaining(problem)])
  })

  test('as a cursor has bounds', () => {
    const pagination = { cursor: 'c'.repeat(1025) }
    expect(decodeProjects({ projects: [], pagination })).toMatchObject({ ok: false })
  })
})

describe('a list', () => {
  test('of 500,000 wrong items is given up after a thousand', () => {
    const body = { endpoints: [compute, ...Array.from({ length: 500_000 }, () => 0)] }
    const listed = decodeComputes(body)
    if (!listed.ok) throw new Error('a list with wrong items is a list')
    const { items, problems, hasUnidentified } = listed.value
    expect([items, hasUnidentified]).toEqual([[computeModel], true])
    expect(problems).toHaveLength(101)
    expect(problems.at(-1)).toBe('and 901 more')
  })

  test('with more items than were asked for has those that were', () => {
    const projects = Array.from({ length: 401 }, (_, index) => ({ ...project, id: `p-${index}` }))
    const page = decodeProjects({ projects })
    expect(page).toMatchObject({ value: { hasUnidentified: true, size: 401 } })
    expect(page.ok && page.value.items.at(-1)?.projectId).toBe('p-399')
    expect(page.ok && page.value.problems).toEqual(['projects: 401 items, the first 400 count'])
  })

  test('with more operations than were asked for may lack one of any compute', () => {
    const operations = Array.from({ length: 3 }, (_, index) => ({ ...operation, id: `op-${index}` }))
    expect(decodeOperations({ operations }, 'quiet-1', 2)).toMatchObject({
      value: { items: [{}, {}], lost: [{ endpointId: undefined }] },
    })
  })
})
