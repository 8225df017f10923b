// How a service, a proxy or a client may repeat a secret.

type Encodings = Readonly<Record<string, (text: string) => string>>

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')
const units = (text: string): number[] => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
const bytes = (text: string): string[] => [...Buffer.from(text)].map((byte) => `%${hex(byte, 2)}`)
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Each gives text on one line without spaces, from text on one line without spaces. */
export const ESCAPES = {
  'it is': (text) => text,
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  'JSON with escaped slashes': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('/', String.raw`\/`),
  'JSON with every letter escaped': (text) =>
    units(text)
      .map((unit) => String.raw`\u${hex(unit, 4)}`)
      .join(''),
  'JSON with some letters escaped': (text) =>
    units(JSON.stringify(text).slice(1, -1))
      .map((unit, at, all) =>
        at % 3 === 1 && /[a-z]/.test(String.fromCharCode(unit)) && !isEscaped(all, at)
          ? String.raw`\u${hex(unit, 4).toUpperCase()}`
          : String.fromCharCode(unit),
      )
      .join(''),
  'part of an address': (text) => encodeURIComponent(text.toWellFormed()),
  'percent-encoded bytes': (text) => bytes(text).join(''),
  'percent-encoded bytes in capitals': (text) => bytes(text).join('').toUpperCase(),
  'every second byte percent-encoded': (text) =>
    /^[\x21-\x7e]*$/.test(text)
      ? bytes(text)
          .map((byte, at) => (at % 2 === 0 || text[at] === '%' ? byte : text.charAt(at)))
          .join('')
      : bytes(text).join(''),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text.toWellFormed())),
  'HTML, every letter by its number': (text) =>
    Array.from(text, (letter) => `&#${letter.codePointAt(0)};`).join(''),
  'HTML, every letter by its hexadecimal number': (text) =>
    Array.from(text, (letter) => `&#x${hex(letter.codePointAt(0) ?? 0, 2)};`).join(''),
  HTML: (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;'),
} as const satisfies Encodings

export const ENCODINGS = {
  ...ESCAPES,
  base64,
  'hexadecimal digits': (text) => Buffer.from(text).toString('hex'),
  'base64 behind one byte': (text) => base64(`:${text}`),
  'base64 behind two bytes': (text) => base64(`u:${text}:x`),
  'a Basic header': (text) => base64(`dormouse:${text}`),
  'a Basic header, percent-encoded': (text) => encodeURIComponent(base64(`dormouse:${text}`)),
  'base64 for addresses': (text) => Buffer.from(`me:${text}`).toString('base64url'),
} as const satisfies Encodings

/** Behind a backslash. */
const isEscaped = (all: readonly number[], at: number): boolean => {
  let slashes = 0
  for (let before = at - 1; all[before] === 0x5c; before -= 1) slashes += 1
  return slashes % 2 === 1 || all.slice(Math.max(0, at - 5), at).includes(0x5c)
}
