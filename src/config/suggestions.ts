// What to say of a word that is not among those that are known.

/** What to say of the name of a `kind` that is not among those there are. */
export const unknownNameText = (kind: string, name: string, known: readonly string[]): string =>
  known.length === 0
    ? `there is no ${kind} ${name}: there are none`
    : `unknown ${kind} ${name}${expectedWordText(name, known)}`

/** `, did you mean …?`, or all that there are. */
export function expectedWordText(word: string, known: readonly string[]): string {
  const near = nearestWord(word, known)
  return near === undefined ? `, expected one of ${known.join(', ')}` : `, did you mean ${near}?`
}

/** The word of `known` that `word` was probably meant to be: a third of it may differ, or it is its beginning. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  const close = ranked.find(({ distance }) => distance <= Math.max(1, Math.floor(word.length / 3)))
  return (close ?? ranked.find(({ candidate }) => candidate.startsWith(word)))?.candidate
}

/** Letters to insert, delete or replace to get from one word to the other. */
function editDistance(from: string, to: string): number {
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
