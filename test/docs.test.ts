import { expect, test } from 'vitest'
import { current, GENERATED } from './support/generate.ts'

test.each(GENERATED.map((generated) => [generated.path, generated] as const))(
  '%s is what `npm run generate` makes of the code',
  (_, generated) => {
    const text = current(generated)
    expect(text).toBe(generated.content(text))
  },
)
