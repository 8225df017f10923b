// Takes known secrets out of text, in every form in which somebody may have repeated them: as they are, escaped as in JSON, addresses or
// HTML, wholly or in part and more than once, as hexadecimal digits, or within base64.
//
// 1. Levels: the escapes of a text are undone, then those of the result, and so on. Each character knows its place in the text.
// 2. Every level is searched for the forms of every secret, for passwords in addresses, and for the beginnings of secrets that were cut.
// 3. All places that were found are replaced, those that overlap as one.

export type Redactor = Readonly<{
  /** For all later calls of `redact`: a secret stays one after it was replaced by another. */
  learn: (secret: string) => void
  /** The password of a connection string that a service gave away; of the first 20,000 only. */
  learnIssued: (address: string) => void
  /** `[redacted]` in place of each secret. */
  redact: (text: string) => string
}>

const REDACTED = '[redacted]'
/** Characters: shorter ones, such as `admin`, are parts of many words, and whoever guesses passwords tries them anyway. */
const MIN_LENGTH = 6
/** Dates, sizes and counters have at most 16 digits: a shorter secret of digits would be found in them. */
const DIGITS = /^\d{1,16}$/
/** Characters of the path of a secret address: shorter ones, such as `/webhook`, are no secret. */
const MIN_PATH_LENGTH = 12
/** Twice the computes of a large account, 20 MB: a service that gives away a new password at each request must not fill the memory. */
const MAX_ISSUED = 20_000
/** Each proxy or log in between may add an escape to the one before; more would only cost time. */
const MAX_LEVELS = 8
/** Marks text that was cut, maybe within an escape. */
const CUT = /^(?:[\\%&][\w#%&\\]{0,12})?…/
/** Characters of half an escape and the mark. */
const CUT_LENGTH = 14

/** By `keyAt` of their first characters. */
type Forms = Map<number, Set<string>>

export function createRedactor(): Redactor {
  const secrets = new Set<string>()
  const forms: Forms = new Map()
  let issued = 0
  const learn = (secret: string) => {
    if (secrets.has(secret)) return
    secrets.add(secret)
    for (const form of partsOf(secret).filter(isSearched).flatMap(formsOf).filter(isSearched)) {
      const key = keyAt(form, 0)
      forms.set(key, (forms.get(key) ?? new Set()).add(form))
    }
  }
  return {
    learn,
    learnIssued: (address) => {
      const password = decodedUri(URL.parse(address)?.password ?? '')
      if (secrets.has(password) || issued >= MAX_ISSUED) return
      issued += 1
      learn(password)
    },
    redact: (text) => {
      const ranges = levelsOf(text).flatMap((level) =>
        [...findForms(level.text, forms), ...findPasswords(level.text)].map(([from, to]): Range => [
          level.placeOf(from),
          level.placeOf(to),
        ]),
      )
      return ranges.length === 0 ? text : replaced(text, ranges)
    },
  }
}

const isSearched = (secret: string) => secret.length >= MIN_LENGTH && !DIGITS.test(secret)

/** A receiver sees the path of its address alone, a server the password. */
function partsOf(secret: string): readonly string[] {
  const url = secret.includes('://') ? URL.parse(secret) : null
  if (!url) return [secret]
  const path = url.pathname + url.search
  return [secret, decodedUri(url.password), ...(path.length < MIN_PATH_LENGTH ? [] : [path])]
}

/** The secret, the same without its own escapes, its bytes in hexadecimal digits, and what stands for it in base64. */
const formsOf = (secret: string): readonly string[] => [
  secret,
  levelsOf(secret).at(-1)?.text ?? secret,
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('hex').toUpperCase(),
  ...[0, 1, 2].flatMap((offset) => base64At(Buffer.from(secret), offset)),
]

/** The digits that depend on nothing but the secret, behind `offset` other bytes of a group of three; in both alphabets. */
function base64At(secret: Buffer, offset: number): readonly string[] {
  const digits = Buffer.concat([Buffer.alloc(offset), secret])
    .toString('base64')
    .replace(/=+$/, '')
  const isWhole = (offset + secret.length) % 3 === 0
  const own = digits.slice(offset === 0 ? 0 : offset + 1, isWhole ? undefined : -1)
  return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
}

type Range = readonly [from: number, to: number]

/** Before the mark of a cut the beginning of a form is enough. Takes as many steps for thousands of secrets as for one. */
function findForms(text: string, forms: Forms): readonly Range[] {
  const ranges: Range[] = []
  for (let at = 0; at + MIN_LENGTH <= text.length; at += 1)
    for (const form of forms.get(keyAt(text, at)) ?? []) {
      let length = 0
      while (length < form.length && text[at + length] === form[length]) length += 1
      if (
        length === form.length ||
        (length >= MIN_LENGTH && CUT.test(text.slice(at + length, at + length + CUT_LENGTH)))
      )
        ranges.push([at, at + length])
    }
  return ranges
}

/** Hash of four characters; others may have the same. */
const keyAt = (text: string, at: number): number =>
  (((text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 31 + text.charCodeAt(at + 2)) * 31 +
    text.charCodeAt(at + 3)) |
  0

/** Password of an address such as `postgresql://user:password@host`, whether known or not. At most 256 characters. */
const PASSWORD = /(?<=\w:\/\/[^\s:/@"]{0,256}:)[^\s@"]{1,256}(?=@)/g

const findPasswords = (text: string): readonly Range[] =>
  text.includes('://')
    ? Array.from(text.matchAll(PASSWORD), ({ index, 0: password }) => [index, index + password.length])
    : []

/** A text without some of its escapes. `placeOf`: index in it → index in the text as it was given. */
type Level = Readonly<{ text: string; placeOf: (index: number) => number }>

function levelsOf(text: string): readonly Level[] {
  const levels: Level[] = [{ text, placeOf: (index) => index }]
  for (let last = levels[0]; last && levels.length <= MAX_LEVELS; last = levels.at(-1)) {
    const next = unescaped(last)
    if (!next) break
    levels.push(next)
  }
  return levels
}

/** JSON and JavaScript, UTF-8 in percent-encoding, and HTML. */
const ESCAPE =
  /\\u[\da-f]{4}|\\x[\da-f]{2}|\\["'\\/]|%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}|&(?:#\d{1,6}|#x[\da-f]{1,5}|amp|lt|gt|quot|apos);/gi

/** Undefined where nothing is escaped. */
function unescaped({ text, placeOf }: Level): Level | undefined {
  if (!/[\\%&]/.test(text)) return undefined
  const places: number[] = []
  let plain = ''
  let end = 0
  const add = (part: string, placeAt: (index: number) => number) => {
    for (let index = 0; index < part.length; index += 1) places.push(placeOf(placeAt(index)))
    plain += part
  }
  for (const { index, 0: escape } of text.matchAll(ESCAPE)) {
    const from = end
    add(text.slice(from, index), (nth) => from + nth)
    add(meaningOf(escape), () => index)
    end = index + escape.length
  }
  if (end === 0) return undefined
  const from = end
  add(text.slice(from), (nth) => from + nth)
  return { text: plain, placeOf: (index) => places[index] ?? placeOf(text.length) }
}

function meaningOf(escape: string) {
  if (escape.startsWith('%')) return decodedUri(escape)
  if (escape.startsWith('&#')) return String.fromCodePoint(Number(`0${escape.slice(2, -1)}`))
  if (escape.startsWith('&')) return ENTITIES[escape.slice(1, -1).toLowerCase()] ?? escape
  return escape.length === 2 ? escape.slice(1) : String.fromCharCode(parseInt(escape.slice(2), 16))
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodedUri(text: string) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A backslash before a range is half of an escape, and goes with it, so that JSON stays JSON. */
function replaced(text: string, ranges: readonly Range[]) {
  let shown = ''
  let end = 0
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from >= end) {
      const before = text.slice(end, from)
      const isInEscape = (/\\+$/.exec(before)?.[0].length ?? 0) % 2 === 1
      shown += (isInEscape ? before.slice(0, -1) : before) + REDACTED
    }
    end = Math.max(end, to)
  }
  return shown + text.slice(end)
}
