/** Runs one work after the other, in the order of the calls; a failed one ends none of the others. */
export function createOrder() {
  let last: Promise<unknown> = Promise.resolve()
  return <Value>(work: () => Promise<Value>): Promise<Value> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}
