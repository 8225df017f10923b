import fc from 'fast-check'
import { expect, test } from 'vitest'
import { html, withNoBreakSpaces } from '../../../src/outputs/text/html.ts'
import { check } from '../../support/property.ts'

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
      expect(unescaped(content ?? 'left its place')).toBe(withNoBreakSpaces(b))
    }),
    300,
  )
})

test('a number stays on the line of its unit where it is read, and as it is where it is sent', () => {
  const words = '1,234.50 USD of 1 MB in 5 min, 80 % at 08:00 UTC'
  const told = '1,234.50\u00A0USD of 1\u00A0MB in 5\u00A0min, 80\u00A0% at 08:00\u00A0UTC'
  expect(html`<p title="${words}" class="a ${words}">${words} ${[words]}</p>`.text).toBe(
    `<p title="${words}" class="a ${words}">${told} ${told}</p>`,
  )
  expect(html`<option value="${'5 min'}" ${html` selected`}>${'12.5 CU-hours'}</option>`.text).toBe(
    '<option value="5 min"  selected>12.5\u00A0CU-hours</option>',
  )
  const none = '3 computes, 16 November, 5 minutes, 2 hosts, v5 min-size 4 s-x'
  expect(html`<p>${none}</p>`.text).toBe(`<p>${none}</p>`)
})

test('markup is escaped once, lists follow each other, nothing is nothing', () => {
  const inner = html`<b>${'<'}</b>`
  expect(html`${[inner, 1, [' & ']]}${undefined}${false}${''}${0}`.text).toBe('<b>&lt;</b>1 &amp; 0')
})

test('a sum of millions may be parted from its currency, which is then whole', () => {
  expect(withNoBreakSpaces('999,999.99 USD to 1,234,567.89 USD')).toBe(
    '999,999.99\u00A0USD to 1,234,567.89 USD',
  )
})
