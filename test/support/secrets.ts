// For tests that are not about secrets.

/** Redacts nothing. */
export const noRedactor = {
  learn: () => undefined,
  learnIssued: () => undefined,
  redact: (text: string): string => text,
}

export const environmentOf = (env: Readonly<Record<string, string | undefined>>) => ({
  env,
  learn: noRedactor.learn,
})
