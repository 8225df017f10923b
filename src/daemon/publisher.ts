/**
 * Publishes one state after another: while one is being published, all calls wait for one more, of the state as it is then.
 *
 * @returns resolves when a state no older than the call is published
 */
export function createPublisher(publish: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= running.then(() => {
      next = undefined
      running = publish()
      return running
    })
    return next
  }
}
