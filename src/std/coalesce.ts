/**
 * Calls during a run of `publish` share one more run after it. @param failed called with the error of a run @returns resolves after a run
 * that started after the call, successful or not; never rejects
 */
export function coalesce(
  publish: () => Promise<void>,
  failed: (cause: unknown) => void,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  const publishOnce = async () => {
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
