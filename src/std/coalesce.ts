/**
 * Publishes one state after another: while one is being published, all calls wait for one more, of the state as it is then.
 *
 * @param failed told of each publication that failed; what was shown before stays
 * @returns resolves when a state no older than the call is published, or could not be; never rejects
 */
export function coalesce(
  publish: () => Promise<void>,
  failed: (cause: unknown) => void,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  const publishOnce = async (): Promise<void> => {
    try {
      await publish()
    } catch (cause) {
      failed(cause)
    }
  }
  return () => {
    next ??= running.then(() => {
      next = undefined
      running = publishOnce()
      return running
    })
    return next
  }
}
