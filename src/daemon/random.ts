import { randomUUID } from 'node:crypto'
import type { Random } from '../model/ports/clock.ts'

/** Chance as the machine gives it. */
export const createRandom = (): Random => ({ unit: () => Math.random(), uuid: () => randomUUID() })
