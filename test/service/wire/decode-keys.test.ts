import { describe, expect, test } from 'vitest'
import { decodeCreatedKey, decodeKey, decodeKeys } from '../../../src/service/wire/decode.ts'

describe('an API key', () => {
  const at = '2026-01-05T10:00:00Z'
  test.each([
    [
      'that was used',
      { id: 1, name: 'ci', created_at: at, last_used_at: at, last_used_from_addr: '192.0.2.1' },
      { createdAt: Date.parse(at), lastUsedAt: Date.parse(at), lastUsedFrom: '192.0.2.1' },
    ],
    [
      'that was never used',
      { id: 1, name: 'ci', created_at: at, last_used_at: null, last_used_from_addr: '' },
      { createdAt: Date.parse(at) },
    ],
    ['that is revoked', { id: 1, name: 'ci', revoked: true }, { revoked: true }],
  ])('%s', (_, wire, expected) => {
    const key = {
      keyId: 1,
      name: 'ci',
      createdAt: undefined,
      lastUsedAt: undefined,
      lastUsedFrom: undefined,
      revoked: false,
      ...expected,
    }
    expect(decodeKey(wire)).toEqual({ ok: true, value: key })
    expect(decodeKeys([wire, { id: '2' }])).toEqual({
      ok: true,
      value: {
        items: [key],
        problems: [
          '[1].id: Invalid input: expected number, received string; [1].name: Invalid input: expected string, received undefined',
        ],
      },
    })
  })

  test('has its value only where it was created', () => {
    expect(decodeCreatedKey({ id: 3, key: 'abc', name: 'ci' })).toEqual({
      ok: true,
      value: { keyId: 3, key: 'abc' },
    })
    expect(decodeCreatedKey({ id: 3 })).toMatchObject({ ok: false })
  })
})
