// Takes known secrets out of text, in every form in which somebody may have repeated them: as they are, JSON-escaped or percent-encoded,
// wholly or in part and more than once, or within base64.
//
// 1. Levels: the escapes of a text are undone, then those of the result, and so on. Each character knows its place in the text.
// 2. Every level is searched for the forms of every secret, for passwords in addresses, and for the beginnings of secrets that were cut.
// 3. All places that were found are replaced, those that overlap as one.

export type Redactor = Readonly<{
  /** For all later calls of `redact`: a secret stays one after it was replaced by another. */
  learn: (secret: string) => void
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
/** Each proxy or log in between may add an escape to the one before; more would only cost time. */
const MAX_LEVELS = 8
/** Marks text that was cut. */
const CUT = '…'

export function createRedactor(): Redactor {
  const secrets = new Set<string>()
  let forms: readonly string[] = []
  return {
    learn: (secret) => {
      if (secrets.has(secret)) return
      secrets.add(secret)
      forms = [...new Set([...secrets].flatMap(partsOf).filter(isSearched).flatMap(formsOf))]
    },
    redact: (text) => {
      const ranges = levelsOf(text).flatMap((level) =>
        [...findForms(level.text, forms), ...findCut(level.text, forms), ...findPasswords(level.text)].map(
          ([from, to]): Range => [level.placeOf(from), level.placeOf(to)],
        ),
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

/** The secret, the same without its own escapes, and what stands for it in base64. */
const formsOf = (secret: string): readonly string[] => [
  secret,
  levelsOf(secret).at(-1)?.text ?? secret,
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

function* findForms(text: string, forms: readonly string[]): Iterable<Range> {
  for (const form of forms)
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) yield [at, at + form.length]
}

/** Before the mark of a cut the beginning of a secret is enough. */
function* findCut(text: string, forms: readonly string[]): Iterable<Range> {
  for (let end = text.indexOf(CUT); end !== -1; end = text.indexOf(CUT, end + 1))
    for (const form of forms)
      for (let length = Math.min(form.length - 1, end); length >= MIN_LENGTH; length -= 1)
        if (text.startsWith(form.slice(0, length), end - length)) yield [end - length, end]
}

/** Of addresses such as `postgresql://user:password@host`, whether known or not. At most 256 characters. */
const PASSWORD = /(?<=\w:\/\/[^\s:/@"]{0,256}:)[^\s@"]{1,256}(?=@)/g

function* findPasswords(text: string): Iterable<Range> {
  if (!text.includes('://')) return
  for (const { index, 0: password } of text.matchAll(PASSWORD)) yield [index, index + password.length]
}

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

/** Of JSON and of JavaScript, and of UTF-8 in percent-encoding. */
const ESCAPE =
  /\\u[\da-f]{4}|\\x[\da-f]{2}|\\["'\\/]|%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi

/** Undefined where nothing is escaped. */
function unescaped({ text, placeOf }: Level): Level | undefined {
  if (!/[\\%]/.test(text)) return undefined
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
  return escape.length === 2 ? escape.slice(1) : String.fromCharCode(parseInt(escape.slice(2), 16))
}

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
