/** Keys and names of ours are words, and those of channels; anything else may be a secret in the wrong place. */
const WORD = /^#?[a-z]{1,24}(?:[ ._-][a-z]{1,24}){0,4}[._-]?\d{0,4}$/i

/** A key or name that somebody wrote, where it can be nothing else. */
export const shownWord = (word: string): string =>
  WORD.test(word) && word.length <= 40 ? word : `(${word.length} characters)`

export const unknownNameText = (kind: string, name: string, existing: readonly string[]): string =>
  existing.length === 0
    ? `there is no ${kind} ${shownWord(name)}: there are none`
    : `unknown ${kind} ${shownWord(name)}${expectedWordText(name, existing)}`

export function expectedWordText(word: string, words: readonly string[]): string {
  const near = nearestWord(word, words)
  return near === undefined ? `, expected one of ${words.join(', ')}` : `, did you mean ${near}?`
}

/** The word that was probably meant: at most a third of the letters differ, or `word` is its beginning. */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  const ranked = words
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  const close = ranked.find(({ distance }) => distance <= Math.max(1, Math.floor(word.length / 3)))
  return (close ?? ranked.find(({ candidate }) => candidate.startsWith(word)))?.candidate
}

/** Letters to insert, delete or replace. */
function editDistance(from: string, to: string) {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1]
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (row[column] ?? 0) + (from[index] === to[column] ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}

export function repeatedName(path: string, items: readonly { readonly name: string }[], index: number) {
  const name = items[index]?.name
  const first = items.findIndex((other) => other.name === name)
  return first === index ? [] : [`${path}[${index}].name: ${name} is the name of ${path}[${first}], too`]
}
