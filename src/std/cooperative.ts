// Long work cut into steps, so that whoever runs it may let others have a turn in between.

/** Yields where a turn may be given up; returns the result. */
export type Cooperative<Result> = Generator<void, Result>

/** Tells of each item; a step is over after `count` of them. */
export function* forEachYielding<Item>(
  items: Iterable<Item>,
  count: number,
  tell: (item: Item) => void,
): Cooperative<void> {
  let told = 0
  for (const item of items) {
    tell(item)
    told += 1
    if (told % count === 0) yield
  }
}

/** All steps without a break. */
export function runSync<Result>(steps: Cooperative<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** All steps, with a `pause` after each. */
export async function runYielding<Result>(
  steps: Cooperative<Result>,
  pause: () => Promise<void>,
): Promise<Result> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    // oxlint-disable-next-line no-await-in-loop -- the break between two steps is the point
    await pause()
  }
}
