import fc from 'fast-check'
import { expect, test } from 'vitest'
import { html } from '../../src/report/markup.ts'
import { check } from '../support/property.ts'

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

const unescaped = (text: string): string =>
  text.replaceAll(/&([a-z]+|#\d+);/g, (_, name: string) => ENTITIES[name] ?? '')

test('no text leaves its place, and all of it is there', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '"><script>alert(1)</script>',
      "' onclick='x",
      '</p>',
      '&lt;',
      '&amp;quot;',
      '-->',
      '\u202e',
    ),
  )
  check(
    fc.property(hostile, hostile, (a, b) => {
      const { text } = html`<p title="${a}">${b}</p>`
      const [, attribute, content] = /^<p title="([^"]*)">([^<>]*)<\/p>$/s.exec(text) ?? []
      expect(unescaped(attribute ?? 'left its place')).toBe(a)
      expect(unescaped(content ?? 'left its place')).toBe(b)
    }),
    300,
  )
})

test('markup is escaped once, lists follow each other, nothing is nothing', () => {
  const inner = html`<b>${'<'}</b>`
  expect(html`${[inner, 1, [' & ']]}${undefined}${false}${''}${0}`.text).toBe('<b>&lt;</b>1 &amp; 0')
})
