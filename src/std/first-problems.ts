/** Problems of one kind that are kept, 100: the others say much the same, and somebody else decides how many there are. */
const MAX_PROBLEMS = 100

/** The first hundred, and one of the text `and 499,900 more` in place of several others: so a result stays as it is when it is given again. */
export const firstProblems = <Problem>(
  problems: readonly Problem[],
  problemOf: (text: string) => Problem,
): readonly Problem[] =>
  problems.length <= MAX_PROBLEMS + 1
    ? problems
    : [
        ...problems.slice(0, MAX_PROBLEMS),
        problemOf(`and ${(problems.length - MAX_PROBLEMS).toLocaleString('en')} more`),
      ]

/** For problems that are lines of text. */
export const firstLines = (lines: readonly string[]): readonly string[] =>
  firstProblems(lines, (text) => text)
